import { clause } from "@scorel/kit/text/one-line";

/** Lines that are shown where none tells what is wrong, and characters in all. */
const LINES = 3;
const MOST = 500;
/** Words of lines that tell what is wrong. */
const TELLING =
  /\b(error|exception|fatal|panic|cannot|can't|could not|failed|denied|refused|not found|no such|missing|required|invalid)\b/i;
/** Lines of a stack, which follow or come before such a line. */
const STACK = /^\s*(at |File "|\^|~|Traceback)/;

/** What a program that has ended wrote to its standard error about the reason, as one line; empty if it wrote nothing. */
export function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.findLast((line) => TELLING.test(line) && !STACK.test(line));
  const end = lines.slice(-LINES);
  const shown = telling === undefined || end.includes(telling) ? end : [telling];
  return clause(shown.map((line) => line.trim()).join("\n")).slice(0, MOST);
}
