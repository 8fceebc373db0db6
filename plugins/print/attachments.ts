import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "@scorel/kernel";
import { imageType, isSvg } from "@scorel/kit/files/image-type";
import type { ImageBlock, TextBlock } from "@scorel/messages/contract";
import { errors } from "./errors.ts";

/** Maximum size of an SVG, which is attached as text. */
const MAX_TEXT_BYTES = 512 * 1024;
/** Maximum size of an attached image. The session shrinks images for its model. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** Reads an image by its path, an SVG as text. Throws PRINT_ATTACHMENT. */
export function readImage(path: string, cwd: string): ImageBlock | TextBlock {
  const bytes = readBytes(path, cwd);
  const mimeType = imageType(bytes);
  if (mimeType !== undefined) {
    assertSize(path, bytes, MAX_IMAGE_BYTES);
    return { type: "image", data: bytes.toString("base64"), mimeType };
  }
  if (!isSvg(bytes)) throw errors.PRINT_ATTACHMENT({ path, reason: "it is not an image" });
  assertSize(path, bytes, MAX_TEXT_BYTES);
  return { type: "text", text: fenced(path, bytes) };
}

function readBytes(path: string, cwd: string): Buffer {
  const full = path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(cwd, path);
  try {
    if (!statSync(full).isFile()) throw errors.PRINT_ATTACHMENT({ path, reason: "it is not a regular file" });
    return readFileSync(full);
  } catch (thrown) {
    const { syscall } = thrown as NodeJS.ErrnoException;
    if (syscall === undefined) throw thrown;
    const reason = codeOf(thrown) === "ENOENT" ? "it does not exist" : `it cannot be read (${codeOf(thrown)})`;
    throw errors.PRINT_ATTACHMENT({ path, reason }, { cause: thrown });
  }
}

function assertSize(path: string, { length }: Buffer, most: number): void {
  if (length > most) throw errors.PRINT_ATTACHMENT({ path, reason: `it has ${length} bytes, more than ${most}` });
}

/** Returns a code block with a fence that is longer than any inside. */
function fenced(path: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw errors.PRINT_ATTACHMENT({ path, reason: "it is neither UTF-8 text nor an image" });
  const text = bytes.toString("utf8").replace(/\n$/, "");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${path}\n${text}\n${fence}`;
}
