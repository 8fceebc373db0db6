import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
import { codeOf } from "@scorel/kernel";
import { visibleText } from "../text/plain.ts";

/** The streams of the process that asks, and what interrupts the question (Ctrl-C). */
export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /** The same stream without the filter for control characters; default: `stdout`. */
  terminal?: NodeJS.WriteStream;
  interrupt: AbortSignal;
}

/** Asks a person; anything but a yes is a no, so are Ctrl-C and Ctrl-D. */
export async function agrees(question: string, streams: Streams): Promise<boolean> {
  return isYes(await answerTo(question, streams));
}

/** Whether a person means yes by what they typed. */
export const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer);

/**
 * A line that a person types; nothing when they leave the question with Ctrl-C or Ctrl-D, or nobody types any more. Characters
 * that nobody sees, or that turn text round, are written out in the question, since something is decided by it.
 */
export async function answerTo(
  question: string,
  { stdin, stdout, terminal = stdout, interrupt }: Streams,
): Promise<string> {
  if (stdin.readableEnded || interrupt.aborted) return "";
  forgiveClosed(stdin);
  const lines = createInterface({ input: stdin, output: terminal, terminal: stdout.isTTY === true });
  const leave = () => lines.close();
  interrupt.addEventListener("abort", leave, { once: true });
  return new Promise((resolve) => {
    let answer: string | undefined;
    lines.on("SIGINT", leave);
    lines.on("close", () => {
      interrupt.removeEventListener("abort", leave);
      // What is said next does not belong to the question.
      if (answer === undefined) stdout.write("\n");
      resolve(answer ?? "");
    });
    lines.question(visibleText(question), (line) => {
      answer = line;
      leave();
    });
  });
}

/** A terminal that was closed cannot be set back, which is no failure; the signal that says so follows. */
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
