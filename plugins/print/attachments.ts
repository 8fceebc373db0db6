import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { codeOf } from "@scorel/kernel";
import { imageType, isSvg } from "@scorel/kit/files/image-type";
import { typedPath } from "@scorel/kit/files/typed-path";
import { fenced } from "@scorel/kit/text/fence";
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
  if (mimeType !== undefined) return { type: "image", data: bytes.toString("base64"), mimeType };
  if (!isSvg(bytes)) throw errors.PRINT_ATTACHMENT({ path, reason: "it is not an image" });
  assertSize(path, bytes.length, MAX_TEXT_BYTES);
  if (!isUtf8(bytes)) throw errors.PRINT_ATTACHMENT({ path, reason: "it is neither UTF-8 text nor an image" });
  return { type: "text", text: fenced(bytes.toString("utf8").replace(/\n$/, ""), path) };
}

function readBytes(path: string, cwd: string): Buffer {
  const full = typedPath(path, cwd);
  try {
    const stat = statSync(full);
    if (!stat.isFile()) throw errors.PRINT_ATTACHMENT({ path, reason: "it is not a regular file" });
    assertSize(path, stat.size, MAX_IMAGE_BYTES);
    return readFileSync(full);
  } catch (thrown) {
    const { syscall } = thrown as NodeJS.ErrnoException;
    if (syscall === undefined) throw thrown;
    const reason = codeOf(thrown) === "ENOENT" ? "it does not exist" : `it cannot be read (${codeOf(thrown)})`;
    throw errors.PRINT_ATTACHMENT({ path, reason }, { cause: thrown });
  }
}

function assertSize(path: string, length: number, most: number): void {
  if (length > most) throw errors.PRINT_ATTACHMENT({ path, reason: `it has ${length} bytes, more than ${most}` });
}
