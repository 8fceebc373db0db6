import type { ProviderResponse } from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { RequestFailure } from "../contract.ts";
import type { Passage } from "./body-lines.ts";
import { httpFetch } from "./http-fetch.ts";
import type { ReplyListener } from "./reply-passage.ts";

/** Maximum number of characters of a refusal to keep. */
const LONGEST_WORD = 2_000;
/** Maximum bytes and milliseconds for reading the body of a refusal. */
const MOST_OF_REFUSAL = 65_536;
const REFUSAL_MS = 5_000;

/** The network side of one request: a fetch, and details of failures that the library's errors leave out. */
export interface Wire extends RequestFailure {
  fetch: typeof fetch;
  /** Why the answer was rejected, as a sentence. */
  refusal?: string;
  /** The server's error text, where the library does not read it. */
  said?: string;
  /** The error inside the reply, as JSON; the library may have ignored it. */
  told?: string;
}

/** Returns what is known of a failure, or undefined. */
export function failureOf({ status, retryAfterMs, unreached }: Wire): RequestFailure | undefined {
  const known = {
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(unreached !== undefined && { unreached }),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

/** Options for observing answers before they are read. */
export interface Listening {
  /** Called with every answer, including refusals. */
  onResponse?(response: ProviderResponse): unknown;
  /** Creates the transformation for the body of a successful answer. */
  passage?(listener: Omit<ReplyListener, "mayJoin">): Passage;
  /** Maximum milliseconds for reading a refusal. */
  refusalMs?: number;
}

/**
 * Creates a fetch for one base URL. It refuses other origins and follows no redirects, which would carry the
 * conversation and custom headers elsewhere. It records why a server was not reached or its answer was rejected.
 */
export function wireTo(baseUrl: string, { onResponse, passage, refusalMs = REFUSAL_MS }: Listening = {}): Wire {
  const { origin } = new URL(baseUrl);
  const wire: Wire = {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== origin)
        throw refuse(wire, `A request to ${url.origin} was not made: the model's host is ${origin}.`);
      const response = await send(input, { ...init, redirect: "manual" }, wire, passage?.(listenerOf(wire)));
      if (!response.ok) note(wire, response);
      await onResponse?.({ status: response.status, headers: Object.fromEntries(response.headers) });
      if (response.status >= 300 && response.status < 400) return refused(response);
      if (!response.ok) return shortened(response, refusalMs);
      refusePage(wire, response);
      return response;
    },
  };
  return wire;
}

/**
 * Wraps a wire's fetch for an adapter that retries on its own: failures look like an abort, the only thing such an
 * adapter does not retry. The real error is kept in `wire.said`.
 */
export function onlyOnce(wire: Wire): typeof fetch {
  return async (input, init) => {
    const response = await wire.fetch(input, init).catch((thrown: unknown) => {
      wire.said = messageOf(thrown);
      throw new Error("Request was aborted");
    });
    if (response.ok) return response;
    wire.said = (await response.text()).slice(0, LONGEST_WORD) || response.statusText;
    throw new Error("Request was aborted");
  };
}

function listenerOf(wire: Wire): Omit<ReplyListener, "mayJoin"> {
  return {
    failed({ status, said }) {
      if (status !== undefined) wire.status ??= status;
      wire.told ??= said.slice(0, LONGEST_WORD);
    },
    refused(reason) {
      wire.refusal ??= reason;
    },
  };
}

/** Returns the refusal with as much of its body as arrives within the limits, since a body may be slow or endless. */
async function shortened(response: Response, limitMs: number): Promise<Response> {
  const { status, statusText, headers, body } = response;
  const reader = body?.getReader();
  if (!reader) return response;
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Ends the pending read as if the body had ended.
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), limitMs);
  try {
    for (let read = await reader.read(); !read.done && length < MOST_OF_REFUSAL; read = await reader.read()) {
      pieces.push(read.value);
      length += read.value.length;
    }
  } finally {
    clearTimeout(timer);
  }
  if (length >= MOST_OF_REFUSAL) void reader.cancel().catch(() => {});
  const text = Buffer.concat(pieces).subarray(0, MOST_OF_REFUSAL).toString("utf8");
  return new Response(text, { status, statusText, headers });
}

function refuse(wire: Wire, refusal: string): Error {
  wire.refusal = refusal;
  return new Error(refusal);
}

/** Rejects a web page with status 200, which a wrong baseUrl or a captive portal returns. */
function refusePage(wire: Wire, { headers, body }: Response): void {
  const type = headers.get("content-type") ?? "";
  if (!/^text\/html|^application\/xhtml/i.test(type)) return;
  void body?.cancel();
  throw refuse(wire, `The server answered with a web page (${type}) instead of a stream: is baseUrl right?`);
}

async function send(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  wire: Wire,
  passage: Passage | undefined,
): Promise<Response> {
  try {
    return await httpFetch(input, init, passage);
  } catch (thrown) {
    wire.unreached = reason(thrown);
    throw thrown;
  }
}

function note(wire: Wire, { status, headers }: Response): void {
  wire.status = status;
  const waitMs = retryAfter(headers);
  if (waitMs !== undefined) wire.retryAfterMs = waitMs;
}

/** Returns the wait in milliseconds. `retry-after` has seconds or a date; some servers send `retry-after-ms`. */
function retryAfter(headers: Headers): number | undefined {
  const ms = headers.get("retry-after-ms");
  const given = ms ?? headers.get("retry-after");
  if (given === null || given.trim() === "") return undefined;
  const wait = Number.isNaN(Number(given)) ? Date.parse(given) - Date.now() : Number(given) * (ms === null ? 1_000 : 1);
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/** Returns the system error, which undici wraps in `cause`. */
function reason(thrown: unknown): string {
  const cause = (thrown as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? String((thrown as Error).message);
}

async function refused(response: Response): Promise<Response> {
  await response.body?.cancel();
  const target = response.headers.get("location");
  const to =
    target && URL.canParse(target, response.url || undefined)
      ? new URL(target, response.url || undefined).origin
      : "elsewhere";
  const message = `The server redirects to ${to}, which is not followed: set baseUrl to where the api really is.`;
  return Response.json({ error: { message } }, { status: response.status });
}
