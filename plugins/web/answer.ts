import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { type AllowedRelays, deviceOrigins } from "./devices.ts";
import { readPage, type WebFile } from "./files.ts";

/** Where the build puts the page, beside the folders with code. */
const BUILT = fileURLToPath(new URL("../web/built/", import.meta.url));

/**
 * What the page may do: run its own scripts and styles, talk to its own host and to the devices that the user has added, and show pictures
 * that it has made of bytes. Nothing else is loaded from anywhere, no text becomes markup, and no other page can hold this one in a frame.
 */
const policy = (allowed: AllowedRelays) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    ["connect-src 'self'", ...deviceOrigins(allowed)].join(" "),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Its one policy makes the address of the page's service worker, and nothing else.
    "trusted-types scorel-worker",
  ].join("; ");

interface AnswerOptions {
  folder?: string;
  /** Relays that the page may connect to, to pair there. */
  allowed?: AllowedRelays;
}

/** The pages that were read, by folder. */
const pages = new Map<string, Promise<ReadonlyMap<string, WebFile>>>();

/** Answers with a file of the page. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { folder = BUILT, allowed = new Map() }: AnswerOptions = {},
): Promise<void> {
  const files = await page(folder);
  send(request, response, files.get(pathOf(request)), policy(allowed));
}

function page(folder: string): Promise<ReadonlyMap<string, WebFile>> {
  const known = pages.get(folder);
  if (known) return known;
  const reading = readPage(folder);
  pages.set(folder, reading);
  // It may be built by the next request.
  reading.catch(() => pages.delete(folder));
  return reading;
}

function send(request: IncomingMessage, response: ServerResponse, file: WebFile | undefined, allowed: string): void {
  response.setHeader("Content-Security-Policy", allowed);
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  if (file) sendFile(request, response, { ...file, tag: taggedWith(allowed, file) });
  else notFound(response);
}

/** A page whose policy has changed is another one, also where its text is the same: browsers need not take new headers for an old text. */
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
  const isZipped = zipped && /\bgzip\b/.test(String(request.headers["accept-encoding"]));
  const body = isZipped ? zipped : bytes;
  if (isZipped) response.setHeader("Content-Encoding", "gzip");
  response.writeHead(200, { "Content-Type": type, "Content-Length": body.length }).end(body);
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" });
  response.end("There is no such file of the page. Load the page anew.\n");
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] as string;
}
