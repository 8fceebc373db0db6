import { isUtf8 } from "node:buffer";
import type {} from "@scorel/artifacts/contract";
import type { Client } from "@scorel/host/contract";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";

/** Most bytes of an artifact in one answer. */
export const MOST_BYTES = 1024 * 1024;
/** Most bytes of a character in UTF-8 after its first one. */
const MOST_FURTHER = 3;
/** Characters that could do something in a terminal in which the other agent shows the text. A file with them is answered as base64. */
const CONTROLS = /(?![\n\t\r])\p{Cc}/u;

interface Wanted {
  name: string;
  version?: number | undefined;
  offset: number;
  length?: number | undefined;
}

/** Reads an artifact, or a part of it, exactly: as text if it is one, otherwise in base64. */
export async function readArtifact(client: Client, sessionId: string, { name, version, offset, length }: Wanted) {
  const which = { sessionId, name, ...(version !== undefined && { version }) };
  const from = Math.max(0, offset - MOST_FURTHER);
  const begin = offset - from;
  const end = begin + (length ?? MOST_BYTES);
  const part = { offset: from, length: end + MOST_FURTHER };
  const { base64, mimeType, size, version: found } = await client.request("get_artifact", { ...which, ...part });
  if (length === undefined && size - offset > MOST_BYTES)
    throw errors.MCP_SERVER_LARGE({ name, bytes: size, most: MOST_BYTES });
  const bytes = Buffer.from(base64, "base64");
  const text = /^text\/|json|xml/.test(mimeType) ? textIn(bytes, begin, end) : undefined;
  const content = text === undefined ? { base64: bytes.subarray(begin, end).toString("base64") } : { text };
  return { name, version: found, mimeType: plainText(mimeType), size, ...content };
}

/**
 * The characters that begin between two places, so that the parts of a text together are the whole text wherever it is divided. Undefined
 * if the bytes are not the text of a file that can be shown.
 */
function textIn(bytes: Buffer, begin: number, end: number): string | undefined {
  const [first, last] = [characterAt(bytes, begin), characterAt(bytes, end)];
  let before = first;
  if (first > begin) while (before > 0 && isFurther(bytes[before - 1])) before--;
  // The character that is divided by the beginning belongs to the part before. It is only read to know whether this is UTF-8.
  const start = first > begin ? Math.max(0, before - 1) : first;
  if (!isUtf8(bytes.subarray(start, last))) return undefined;
  const text = bytes.toString("utf8", first, last);
  return CONTROLS.test(text) ? undefined : text;
}

/** The first place from here on at which a character begins. */
function characterAt(bytes: Buffer, place: number): number {
  let at = Math.min(place, bytes.length);
  while (isFurther(bytes[at])) at++;
  return at;
}

const isFurther = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
