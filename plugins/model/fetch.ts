import type { ProviderResponse } from "@mariozechner/pi-ai";
import { messageOf } from "@scorel/kernel";
import type { Passage } from "./body-lines.ts";
import type { RequestFailure } from "./contract.ts";
import { httpFetch } from "./http-fetch.ts";

/** Characters of a refusal that are kept. */
const LONGEST_WORD = 2_000;

/** What happened on the network that the library's own messages leave out. */
export interface Wire extends RequestFailure {
  fetch: typeof fetch;
  /** Why an answer was not taken, as a sentence. */
  refusal?: string;
  /** What the server said to a request that failed, where the library does not get to read it. */
  said?: string;
}

/** What is known of a failure; undefined when nothing is. */
export function failureOf({ status, retryAfterMs, unreached }: Wire): RequestFailure | undefined {
  const known = {
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(unreached !== undefined && { unreached }),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

/** What may be done with each answer before it is read. */
export interface Listening {
  /** Called with every answer, a refusal too. */
  onResponse?(response: ProviderResponse): unknown;
  /** What the bytes of the one answer go through. */
  passage?: Passage | undefined;
}

/**
 * A fetch for requests to one base url: it goes nowhere else, follows no redirect (which would carry the conversation
 * and custom headers to another host), and remembers why a server was not reached or its answer not taken.
 */
export function wireTo(baseUrl: string, { onResponse, passage }: Listening = {}): Wire {
  const { origin } = new URL(baseUrl);
  const wire: Wire = {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== origin)
        throw refuse(wire, `A request to ${url.origin} was not made: the model's host is ${origin}.`);
      const response = await send(input, { ...init, redirect: "manual" }, wire, passage);
      if (!response.ok) note(wire, response);
      await onResponse?.({ status: response.status, headers: Object.fromEntries(response.headers) });
      if (response.status >= 300 && response.status < 400) return refused(response);
      if (!response.ok) return response;
      refusePage(wire, response);
      return response;
    },
  };
  return wire;
}

/**
 * For an adapter that would make a failed request again, unseen: what it takes for an abort is all that it gives up at. What
 * really happened stands on the wire.
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

function refuse(wire: Wire, refusal: string): Error {
  wire.refusal = refusal;
  return new Error(refusal);
}

/** A web page with status 200 is what a wrong baseUrl or a captive network answers. */
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

/** Milliseconds; the header holds seconds or a date, another that some servers send holds milliseconds. */
function retryAfter(headers: Headers): number | undefined {
  const ms = headers.get("retry-after-ms");
  const given = ms ?? headers.get("retry-after");
  if (given === null || given.trim() === "") return undefined;
  const wait = Number.isNaN(Number(given)) ? Date.parse(given) - Date.now() : Number(given) * (ms === null ? 1_000 : 1);
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/** undici hides the system's error one level down. */
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
