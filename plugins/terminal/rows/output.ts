import { safeOutput } from "./safe.ts";
import { wrapped } from "./wrap.ts";

/** The output of a command, as it is; further lines of a row of a table begin where its second column does. */
export function outputLines(text: string, width: number): string[] {
  return safeOutput(text.trimEnd())
    .split("\n")
    .flatMap((line) => wrapped(line, width, hanging(line)));
}

/** The widest first column of a table. */
const WIDEST = 40;

function hanging(line: string): string {
  const head = /^\s*\S.*?\s{2,}(?=\S)/.exec(line.slice(0, WIDEST + 1))?.[0] ?? "";
  return " ".repeat(head.length);
}
