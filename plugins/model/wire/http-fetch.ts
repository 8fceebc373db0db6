import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { codeOf } from "@scorel/kernel";
import { fetchResponse } from "@scorel/kit/net/response";
import type { Passage } from "./body-lines.ts";

/** The request options that provider SDKs use. */
type Init = Pick<RequestInit, "method" | "headers" | "body" | "signal">;
/** Maximum bytes without a line break. Libraries append to a line piece by piece in quadratic time. */
const longestLine = 8_000_000;

interface Reading {
  signal: AbortSignal | undefined;
  passage: Passage | undefined;
}

type Unpack = (message: IncomingMessage) => Readable;

/**
 * A `fetch` for model requests over Node's http client. The built-in fetch costs about 50 ms and 30 MB on first use and
 * aborts a body that is silent for five minutes, which slow local models are. Follows no redirects. Rejects like fetch:
 * "fetch failed" with the system error as cause, or the signal's reason. The body passes through `passage`.
 */
export async function httpFetch(input: string | URL | Request, init: Init = {}, passage?: Passage): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = await bytesOf(init.body);
  const headers: Record<string, string> = {
    "accept-encoding": "identity",
    ...Object.fromEntries(new Headers(init.headers)),
  };
  if (body) headers["content-length"] = String(body.byteLength);
  const signal = init.signal ?? undefined;
  const message = await send(() => open(url, { method: init.method ?? "GET", headers }, signal), body, signal);
  return respond(message, url, await unpacking(message.headers["content-encoding"]), { signal, passage });
}

async function bytesOf(body: Init["body"]): Promise<Uint8Array | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof URLSearchParams) return Buffer.from(`${body}`);
  if (body instanceof Uint8Array) return body;
  return new Uint8Array(await new Response(body).arrayBuffer());
}

const proxyVariables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

async function open(url: URL, options: RequestOptions, signal: AbortSignal | undefined): Promise<ClientRequest> {
  if (proxyVariables.some((name) => process.env[name])) {
    const { proxyFor, requestThrough } = await import("@scorel/kit/net/proxy");
    const proxy = proxyFor(url, process.env);
    if (proxy) return requestThrough(proxy, url, options, signal);
  }
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return request(url, options);
}

/**
 * Sends the request, once more if a kept-alive connection was closed just then, since the server has not seen the
 * request.
 */
async function send(
  request: () => Promise<ClientRequest>,
  body: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const first = await request();
  try {
    return await fetchResponse(first, body, signal);
  } catch (thrown) {
    const code = codeOf((thrown as Error).cause);
    if (!first.reusedSocket || (code !== "ECONNRESET" && code !== "EPIPE")) throw thrown;
    return fetchResponse(await request(), body, signal);
  }
}

function respond(message: IncomingMessage, url: URL, unpack: Unpack, reading: Reading): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] as string, message.rawHeaders[at + 1] as string);
  const empty = status === 204 || status === 205 || status === 304;
  // Refusals are not transformed.
  const read = status >= 200 && status < 300 ? reading : { ...reading, passage: undefined };
  const response = new Response(empty ? null : stream(unpack(message), read), {
    status,
    statusText: message.statusMessage ?? "",
    headers,
  });
  return Object.defineProperty(response, "url", { value: url.href });
}

/** Converts the body to a web stream. A slow reader pauses the connection; cancelling closes it. */
function stream(source: Readable, { signal, passage }: Reading): ReadableStream<Uint8Array> {
  let left = false;
  const lineOf = createLineCounter();
  const leave = (controller: ReadableStreamDefaultController, thrown: unknown) => {
    left = true;
    source.destroy();
    controller.error(thrown);
  };
  const pass = (piece: Uint8Array) => {
    if (lineOf(piece) > longestLine)
      throw new TypeError(`The server sent a line of more than ${longestLine} bytes, which is not a reply.`);
    return passage ? passage.piece(piece) : piece;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source.on("data", (piece: Uint8Array) => {
        if (left) return;
        try {
          const passed = pass(piece);
          if (passed.length > 0) controller.enqueue(passed);
        } catch (thrown) {
          return leave(controller, thrown);
        }
        if ((controller.desiredSize ?? 1) <= 0) source.pause();
      });
      source.on("end", () => {
        if (left) return;
        try {
          const rest = passage?.end();
          if (rest && rest.length > 0) controller.enqueue(rest);
          controller.close();
        } catch (thrown) {
          leave(controller, thrown);
        }
      });
      source.on("error", (error) =>
        controller.error(signal?.aborted ? signal.reason : new TypeError("terminated", { cause: error })),
      );
    },
    pull: () => void source.resume(),
    cancel() {
      left = true;
      source.destroy();
    },
  });
  return Object.defineProperty(body, Symbol.asyncIterator, { value: () => pieces(body) });
}

/** Iterates over a stream. The built-in iterator releases its lock at the end, for which Node takes 2 ms the first time. */
async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const reader = body.getReader();
  let isOver = false;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    isOver = true;
  } finally {
    if (!isOver) await reader.cancel();
  }
}

/** Returns a function that takes each piece and returns the length of the unfinished line. */
function createLineCounter(): (piece: Uint8Array) => number {
  let length = 0;
  return (piece) => {
    const end = piece.lastIndexOf(10) + 1;
    length = end > 0 ? piece.length - end : length + piece.length;
    return length;
  };
}

/** Decompresses bodies that some proxies compress without being asked. */
async function unpacking(encoding = "identity"): Promise<Unpack> {
  if (encoding === "identity") return (message) => message;
  const { pipeline } = await import("node:stream");
  const { createBrotliDecompress, createUnzip } = await import("node:zlib");
  const unpacked = encoding === "br" ? createBrotliDecompress() : createUnzip();
  // Errors are reported by the unpacked stream.
  return (message) => pipeline(message, unpacked, () => {});
}
