import { isUtf8 } from "node:buffer";

/** A file name as text; bytes that are not UTF-8 are written as `\xHH`. */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    text += length > 0 ? bytes.toString("utf8", at, at + length) : `\\x${bytes.toString("hex", at, at + 1)}`;
    at += Math.max(length, 1);
  }
  return text;
}

/** The inverse of `decodeName`. */
export function encodeName(text: string): Buffer {
  const parts = text.split(/\\x([0-9a-f]{2})/);
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 ? "hex" : "utf8")));
}

/** Whether a text may be an escaped name. */
export function mayBeEncoded(text: string): boolean {
  return /\\x[0-9a-f]{2}/.test(text);
}

/** The length of the UTF-8 character at `at`; 0 if there is none. */
function characterLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  return 0;
}

/** Normalises a name as some file systems do: case, ignorable characters, trailing dots and blanks. */
export function fold(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
