import { isUtf8 } from "node:buffer";

/** The most bytes of a file that go through a client. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** The text of a file that an editor can have open as it is; undefined for what is too large, binary, or not UTF-8. */
export function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.length > MOST_BYTES || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return Buffer.from(bytes).toString("utf8");
}

/**
 * The bytes that an editor would save: with the byte order mark and the line breaks of the file on the disk. Undefined if that is what the
 * file has already. Editors keep the mark, the kind of line breaks and the last one apart from the text, and may leave them out.
 */
export function unsavedIn(text: string, saved: string): Buffer | undefined {
  if (lines(text) === lines(saved)) return undefined;
  const mark = saved.startsWith("\ufeff") && !text.startsWith("\ufeff") ? "\ufeff" : "";
  const crlf = hasOnlyCrlf(saved) && !text.includes("\r");
  return Buffer.from(mark + (crlf ? text.replaceAll("\n", "\r\n") : text));
}

function lines(text: string): string {
  return text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .replace(/\n$/, "");
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !text.replaceAll("\r\n", "").includes("\n");
}
