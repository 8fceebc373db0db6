/** Loaded with the first code that names its language, since it is large. */
import hljs from "highlight.js/lib/common";
import { type Colour, piecesOf } from "./pieces.ts";

export const colour: Colour = (code, language) => {
  if (!hljs.getLanguage(language)) return undefined;
  return piecesOf(hljs.highlight(code, { language, ignoreIllegals: true }).value);
};
