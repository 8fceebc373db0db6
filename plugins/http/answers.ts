import type { IncomingMessage, ServerResponse } from "node:http";
import { ScorelError } from "@scorel/kernel";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { errors } from "./errors.ts";

export const MAX_BODY = 16 * 1024 * 1024;
const MAX_DEPTH = 64;

/** Status codes by the codes of errors; other errors of the host get 422. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/^HTTP_TYPE$/, 415],
  [/^HTTP_TOO_LARGE$/, 413],
  [/^HTTP_UNEXPECTED$/, 500],
  [/^HTTP_PATH$|_UNKNOWN$/, 404],
  [/^HTTP_|_PARAMS|_INVALID$/, 400],
  [/^HOST_FORBIDDEN$/, 403],
  [/_(BUSY|CONFLICT|CLOSED|LOCKED)$/, 409],
];

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value ?? null);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

/** Answers with an error. What is no coded error is not told. */
export function sendError(response: ServerResponse, thrown: unknown): void {
  const { code, message, data } = thrown instanceof ScorelError ? thrown : errors.HTTP_UNEXPECTED();
  const status = statuses.find(([pattern]) => pattern.test(code))?.[1] ?? 422;
  // What is left of a body that was not read is not read as the next request.
  response.shouldKeepAlive = response.req.complete;
  sendJson(response, status, { error: { code, message, ...(Object.keys(data).length > 0 && { data }) } });
}

/** The JSON object in a request's body; {} for an empty one. Throws HTTP_TYPE, HTTP_TOO_LARGE and HTTP_BODY. */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  // Pages of other sites can send forms without asking first, but not this type.
  if (!/^application\/json(; *charset=utf-8)?$/i.test(request.headers["content-type"] ?? "")) throw errors.HTTP_TYPE();
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection stays open, so that the answer can be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) throw errors.HTTP_TOO_LARGE({ max: MAX_BODY });
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (text.trim() === "") return {};
  if (isDeeper(text, MAX_DEPTH)) throw errors.HTTP_BODY({ problem: `it has more than ${MAX_DEPTH} levels` });
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw errors.HTTP_BODY({ problem: "it is not an object" });
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.HTTP_BODY({ problem: "it is not JSON" });
  }
}
