import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
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

/** Asks a yes-or-no question until it is answered. An empty answer counts as no, as do Ctrl-C and Ctrl-D. */
export async function agrees(question: string, streams: Streams): Promise<boolean> {
  for (;;) {
    const decided = decisionIn(await answerTo(question, streams));
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
 * Asks a question and returns the typed line; "" after Ctrl-C, Ctrl-D, or the end of the input. Characters in the question that
 * are invisible or change the direction of text are escaped, so that the user sees what they decide about. What was typed at a terminal
 * before the question appeared is dropped.
 */
export async function answerTo(
  question: string,
  { stdin, stdout, terminal = stdout, interrupt }: Streams,
): Promise<string> {
  if (stdin.readableEnded || interrupt.aborted) return "";
  forgiveClosed(stdin);
  // Only a real terminal keeps input that was typed before it is read.
  const keepsInput = stdin.isTTY === true && typeof stdin.setRawMode === "function";
  if (keepsInput && !(await dropTypedAhead(stdin, interrupt))) return "";
  const lines = createInterface({ input: stdin, output: terminal, terminal: stdout.isTTY === true });
  const leave = () => lines.close();
  interrupt.addEventListener("abort", leave, { once: true });
  return new Promise((resolve) => {
    let answer: string | undefined;
    lines.on("SIGINT", leave);
    lines.on("close", () => {
      interrupt.removeEventListener("abort", leave);
      // The question was interrupted in the middle of a line, and later output should begin on a new one.
      if (answer === undefined) stdout.write("\n");
      resolve(answer ?? "");
    });
    lines.question(fitted(visibleText(question), stdout), (line) => {
      answer = line;
      leave();
    });
  });
}

/** Wraps a text at words to the width of the terminal. Without a terminal, returns it unchanged. */
export function fitted(text: string, { isTTY, columns = 0 }: Streams["stdout"]): string {
  if (!isTTY || columns === 0) return text;
  const end = /\s*$/.exec(text)?.[0] ?? "";
  return rowsOfWidth(text.slice(0, text.length - end.length), columns - end.length) + end;
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
