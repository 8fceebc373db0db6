import { AsyncLocalStorage } from "node:async_hooks";
import { httpFetch } from "../wire/http-fetch.ts";

/** Milliseconds that a login server may take to answer. */
const PATIENCE = 30_000;

/** Summary of a login server's last answer, without its text, which may contain tokens. */
export interface Heard {
  host?: string;
  status?: number;
  /** Error code of the protocol, for example `invalid_grant`. */
  code?: string;
  /** System error code when the server was not reached, for example ECONNREFUSED. */
  unreached?: string;
}

const inside = new AsyncLocalStorage<typeof fetch>();
let users = 0;
let original = globalThis.fetch;
const divided: typeof fetch = (input, init) => (inside.getStore() ?? original)(input, init);

/**
 * Sends the global-fetch requests of `work`, and only those, through Scorel's HTTP client and thus through the user's proxy. The library
 * looks up the global fetch at each request and has no option for it.
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

/** Returns the system error from `cause`, or else a description. */
function reasonOf({ cause, name, message }: Error): string {
  const { code, message: hidden } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? hidden ?? (name === "TimeoutError" ? "it did not answer" : message);
}

/** Finds the protocol's error code; nothing else of the text is used. */
function codeIn(text: string): string | undefined {
  const [, code] = /"(?:error|type|code)"\s*:\s*"([a-z_]{3,60})"/.exec(text) ?? [];
  return code;
}
