import { safeOutput } from "./safe.ts";
import { wrapped } from "./wrap.ts";

/** The output of a command, as it is. A broken row of a table continues below its second column. */
export function outputLines(text: string, width: number): string[] {
  return safeOutput(text.trimEnd())
    .split("\n")
    .flatMap((line) => wrapped(line, width, hanging(line, width)));
}

/** The widest first column of a table. */
const WIDEST = 40;
/** The fewest columns beside the first column. With fewer, the continuation begins near the left edge. */
const LEAST = 16;
const INDENT = 4;

function hanging(line: string, width: number): string {
  const head = /^\s*\S.*?\s{2,}(?=\S)/.exec(line.slice(0, WIDEST + 1))?.[0] ?? "";
  return " ".repeat(width - head.length < LEAST ? Math.min(INDENT, head.length) : head.length);
}
