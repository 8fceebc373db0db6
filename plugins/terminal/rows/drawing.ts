import type { Theme } from "../theme/theme.ts";
import type { Coloured, GrowingCode } from "./growing-code.ts";

/** What Markdown is drawn with. */
export interface Drawing {
  theme: Theme;
  /** Colours code; undefined until that is loaded, and for unknown languages. */
  highlight?: ((code: string, language: string) => Coloured | undefined) | undefined;
  /** What keeps the lines of code that is still arriving. */
  growing?: GrowingCode;
}
