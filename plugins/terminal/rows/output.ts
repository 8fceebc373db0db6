import { safeOutput } from "./safe.ts";
import { wrapped } from "./wrap.ts";

/** The output of a command, as it is; further lines of a row of a table begin where its second column does. */
export function outputLines(text: string, width: number): string[] {
  return safeOutput(text.trimEnd())
    .split("\n")
    .flatMap((line) => wrapped(line, width, hanging(line)));
}

function hanging(line: string): string {
  const head = /^\s*\S.*?\s{2,}(?=\S)/.exec(line)?.[0] ?? "";
  return head.length > 0 && head.length <= 40 ? " ".repeat(head.length) : "";
}
