import type { Tokens } from "marked";
import type { Drawing } from "./drawing.ts";
import { wrapped } from "./wrap.ts";

/** Code longer than this is shown without colours, which would take long to find. */
const MAX_COLOURED = 60_000;

/** A block of code: coloured, indented, long lines broken. */
export function codeLines(
  { text, lang = "" }: Pick<Tokens.Code, "text" | "lang">,
  width: number,
  drawing: Drawing,
): string[] {
  const { theme, highlight } = drawing;
  const language = /^[\w+#.-]*/.exec(lang)?.[0] ?? "";
  const coloured = text.length <= MAX_COLOURED && language !== "" ? highlight?.(text, language) : undefined;
  const lines = coloured ?? text.split("\n").map((line) => theme.style("code", line));
  const name = language === "" ? [] : [theme.style("faint", `  ${language}`)];
  return [...name, ...lines.flatMap((line) => wrapped(line, Math.max(8, width - 2), "  ")).map((line) => `  ${line}`)];
}
