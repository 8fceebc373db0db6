import { AsyncLocalStorage } from "node:async_hooks";
import { httpFetch } from "./http-fetch.ts";

/** How long a login server may take for one answer, in milliseconds. */
const PATIENCE = 30_000;

/** What a login server answered last; never its words, which may hold tokens. */
export interface Heard {
  host?: string;
  status?: number;
  /** The error's name in the protocol: `invalid_grant`. */
  code?: string;
  /** Why it was not reached: the system's word, such as ECONNREFUSED. */
  unreached?: string;
}

const inside = new AsyncLocalStorage<typeof fetch>();
let users = 0;
let original = globalThis.fetch;
const divided: typeof fetch = (input, init) => (inside.getStore() ?? original)(input, init);

/**
 * Runs `work`, whose requests by the global fetch, and only those, go over our own client, and so through the user's
 * proxy. The library takes the global one at the moment of each request and offers nothing else.
 */
export async function overWire<T>(heard: Heard, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (users++ === 0 && globalThis.fetch !== divided) {
    original = globalThis.fetch;
    globalThis.fetch = divided;
  }
  try {
    return await inside.run(listening(heard, signal), work);
  } finally {
    if (--users === 0 && globalThis.fetch === divided) globalThis.fetch = original;
  }
}

function listening(heard: Heard, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    Object.assign(heard, { host: url.host, status: undefined, code: undefined, unreached: undefined });
    if (url.protocol !== "https:") throw new Error("a token is sent over https only");
    const limits = [signal, AbortSignal.timeout(PATIENCE), ...(init?.signal ? [init.signal] : [])];
    const response = await send(input, { ...init, signal: AbortSignal.any(limits) }, heard);
    heard.status = response.status;
    if (response.ok) return response;
    const text = await response.text();
    const code = codeIn(text);
    if (code !== undefined) heard.code = code;
    return new Response(text, { status: Math.max(response.status, 400) });
  };
}

async function send(input: Parameters<typeof fetch>[0], init: RequestInit, heard: Heard): Promise<Response> {
  try {
    return await httpFetch(input, init);
  } catch (thrown) {
    heard.unreached = reasonOf(thrown as Error);
    throw thrown;
  }
}

/** The client hides the system's error one level down; all else is told in the words of this process, not a server's. */
function reasonOf({ cause, name, message }: Error): string {
  const { code, message: hidden } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? hidden ?? (name === "TimeoutError" ? "it did not answer" : message);
}

/** The protocol's short names only. */
function codeIn(text: string): string | undefined {
  const [, code] = /"(?:error|type|code)"\s*:\s*"([a-z_]{3,60})"/.exec(text) ?? [];
  return code;
}
