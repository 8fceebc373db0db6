import { isUtf8 } from "node:buffer";

/** Most bytes of a file that is read or written through a client. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** The text of a file as an editor can show it; undefined if it is too large, binary, or not UTF-8. */
export function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.length > MOST_BYTES || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  return Buffer.from(bytes).toString("utf8");
}

/**
 * The bytes that an editor would save, with the byte order mark and the kind of line breaks that the file on disk has. Undefined if the
 * file already has this content. Editors handle the mark, the line breaks and the last line break separately from the text, and may leave
 * them out.
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
