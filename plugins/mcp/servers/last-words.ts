import { clause } from "@scorel/kit/text/one-line";

/** Number of last lines that are shown if no line names an error, and the most characters in all. */
const LINES = 3;
const MOST = 500;
/** Words by which a line that names an error is recognized. */
const TELLING =
  /\b(error|exception|fatal|panic|cannot|can't|could not|failed|denied|refused|not found|no such|missing|required|invalid)\b/i;
/** Lines of a stack trace. */
const STACK = /^\s*(at |File "|\^|~|Traceback)/;

/**
 * The part of a program's standard error that says why it ended, as one line; empty if there is none. Since it is cut, secrets must have
 * been removed before.
 */
export function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.findLast((line) => TELLING.test(line) && !STACK.test(line));
  const end = lines.slice(-LINES);
  const shown = telling === undefined || end.includes(telling) ? end : [telling];
  return clause(shown.map((line) => line.trim()).join("\n")).slice(0, MOST);
}
