import type { ServerResponse } from "node:http";
import { ScorelError } from "@scorel/kernel";
import { sendableData } from "@scorel/kit/net/error-data";
import { errors } from "./errors.ts";

/** Status codes by the codes of errors; other errors of the host get 422. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/^HTTP_TYPE$/, 415],
  [/^HTTP_TOO_LARGE$/, 413],
  [/^HTTP_FULL$/, 429],
  [/^HTTP_SLOW$/, 408],
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

/** Answers with an error. The message of an error without a code is not sent. */
export function sendError(response: ServerResponse, thrown: unknown): void {
  const error = thrown instanceof ScorelError ? thrown : errors.HTTP_UNEXPECTED();
  const { code, message } = error;
  const data = sendableData(error);
  const status = statuses.find(([pattern]) => pattern.test(code))?.[1] ?? 422;
  // Close the connection if the body was not read completely, so that its rest is not taken for the next request.
  response.shouldKeepAlive = response.req.complete;
  if (status === 429) response.setHeader("Retry-After", 1);
  sendJson(response, status, { error: { code, message, ...(data && { data }) } });
}
