import { dark, light, none } from "./colors.ts";
import { type Palette, type Role, type Theme, themeOf } from "./theme.ts";

/** The built-in themes. */
export const themes: Readonly<Record<string, Palette>> = { dark, light, none };
export type ThemeName = "auto" | "dark" | "light" | "none";

export interface ThemeChoice {
  /** The name of a theme; `auto` follows the terminal's background. */
  theme: string;
  /** The user's colours, by theme name, then by role. */
  colors: Readonly<Record<string, Readonly<Partial<Record<Role, string>>>>>;
  env: Readonly<Record<string, string | undefined>>;
}

/** A colour of the terminal, each part from 0 to 1. */
export interface Rgb {
  red: number;
  green: number;
  blue: number;
}

/** The theme for a terminal: the user's choice, else the one that suits the background; without colours if NO_COLOR is set. */
export function chosenTheme({ theme, colors, env }: ThemeChoice, background?: Rgb): Theme {
  const isPlain = (env.NO_COLOR ?? "") !== "";
  const name = isPlain ? "none" : theme === "auto" ? (isLight(background, env) ? "light" : "dark") : theme;
  const own = isPlain ? {} : (colors[name] ?? {});
  return themeOf(name, themes[name] ?? (isLight(background, env) ? light : dark), own);
}

/** Whether the background is light, according to the terminal's answer or to the variable COLORFGBG. */
function isLight(background: Rgb | undefined, env: ThemeChoice["env"]): boolean {
  if (background) return 0.299 * background.red + 0.587 * background.green + 0.114 * background.blue > 0.5;
  const behind = Number(/;(\d+)$/.exec(env.COLORFGBG ?? "")?.[1] ?? Number.NaN);
  return behind === 7 || (behind >= 9 && behind <= 15);
}

/** Converts a colour from the settings, such as `bold #ff8800 on 236`, to SGR parameters; undefined if it is invalid. */
export function colorOf(written: string): string | undefined {
  const parameters: string[] = [];
  let isBehind = false;
  for (const word of written.trim().toLowerCase().split(/\s+/)) {
    if (word === "on") isBehind = true;
    else {
      const parameter = attributes[word] ?? colorParameter(word, isBehind);
      if (parameter === undefined) return undefined;
      parameters.push(parameter);
      isBehind = false;
    }
  }
  return parameters.filter((each) => each !== "").join(";");
}

const attributes: Readonly<Record<string, string>> = {
  plain: "",
  bold: "1",
  dim: "2",
  italic: "3",
  underline: "4",
  inverse: "7",
};
const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function colorParameter(word: string, isBehind: boolean): string | undefined {
  const layer = isBehind ? 48 : 38;
  if (/^#[0-9a-f]{6}$/.test(word)) {
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(word.slice(at, at + 2), 16));
    return `${layer};2;${red};${green};${blue}`;
  }
  if (/^\d{1,3}$/.test(word)) return Number(word) < 256 ? `${layer};5;${Number(word)}` : undefined;
  const bright = word.startsWith("bright-");
  const index = names.indexOf(bright ? word.slice(7) : word);
  return index < 0 ? undefined : String((isBehind ? 40 : 30) + (bright ? 60 : 0) + index);
}
