import type { Settings } from "../config.ts";
import type { Keys } from "../keys.ts";
import type { Look } from "../rows/look.ts";
import { chosenTheme, type Rgb } from "../theme/choose.ts";
import type { Theme } from "../theme/theme.ts";
import type { Words } from "../words/words.ts";

type Highlight = NonNullable<Look["drawing"]["highlight"]>;

interface LooksParts {
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
  words: Words;
  keys: Keys;
  pictures: Look["pictures"];
  /** Called when everything has to be drawn again. */
  changed(): void;
}

/** How everything is drawn: the theme, what is folded, and the highlighter for code once it is loaded. */
export class Looks {
  theme: Theme;
  look: Look;
  private readonly parts: LooksParts;
  private highlighter: ((theme: Theme) => Highlight) | undefined;

  constructor(parts: LooksParts) {
    const { settings, env, words, keys, pictures } = parts;
    this.parts = parts;
    this.theme = chosenTheme({ ...settings, env });
    this.look = {
      theme: this.theme,
      words,
      pictures,
      drawing: { theme: this.theme },
      isExpanded: false,
      showsThinking: false,
      expandKey: keys.label("expand"),
      thinkingKey: keys.label("thinking"),
    };
  }

  /** Chooses the theme that suits the terminal's background. */
  suit(background: Rgb): void {
    const { settings, env } = this.parts;
    const theme = chosenTheme({ ...settings, env }, background);
    if (theme.name === this.theme.name) return;
    this.theme = theme;
    this.change({ theme, drawing: { theme, highlight: this.highlighter?.(theme) } });
  }

  /** Colours code from now on. */
  colourCode(highlighter: (theme: Theme) => Highlight): void {
    this.highlighter = highlighter;
    this.change({ drawing: { ...this.look.drawing, highlight: highlighter(this.theme) } });
  }

  /** Shows whole outputs or thinking, or folds them again. */
  toggle(what: "isExpanded" | "showsThinking"): void {
    this.change({ [what]: !this.look[what] });
  }

  private change(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    this.parts.changed();
  }
}
