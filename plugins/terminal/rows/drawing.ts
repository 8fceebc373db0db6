import type { Theme } from "../theme/theme.ts";
import type { Coloured, GrowingCode } from "./growing-code.ts";

/** Options for drawing Markdown. */
export interface Drawing {
  theme: Theme;
  /** Colours code; undefined until that is loaded, and for unknown languages. */
  highlight?: ((code: string, language: string) => Coloured | undefined) | undefined;
  /** Keeps the finished lines of a code block that is still arriving. */
  growing?: GrowingCode;
}
