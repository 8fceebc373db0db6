import type { RequestFailure } from "./contract.ts";
import { httpFetch } from "./http-fetch.ts";

/** What happened on the network that the library's own messages leave out. */
export interface Wire extends RequestFailure {
  fetch: typeof fetch;
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

/**
 * A fetch for requests to one base url: it goes nowhere else, follows no redirect (which would carry the conversation
 * and custom headers to another host), and remembers why a server was not reached.
 */
export function wireTo(baseUrl: string): Wire {
  const wire: Wire = {
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      if (new URL(baseUrl).hostname !== "api.openai.com") {
        // The SDK reads these from OPENAI_ORG_ID and OPENAI_PROJECT_ID, whatever the host.
        headers.delete("openai-organization");
        headers.delete("openai-project");
      }
      const response = await send(input, { ...init, headers, redirect: "manual" }, wire);
      if (!response.ok) note(wire, response);
      return response.status >= 300 && response.status < 400 ? refused(response) : response;
    },
  };
  return wire;
}

async function send(input: Parameters<typeof fetch>[0], init: RequestInit, wire: Wire): Promise<Response> {
  try {
    return await httpFetch(input, init);
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

/** Runs `work` with another global fetch. Safe only for synchronous work: nobody else can see the exchange. */
export function withFetch<T>(replacement: typeof fetch, work: () => T): T {
  const original = globalThis.fetch;
  globalThis.fetch = replacement;
  try {
    return work();
  } finally {
    globalThis.fetch = original;
  }
}
