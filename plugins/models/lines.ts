import { createInterface } from "node:readline";
import type { Invocation } from "@scorel/cli/contract";
import { errors } from "./errors.ts";

type Streams = Pick<Invocation, "stdin" | "stdout" | "interrupt">;

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
export function createLines({ stdin, stdout, interrupt }: Streams): Lines {
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

/** Reads the first line of a pipe, and leaves the rest to the next reader. Throws as `Lines.answer` does. */
export async function pipedAnswer({ stdin, stdout, interrupt }: Streams): Promise<string> {
  const pieces: Buffer[] = [];
  const reader = stdin.iterator({ destroyOnReturn: false });
  const ended = new Promise<{ value: undefined }>((done) => {
    interrupt.addEventListener("abort", () => done({ value: undefined }), { once: true });
  });
  for (let isWhole = false; !isWhole; ) {
    const { value } = await Promise.race([reader.next(), ended]);
    if (interrupt.aborted) {
      stdout.write("\n");
      throw errors.MODELS_LOGIN_CANCELLED();
    }
    if (value === undefined) break;
    const piece = Buffer.from(value as Buffer | string);
    const end = piece.indexOf("\n");
    isWhole = end >= 0;
    pieces.push(isWhole ? piece.subarray(0, end) : piece);
    if (isWhole) await reader.return?.();
    if (isWhole && end + 1 < piece.length) stdin.unshift(piece.subarray(end + 1));
  }
  if (pieces.length === 0) throw errors.MODELS_LOGIN_ENDED();
  return Buffer.concat(pieces).toString("utf8").trim();
}
