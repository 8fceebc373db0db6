import { closeSync, fstatSync, readFileSync } from "node:fs";
import { imageType } from "@scorel/kit/files/image-type";
import { openToRead } from "@scorel/kit/files/open";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { UserMessage } from "@scorel/messages/contract";
import { errors } from "../errors.ts";
import type { Attachment, Submission } from "../parts.ts";
import { isImagePath } from "./dropped-image.ts";

/** The most bytes of a picture's file. The host makes pictures smaller for the model; larger files are hardly pictures. */
const MOST_BYTES = 20_000_000;

type Content = UserMessage["content"];

/** The content of a message: its text and the pictures attached to it. Throws TERMINAL_IMAGE for a picture that cannot be read. */
export function contentOf({ text, attachments = [] }: Pick<Submission, "text"> & Partial<Submission>): Content {
  const images = attachments.flatMap(imagesOf);
  return images.length === 0 ? text : [{ type: "text", text }, ...images];
}

/** The image block of an attachment in an array; empty for other files. */
function imagesOf({ mark, path, image }: Attachment) {
  if (image) return [imageBlock(image, mark)];
  return path !== undefined && isImagePath(path) ? [imageBlock(readImage(path), path)] : [];
}

function imageBlock(bytes: Uint8Array, path: string) {
  const mimeType = imageType(bytes);
  if (mimeType === undefined) throw errors.TERMINAL_IMAGE({ path, reason: "it is not a picture" });
  return { type: "image" as const, data: Buffer.from(bytes).toString("base64"), mimeType };
}

function readImage(path: string): Uint8Array {
  let fd: number | undefined;
  try {
    fd = openToRead(path);
    if (fstatSync(fd).size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 1_000_000} MB`);
    return readFileSync(fd);
  } catch (thrown) {
    throw errors.TERMINAL_IMAGE({ path, reason: messageOf(thrown) }, { cause: thrown });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
