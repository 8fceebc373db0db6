import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Time in seconds after which a request that could not be taken may be repeated. */
const RETRY_AFTER_S = 5;

/** Headers of every answer: nothing is kept, framed, guessed or told to other sites. */
export const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Answers with a status alone, and closes the connection, which has shown no use for it. */
export function end(response: ServerResponse, status: number): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(status === 200 ? "ok\n" : "");
}

/** The same for a connection that has no response. */
export function refuse(socket: Duplex, status: number): void {
  if (socket.destroyed) return;
  const retry = status === 503 && { "Retry-After": RETRY_AFTER_S };
  const lines = Object.entries({ ...headers, ...retry, Connection: "close", "Content-Length": "0" });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${text}\r\n`, () => socket.destroy());
}

/** Answers that the host cannot take this request now, and when to try again. */
export function endForNow(response: ServerResponse, reason: string): void {
  response.shouldKeepAlive = false;
  response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8", "Retry-After": RETRY_AFTER_S });
  response.end(`${reason} Try again in ${RETRY_AFTER_S} s.\n`);
}
