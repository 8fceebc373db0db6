import { isUtf8 } from "node:buffer";
import { readFileSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "@scorel/kernel";
import { imageType, isSvg } from "@scorel/kit/files/image-type";
import type { ImageBlock } from "@scorel/messages/contract";
import { errors } from "./errors.ts";

/** Maximum size of an attached text file. */
const MAX_TEXT_BYTES = 512 * 1024;
/** Maximum size of an attached image. The session shrinks images for its model. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** Files attached to a prompt. */
export interface Attachments {
  /** Text files, each in a fenced block with its name. */
  texts: string[];
  images: ImageBlock[];
}

/**
 * Attaches the existing files that a prompt mentions as `@path` or `@"path with spaces"`. Any other `@` is left alone.
 */
export function attachedTo(prompt: string, cwd: string): Attachments {
  const words = [...prompt.matchAll(/(?<=^|\s|\()@(?:"([^"\n]+)"|(\S+))/g)];
  const paths = words.flatMap(([, quoted, word = ""]) => namedFile(quoted === undefined ? word : quoted, cwd) ?? []);
  const attached: Attachments = { texts: [], images: [] };
  for (const path of new Set(paths)) {
    const bytes = readBytes(path, cwd);
    const image = imageOf(path, bytes);
    if (image) attached.images.push(image);
    else attached.texts.push(fenced(path, bytes));
  }
  return attached;
}

/** Attaches an image by its path; SVG is attached as text. Throws PRINT_ATTACHMENT. */
export function attachImage(path: string, cwd: string, attached: Attachments): void {
  const bytes = readBytes(path, cwd);
  const image = imageOf(path, bytes);
  if (image) attached.images.push(image);
  else if (isSvg(bytes)) attached.texts.push(fenced(path, bytes));
  else throw errors.PRINT_ATTACHMENT({ path, reason: "it is no image" });
}

/** Returns the path as written, or without trailing punctuation, if it is a file. */
function namedFile(word: string, cwd: string): string | undefined {
  const candidates = [word, word.replace(/[.,;:!?)\]}'"]+$/, "")];
  return candidates.find((path) => path !== "" && statOf(path, cwd)?.isFile());
}

function statOf(path: string, cwd: string): Stats | undefined {
  return statSync(full(path, cwd), { throwIfNoEntry: false });
}

function full(path: string, cwd: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(cwd, path);
}

function readBytes(path: string, cwd: string): Buffer {
  try {
    const stats = statSync(full(path, cwd));
    if (!stats.isFile()) throw errors.PRINT_ATTACHMENT({ path, reason: "it is no regular file" });
    return readFileSync(full(path, cwd));
  } catch (thrown) {
    const { syscall } = thrown as NodeJS.ErrnoException;
    if (syscall === undefined) throw thrown;
    const reason = codeOf(thrown) === "ENOENT" ? "it does not exist" : `it cannot be read (${codeOf(thrown)})`;
    throw errors.PRINT_ATTACHMENT({ path, reason }, { cause: thrown });
  }
}

function imageOf(path: string, bytes: Buffer): ImageBlock | undefined {
  const mimeType = imageType(bytes);
  if (mimeType === undefined) return undefined;
  if (bytes.length > MAX_IMAGE_BYTES)
    throw errors.PRINT_ATTACHMENT({ path, reason: `it has ${bytes.length} bytes, more than ${MAX_IMAGE_BYTES}` });
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

/** Returns a code block with a fence that is longer than any inside. */
function fenced(path: string, bytes: Buffer): string {
  if (bytes.length > MAX_TEXT_BYTES)
    throw errors.PRINT_ATTACHMENT({ path, reason: `it has ${bytes.length} bytes, more than ${MAX_TEXT_BYTES}` });
  if (!isUtf8(bytes) || bytes.includes(0))
    throw errors.PRINT_ATTACHMENT({ path, reason: "it is neither UTF-8 text nor an image" });
  const text = bytes.toString("utf8").replace(/\n$/, "");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${path}\n${text}\n${fence}`;
}
