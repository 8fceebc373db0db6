import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AllowedRelays, deviceOrigins } from "./devices.ts";
import { BUILT, readPage, type WebFile } from "./files.ts";
import { policy } from "./policy.ts";

interface AnswerOptions {
  folder?: string;
  /** Relays that the page may connect to for pairing. */
  allowed?: AllowedRelays;
}

/** Pages that have been read, by folder. */
const pages = new Map<string, Promise<ReadonlyMap<string, WebFile>>>();

/** Answers with a file of the page. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { folder = BUILT, allowed = new Map() }: AnswerOptions = {},
): Promise<void> {
  const files = await page(folder);
  send(request, response, files.get(pathOf(request)), policy({ connect: ["'self'", ...deviceOrigins(allowed)] }));
}

function page(folder: string): Promise<ReadonlyMap<string, WebFile>> {
  const known = pages.get(folder);
  if (known) return known;
  const reading = readPage(folder);
  pages.set(folder, reading);
  // Tried again with the next request, since the page may have been built by then.
  reading.catch(() => pages.delete(folder));
  return reading;
}

/** Answers with a file and a policy, or with status 404 if there is no such file. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  file: WebFile | undefined,
  allowed: string,
): void {
  response.setHeader("Content-Security-Policy", allowed);
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  if (file) sendFile(request, response, { ...file, tag: taggedWith(allowed, file) });
  else notFound(response);
}

/** Adds the policy to the tag of a page. Otherwise browsers would keep old headers if only the policy has changed. */
function taggedWith(allowed: string, { tag, type }: WebFile): string {
  if (!type.startsWith("text/html")) return tag;
  const digest = createHash("sha256").update(allowed).digest("base64url").slice(0, 10);
  return `${tag.slice(0, -1)}.${digest}"`;
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: WebFile): void {
  const { bytes, zipped, type, tag, isFixed } = file;
  response.setHeader("Cache-Control", isFixed ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("ETag", tag);
  response.setHeader("Vary", "Accept-Encoding");
  if (request.headers["if-none-match"] === tag) {
    response.writeHead(304).end();
    return;
  }
  const isZipped = zipped && takesGzip(request);
  const body = isZipped ? zipped : bytes;
  if (isZipped) response.setHeader("Content-Encoding", "gzip");
  response.writeHead(200, { "Content-Type": type, "Content-Length": body.length }).end(body);
}

/** Whether the client accepts gzip. With the weight 0, as in `gzip;q=0`, it refuses it. */
function takesGzip({ headers }: IncomingMessage): boolean {
  const accepted = String(headers["accept-encoding"] ?? "").split(",");
  return accepted.some((coding) => /^\s*gzip\s*(?:;|$)/i.test(coding) && !/;\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(coding));
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" });
  response.end("The page has no such file. Reload the page.\n");
}

export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] as string;
}
