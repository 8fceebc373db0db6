import type { Token } from "marked";
import type { Theme } from "../theme/theme.ts";

/** What Markdown is drawn with. */
export interface Drawing {
  theme: Theme;
  /** Splits Markdown; undefined until marked is loaded, and text is shown as it is meanwhile. */
  lex: ((text: string) => Token[]) | undefined;
  /** Colours code, a line each; undefined until that is loaded, and for unknown languages. */
  highlight?: ((code: string, language: string) => string[] | undefined) | undefined;
}
