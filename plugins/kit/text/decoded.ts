import { isUtf8 } from "node:buffer";

/** Text from bytes: UTF-8, or Latin-1 for any other encoding with a byte per character. */
export function decoded(bytes: Buffer): string {
  return bytes.toString(encodingOf(bytes));
}

/** The encoding in which bytes are shown as text. */
export function encodingOf(bytes: Buffer): "utf8" | "latin1" {
  return isUtf8(bytes) ? "utf8" : "latin1";
}
