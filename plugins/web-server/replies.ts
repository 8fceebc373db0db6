import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ScorelError } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Seconds after which a client may repeat a request that was refused for lack of room. */
export const RETRY_AFTER_S = 5;

/**
 * Headers of every answer: it is not cached, not shown in frames, and its type is not guessed; other sites can neither load it nor see the
 * referrer.
 */
export const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** The error for each status. It says what to do, and tells nothing about the host. */
const problems: Readonly<Record<number, () => ScorelError>> = {
  400: errors.WEB_REQUEST,
  401: errors.WEB_TOKEN,
  403: errors.WEB_FORBIDDEN,
  404: errors.WEB_PATH,
  405: errors.WEB_METHOD,
  413: errors.WEB_REQUEST,
  415: errors.WEB_REQUEST,
  421: errors.WEB_HOST,
  429: errors.WEB_TRIES,
};

/** Answers a health check. */
export function answerHealthCheck(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8" });
  response.end("ok\n");
}

/** Redirects a browser to another address of this host. Browsers keep the fragment. */
export function redirect(response: ServerResponse, address: string): void {
  response.shouldKeepAlive = false;
  response.writeHead(307, { Location: address }).end();
}

/** Answers with the error of a status, and closes the connection. */
export function end(response: ServerResponse, status: number): void {
  answer(response, status, (problems[status] ?? errors.WEB_FAILED)());
}

/** Answers with an error that says why a request cannot be accepted now, and when to try again. Closes the connection. */
export function endForNow(response: ServerResponse, error: ScorelError): void {
  answer(response, statusForNow(error), error, RETRY);
}

/** Answers with the error of a status on a bare connection without a response object, and closes it. */
export function refuse(socket: Duplex, status: number): void {
  write(socket, status, (problems[status] ?? errors.WEB_FAILED)());
}

/** Answers on a bare connection that it cannot be accepted now, and when to try again. */
export function refuseForNow(socket: Duplex, error: ScorelError): void {
  write(socket, statusForNow(error), error, RETRY);
}

const RETRY = { "Retry-After": RETRY_AFTER_S };

/** 429 if the client's own token has too many connections, 503 if the host is full or is stopping. */
function statusForNow({ code }: ScorelError): number {
  return code === "WEB_TOKEN_FULL" ? 429 : 503;
}

function write(socket: Duplex, status: number, error: ScorelError, more = {}): void {
  if (socket.destroyed) return;
  const body = bodyOf(error);
  const length = Buffer.byteLength(body);
  const lines = Object.entries({ ...headers, ...more, ...JSON_TYPE, Connection: "close", "Content-Length": length });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${text}\r\n${body}`, () => socket.destroy());
}

const JSON_TYPE = { "Content-Type": "application/json" };

function answer(response: ServerResponse, status: number, error: ScorelError, more = {}): void {
  const body = bodyOf(error);
  response.shouldKeepAlive = false;
  response.writeHead(status, { ...more, ...JSON_TYPE, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

function bodyOf({ code, message }: ScorelError): string {
  return `${JSON.stringify({ error: { code, message } })}\n`;
}
