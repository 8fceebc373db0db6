import type { IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { requestThrough } from "@scorel/kit/net/proxy";
import { fetchResponse } from "@scorel/kit/net/response";

/** Status codes of responses without a body. */
const EMPTY = new Set([204, 205, 304]);

/**
 * Makes a request through a proxy. Supports the options of `fetch` that the SDK uses, and follows no redirects. Rejects like `fetch`: with
 * a TypeError whose cause names the failure, or with the signal's reason.
 */
export async function fetchThrough(proxy: URL, url: URL, init: RequestInit = {}): Promise<Response> {
  const { method = "GET", body, signal } = init;
  const bytes = body === undefined || body === null ? undefined : Buffer.from(await new Response(body).arrayBuffer());
  const headers = {
    "accept-encoding": "identity",
    ...formHeader(body),
    ...Object.fromEntries(new Headers(init.headers)),
    ...(bytes && { "content-length": String(bytes.byteLength) }),
  };
  const request = await requestThrough(proxy, url, { method, headers }, signal ?? undefined);
  const message = await fetchResponse(request, bytes, signal ?? undefined);
  return responseOf(message, url);
}

/** The header that `fetch` adds for form bodies, which logins use. */
function formHeader(body: unknown): Record<string, string> {
  return body instanceof URLSearchParams ? { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" } : {};
}

function responseOf(message: IncomingMessage, url: URL): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  const body = EMPTY.has(status) ? null : (Readable.toWeb(unpacked(message)) as ReadableStream<Uint8Array>);
  if (!body) message.resume();
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url.href });
}

/** Decompresses the body: some servers compress although they are asked not to. */
function unpacked(message: IncomingMessage): Readable {
  const encoding = message.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return message;
  // Errors reach the reader of the decompressed stream.
  return pipeline(message, encoding === "br" ? createBrotliDecompress() : createUnzip(), () => {});
}
