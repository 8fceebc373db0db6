import { createInterface } from "node:readline";
import type { Invocation } from "@scorel/cli/contract";

/** Reads lines of standard input, one per question. */
export interface Lines {
  /** Returns the next line; undefined at the end of input. */
  next(): Promise<string | undefined>;
  /** Stops reading standard input. */
  close(): void;
}

/** Creates a line reader that leaves the terminal's mode unchanged: input is visible and Ctrl-C interrupts. */
export function createLines({ stdin, interrupt }: Pick<Invocation, "stdin" | "interrupt">): Lines {
  const reader = createInterface({ input: stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const close = () => {
    interrupt.removeEventListener("abort", close);
    reader.close();
  };
  interrupt.addEventListener("abort", close, { once: true });
  return { close, next: async () => (await lines.next()).value as string | undefined };
}
