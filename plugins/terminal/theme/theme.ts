/** The role of text, which determines its colour. */
export type Role =
  | "text"
  | "muted"
  | "faint"
  | "accent"
  | "user"
  | "heading"
  | "strong"
  | "emphasis"
  | "code"
  | "link"
  | "quote"
  | "success"
  | "warning"
  | "error"
  | "tool"
  | "added"
  | "removed"
  | "addedWord"
  | "removedWord"
  | "selected"
  | "bar"
  | "ask"
  | "edits"
  | "plan"
  | "full"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name";

/** The SGR parameters for each role. */
export type Palette = Readonly<Record<Role, string>>;

/** Styles text by role. A theme without colours uses only bold, underlined and inverse text. */
export interface Theme {
  readonly name: string;
  /** Styles text. After coloured parts within the text, the role's style continues. */
  style(role: Role, text: string): string;
}

const ESC = "\u001b";
const RESET = `${ESC}[0m`;

/** Creates a theme from SGR parameters. `over` replaces some of them, for the user's settings. */
export function themeOf(name: string, palette: Palette, over: Readonly<Partial<Record<Role, string>>> = {}): Theme {
  const opening = new Map<Role, string>();
  for (const [role, given] of Object.entries({ ...palette, ...over }) as [Role, string][])
    opening.set(role, given === "" ? "" : `${ESC}[${given}m`);
  return {
    name,
    style(role, text) {
      const begin = opening.get(role) ?? "";
      if (begin === "" || text === "") return text;
      // Continue with the role's style after a part with its own style.
      const inside = text.includes(RESET) ? text.replaceAll(RESET, `${RESET}${begin}`) : text;
      return begin + inside + RESET;
    },
  };
}
