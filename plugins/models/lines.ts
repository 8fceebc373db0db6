import { createInterface } from "node:readline";
import type { Invocation } from "@scorel/cli/contract";

/** Lines of the standard input, one for each question. */
export interface Lines {
  /** The next line, without its break; undefined when there is no more. */
  next(): Promise<string | undefined>;
  /** Lets go of the standard input. */
  close(): void;
}

/** The terminal stays as it is: what is typed is seen, and Ctrl-C is an interrupt. */
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
