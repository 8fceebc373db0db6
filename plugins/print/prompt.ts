import { isUtf8 } from "node:buffer";
import { addAbortSignal } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import type { UserMessage } from "@scorel/messages/contract";
import { readImage } from "./attachments.ts";
import { errors } from "./errors.ts";

const PATIENCE_MS = 3000;
/** Largest piped input in bytes. No model reads as much. */
const MOST_PIPED = 16 * 1024 * 1024;

/** The marks of files (`@path`) and skills (`$name`, `/skill:name`) in text. */
const NAMING = /[@$]|\/skill:/;

/** The message that is sent to the session. */
export interface Prompt {
  content: UserMessage["content"];
  /** Whether the files that the first text mentions as `@path` are attached, and the skills that it names are loaded. */
  mentions: boolean;
}

/**
 * Builds the prompt from `-p`, its images, piped input and `more`; undefined when interrupted. Only the text of `-p` can mention files and
 * name skills, since anyone may have written piped input. Throws PRINT_EMPTY_PROMPT.
 */
export async function readPrompt(invocation: Invocation, more?: string): Promise<Prompt | undefined> {
  const { options, cwd } = invocation;
  const given = String(options.print ?? "");
  const files = ((options.image ?? []) as string[]).map((path) => readImage(path, cwd));
  const piped = invocation.stdin.isTTY ? "" : await readPiped(invocation);
  if (piped === undefined) return undefined;
  const texts = [given, ...files.map(textIn), piped.replace(/\r?\n$/, "")].filter((text) => text.trim() !== "");
  const images = files.filter((block) => block.type === "image");
  if (texts.length + images.length === 0) throw errors.PRINT_EMPTY_PROMPT();
  if (more !== undefined) texts.push(more);
  // The text of `-p`, which may name files and skills, stays separate from text that others may have written.
  const mentions = NAMING.test(given);
  const parts = mentions ? texts : [texts.join("\n\n")].filter((text) => text !== "");
  const [only = "", ...further] = parts;
  if (further.length + images.length === 0) return { content: only, mentions };
  return { content: [...parts.map((text) => ({ type: "text" as const, text })), ...images], mentions };
}

function textIn(block: ReturnType<typeof readImage>): string {
  return block.type === "text" ? block.text : "";
}

/** Reads all of stdin, with a hint when it stays open. Throws PRINT_STDIN_BINARY and PRINT_STDIN_SIZE. */
async function readPiped({ stdin, stderr, interrupt }: Invocation): Promise<string | undefined> {
  const waiting = "Waiting for the end of standard input; redirect it from /dev/null when there is none.\n";
  const timer = setTimeout(() => stderr.write(waiting), PATIENCE_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(interrupt, stdin)) {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk as Buffer));
      bytes += chunk.length;
      if (bytes > MOST_PIPED) throw errors.PRINT_STDIN_SIZE({ limit: MOST_PIPED / 2 ** 20 });
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
