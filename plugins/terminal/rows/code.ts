import type { Tokens } from "marked";
import type { Drawing } from "./drawing.ts";
import type { Coloured } from "./growing-code.ts";
import { wrapped } from "./wrap.ts";

/** Code longer than this is shown without colours, which would take long to find. */
const MAX_COLOURED = 60_000;

/** A block of code: coloured, indented, long lines broken. */
export function codeLines(
  { text, lang = "" }: Pick<Tokens.Code, "text" | "lang">,
  width: number,
  drawing: Drawing,
): string[] {
  const { theme, highlight, growing } = drawing;
  const named = /^[\w+#.-]*/.exec(lang)?.[0] ?? "";
  const language = text.length <= MAX_COLOURED ? named : "";
  const draw = (code: string): Coloured => {
    const coloured = language === "" ? undefined : highlight?.(code, language);
    const lines = coloured?.lines ?? code.split("\n").map((line) => theme.style("code", line));
    const broken = lines.flatMap((line) => wrapped(line, Math.max(8, width - 2), "  "));
    return { lines: broken.map((line) => `  ${line}`), isWhole: coloured?.isWhole ?? true };
  };
  const name = named === "" ? [] : [theme.style("faint", `  ${named}`)];
  const lines = growing ? growing.lines(text, `${width} ${language}`, draw) : draw(text).lines;
  return [...name, ...lines];
}
