import { createInterface } from "node:readline";
import type { Invocation } from "@scorel/cli/contract";
import { errors } from "./errors.ts";

/** Reads lines of standard input, one per question. */
export interface Lines {
  /** Returns the next line; undefined at the end of input. */
  next(): Promise<string | undefined>;
  /** Returns the next line, trimmed. Throws MODELS_LOGIN_CANCELLED after Ctrl-C, and MODELS_LOGIN_ENDED at the end of input. */
  answer(): Promise<string>;
  /** Stops reading standard input. */
  close(): void;
}

/** Creates a line reader that leaves the terminal's mode unchanged: input is visible and Ctrl-C interrupts. */
export function createLines({ stdin, stdout, interrupt }: Pick<Invocation, "stdin" | "stdout" | "interrupt">): Lines {
  const reader = createInterface({ input: stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const close = () => {
    interrupt.removeEventListener("abort", close);
    reader.close();
  };
  interrupt.addEventListener("abort", close, { once: true });
  const next = async () => (await lines.next()).value as string | undefined;
  const answer = async () => {
    const line = await next();
    if (interrupt.aborted) {
      // The question was left in the middle of a line.
      stdout.write("\n");
      throw errors.MODELS_LOGIN_CANCELLED();
    }
    if (line === undefined) throw errors.MODELS_LOGIN_ENDED();
    return line.trim();
  };
  return { close, next, answer };
}
