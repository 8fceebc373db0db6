import { isHighlightable } from "@scorel/kit/markdown/highlighted";
import type { Drawing } from "./drawing.ts";
import type { Coloured } from "./growing-code.ts";
import { wrapped } from "./wrap.ts";

interface Code {
  text: string;
  language: string;
  /** Whether the beginning of the code, with the name of its language, was drawn before. */
  isRest?: boolean;
}

/** A block of code: coloured, indented, long lines broken. */
export function codeLines({ text, language: info, isRest = false }: Code, width: number, drawing: Drawing): string[] {
  const { theme, highlight, growing } = drawing;
  const named = /^[\w+#.-]*/.exec(info)?.[0] ?? "";
  const language = isHighlightable(text) ? named : "";
  const draw = (code: string): Coloured => {
    const coloured = language === "" ? undefined : highlight?.(code, language);
    const lines = coloured?.lines ?? code.split("\n").map((line) => theme.style("code", line));
    const broken = lines.flatMap((line) => wrapped(line, Math.max(4, width - 2), "  "));
    return { lines: broken.map((line) => `  ${line}`), isWhole: coloured?.isWhole ?? true };
  };
  const name = named === "" || isRest ? [] : [theme.style("muted", `  ${named}`)];
  const lines = growing ? growing.lines(text, `${width} ${language}`, draw) : draw(text).lines;
  return [...name, ...lines];
}
