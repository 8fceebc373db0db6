import { addAbortSignal } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { errors } from "./errors.ts";

const PATIENCE_MS = 3000;

/** The prompt of `-p`, with what is piped in after it; undefined when interrupted. Throws PRINT_EMPTY_PROMPT. */
export async function readPrompt(invocation: Invocation): Promise<string | undefined> {
  const given = String(invocation.options.print ?? "");
  const piped = invocation.stdin.isTTY ? "" : await readPiped(invocation);
  if (piped === undefined) return undefined;
  const prompt = [given, piped.replace(/\r?\n$/, "")].filter((part) => part.trim() !== "").join("\n\n");
  if (prompt === "") throw errors.PRINT_EMPTY_PROMPT();
  return prompt;
}

/** All of stdin. Someone who forgot to close it is told what is being waited for. */
async function readPiped({ stdin, stderr, interrupt }: Invocation): Promise<string | undefined> {
  const waiting = "Waiting for the end of standard input; redirect it from /dev/null when there is none.\n";
  const timer = setTimeout(() => stderr.write(waiting), PATIENCE_MS);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(interrupt, stdin)) {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk as Buffer));
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (thrown) {
    if (interrupt.aborted) return undefined;
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}
