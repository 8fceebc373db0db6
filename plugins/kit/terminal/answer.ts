import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
import { errors } from "../errors.ts";
import { visibleText } from "../text/plain.ts";
import { rowsOfWidth } from "../text/table-rows.ts";
import { codeOf } from "../values/coded-error.ts";
import { dropTypedAhead } from "./typed-ahead.ts";

/** The streams to ask with, and the signal that ends the question (Ctrl-C). */
export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /** The output without the filter for control characters. Default: `stdout`. */
  terminal?: NodeJS.WriteStream;
  interrupt: AbortSignal;
}

/**
 * Asks a yes-or-no question until it is answered. An empty answer counts as no, as does Ctrl-D. Throws QUESTION_STOPPED at Ctrl-C. What
 * stands above the last line of the question is shown once.
 */
export async function agrees(question: string, streams: Streams): Promise<boolean> {
  const again = question.slice(question.lastIndexOf("\n") + 1);
  for (let asked = question; ; asked = again) {
    const decided = decisionIn(await answerTo(asked, streams));
    if (decided !== undefined) return decided;
    streams.stdout.write("Please answer y or n (Enter: no).\n");
  }
}

/** Parses an answer: true for yes, false for no or an empty line; undefined for anything else. */
export function decisionIn(answer: string): boolean | undefined {
  if (/^\s*y(es)?\s*$/i.test(answer)) return true;
  return /^\s*(no?)?\s*$/i.test(answer) ? false : undefined;
}

/**
 * Asks a question and returns the typed line; "" after Ctrl-D or the end of the input. Throws QUESTION_STOPPED after Ctrl-C, or when
 * `interrupt` aborts. Characters in the question that are invisible or change the direction of text are escaped, so that the user sees
 * what they decide about. What was typed at a terminal before the question appeared is dropped.
 */
export async function answerTo(
  question: string,
  { stdin, stdout, terminal = stdout, interrupt }: Streams,
): Promise<string> {
  if (interrupt.aborted) throw errors.QUESTION_STOPPED();
  if (stdin.readableEnded) return "";
  forgiveClosed(stdin);
  // Only a real terminal keeps input that was typed before it is read.
  const keepsInput = stdin.isTTY === true && typeof stdin.setRawMode === "function";
  if (keepsInput && (await dropTypedAhead(stdin, interrupt))) throw errors.QUESTION_STOPPED();
  if (stdin.readableEnded) return "";
  const lines = createInterface({ input: stdin, output: terminal, terminal: stdout.isTTY === true });
  return new Promise((resolve, reject) => {
    let answer: string | undefined;
    let isStopped = false;
    const stop = () => {
      isStopped = true;
      lines.close();
    };
    interrupt.addEventListener("abort", stop, { once: true });
    lines.on("SIGINT", stop);
    // Readline pauses input for Ctrl-Z and does not resume it.
    lines.on("SIGCONT", () => lines.resume());
    lines.on("close", () => {
      interrupt.removeEventListener("abort", stop);
      // The question was left in the middle of a line, and later output should begin on a new one.
      if (answer === undefined) stdout.write("\n");
      if (isStopped) reject(errors.QUESTION_STOPPED());
      else resolve(answer ?? "");
    });
    lines.question(fitted(visibleText(question), stdout), (line) => {
      answer = line;
      lines.close();
    });
  });
}

/** Wraps a text at words to the width of the terminal. Without a terminal, returns it unchanged. */
export function fitted(text: string, { isTTY, columns = 0 }: Streams["stdout"]): string {
  if (!isTTY || columns === 0) return text;
  const shown = text.trimEnd();
  const end = text.slice(shown.length);
  return rowsOfWidth(shown, columns - end.length) + end;
}

/** Ignores the error of resetting a terminal that was closed. The signal for the closed terminal follows separately. */
export function forgiveClosed(stdin: Partial<ReadStream>): void {
  const { setRawMode } = stdin;
  if (!setRawMode || Object.hasOwn(stdin, "setRawMode")) return;
  stdin.setRawMode = (mode) => {
    try {
      return setRawMode.call(stdin as ReadStream, mode);
    } catch (thrown) {
      if (codeOf(thrown) !== "EIO") throw thrown;
      return stdin as ReadStream;
    }
  };
}
