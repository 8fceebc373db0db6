import { isDeeper } from "../text/json-depth.ts";

/** Maximum length of a line, which may be a prompt with images. A longer line is refused, and reading continues with the next one. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Maximum depth of nested arrays and objects in a message. */
const MAX_LEVELS = 200;
/** Maximum length of a message's id and method, since an answer may repeat both. */
const MAX_NAME = 256;

const NEWLINE = 0x0a;

/** A JSON-RPC error about a line without a valid id. */
interface Refusal {
  code: number;
  message: string;
}

const TOO_LONG: Refusal = { code: -32600, message: "Invalid request: a line has more than 32 MiB" };
const NO_JSON: Refusal = { code: -32700, message: "Parse error" };
const TOO_DEEP: Refusal = { code: -32600, message: "Invalid request: it has too many levels" };
const NO_MESSAGE: Refusal = { code: -32600, message: "Invalid request" };

/** The result of reading a line: a message, or the reason why the line is not one. */
export type Read = { message: Record<string, unknown> } | { refusal: Refusal };

/** Reads JSON-RPC messages, one per line. After an invalid line, it continues with the next one. */
export async function* messagesIn(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Read> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const line = (): Read | undefined => {
    const bytes = size > MAX_LINE_BYTES ? undefined : Buffer.concat(parts);
    parts = [];
    size = 0;
    return bytes ? messageIn(bytes.toString("utf8").trim()) : { refusal: TOO_LONG };
  };
  const take = (part: Uint8Array) => {
    size += part.length;
    if (size > MAX_LINE_BYTES) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  for await (const given of input) {
    const chunk = typeof given === "string" ? Buffer.from(given) : given;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      from = end + 1;
      const read = line();
      if (read) yield read;
    }
    take(chunk.subarray(from));
  }
  const last = line();
  if (last) yield last;
}

/** Parses a line; undefined for an empty one. */
function messageIn(text: string): Read | undefined {
  if (text === "") return undefined;
  if (isDeeper(text, MAX_LEVELS)) return { refusal: TOO_DEEP };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: NO_JSON };
  }
  return isMessage(value) ? { message: value } : { refusal: NO_MESSAGE };
}

function isMessage(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { jsonrpc, id, method } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0" || !("id" in value ? isId(id) : method !== undefined)) return false;
  if (method !== undefined) return typeof method === "string" && method.length <= MAX_NAME;
  return "result" in value !== "error" in value;
}

function isId(id: unknown): boolean {
  if (typeof id === "string") return id.length <= MAX_NAME;
  return id === null || (typeof id === "number" && Number.isFinite(id));
}
