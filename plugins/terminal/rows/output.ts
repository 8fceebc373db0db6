import { safeOutput } from "./safe.ts";
import { wrapped } from "./wrap.ts";

/** The output of a command, as it is; further lines of a row of a table begin where its second column does. */
export function outputLines(text: string, width: number): string[] {
  return safeOutput(text.trimEnd())
    .split("\n")
    .flatMap((line) => wrapped(line, width, hanging(line, width)));
}

/** The widest first column of a table. */
const WIDEST = 40;
/** The least room beside the first column. With less, further lines begin near the left edge. */
const LEAST = 16;
const INDENT = 4;

function hanging(line: string, width: number): string {
  const head = /^\s*\S.*?\s{2,}(?=\S)/.exec(line.slice(0, WIDEST + 1))?.[0] ?? "";
  return " ".repeat(width - head.length < LEAST ? Math.min(INDENT, head.length) : head.length);
}
