import { extname } from "node:path";

const SNIFFED = 512;

/** The first bytes of file types. */
const MAGIC: readonly [mime: string, bytes: readonly number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["application/gzip", [0x1f, 0x8b]],
  ["application/zip", [0x50, 0x4b, 0x03, 0x04]],
];
/** Types that only the file extension tells apart, for zip archives and for text. */
const ZIPPED: Readonly<Record<string, string>> = {
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};
const TEXTS: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown",
  ".svg": "image/svg+xml",
  ".xml": "text/xml",
};

/**
 * A file's MIME type, determined by its first bytes and then its extension. `cut` says that the file continues after
 * these bytes.
 */
export function mimeOf(name: string, bytes: Buffer, cut = false): string {
  const magic = MAGIC.find(([, begin]) => begin.every((byte, at) => bytes[at] === byte))?.[0];
  const extension = extname(name).toLowerCase();
  if (magic === "application/zip") return ZIPPED[extension] ?? magic;
  if (magic !== undefined) return magic;
  const head = bytes.subarray(0, SNIFFED);
  if (head[0] === 0x52 && head.toString("latin1", 8, 12) === "WEBP") return "image/webp";
  if (head.includes(0)) return "application/octet-stream";
  const text = textOf(head, cut || bytes.length > SNIFFED);
  if (text === undefined) return "application/octet-stream";
  return TEXTS[extension] ?? marked(text) ?? "text/plain";
}

/** Whether a model can be shown files of this type. */
export function isText(mime: string): boolean {
  return /^text\//.test(mime) || mime === "application/json" || /\+(json|xml)$/.test(mime);
}

function marked(text: string): string | undefined {
  if (/^\s*<(!doctype html|html)\b/i.test(text)) return "text/html";
  return /^\s*<\?xml\b/.test(text) ? "text/xml" : undefined;
}

/** The bytes as text; undefined if they are not UTF-8. With `cut`, an incomplete character at the end is allowed. */
function textOf(bytes: Buffer, cut: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}
