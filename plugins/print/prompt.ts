import { isUtf8 } from "node:buffer";
import { addAbortSignal } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import type { UserMessage } from "@scorel/messages/contract";
import { attachedTo, attachImage } from "./attachments.ts";
import { errors } from "./errors.ts";

const PATIENCE_MS = 3000;

/**
 * Builds the prompt from `-p`, the files it mentions, piped input and `more`; undefined when interrupted. Piped input
 * cannot attach files, since anyone may have written it. Throws PRINT_EMPTY_PROMPT.
 */
export async function readPrompt(invocation: Invocation, more?: string): Promise<UserMessage["content"] | undefined> {
  const { options, cwd } = invocation;
  const given = String(options.print ?? "");
  const attached = attachedTo(given, cwd);
  for (const path of (options.image ?? []) as string[]) attachImage(path, cwd, attached);
  const { texts, images } = attached;
  const piped = invocation.stdin.isTTY ? "" : await readPiped(invocation);
  if (piped === undefined) return undefined;
  const parts = [given, ...texts, piped.replace(/\r?\n$/, "")].filter((part) => part.trim() !== "");
  if (parts.length + images.length === 0) throw errors.PRINT_EMPTY_PROMPT();
  const text = [...parts, ...(more === undefined ? [] : [more])].join("\n\n");
  if (images.length === 0) return text;
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images];
}

/** Reads all of stdin, with a hint when it stays open. Throws PRINT_STDIN_BINARY. */
async function readPiped({ stdin, stderr, interrupt }: Invocation): Promise<string | undefined> {
  const waiting = "Waiting for the end of standard input; redirect it from /dev/null when there is none.\n";
  const timer = setTimeout(() => stderr.write(waiting), PATIENCE_MS);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(interrupt, stdin)) {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk as Buffer));
    }
    return asText(Buffer.concat(chunks));
  } catch (thrown) {
    if (interrupt.aborted) return undefined;
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

function asText(bytes: Buffer): string {
  if (!isUtf8(bytes) || bytes.includes(0)) throw errors.PRINT_STDIN_BINARY({ bytes: bytes.length });
  return bytes.toString("utf8");
}
