import type { FetchLike } from "@modelcontextprotocol/client";
import { codeOf, ScorelError } from "@scorel/kernel";
import { isLoopback } from "@scorel/kit/net/loopback";
import { limitedFetch } from "../wire/http.ts";

const PATIENCE_MS = 30_000;
const MOST_REDIRECTS = 3;

/** A failed login, described in Scorel's words: messages of servers or of the SDK may quote codes and tokens. */
export class LoginFlaw extends Error {}

/**
 * `fetch` for requests to authorization servers. Only GET requests follow redirects, and only within their origin, so that codes and tokens
 * are never sent elsewhere.
 */
export const loginFetch: FetchLike = async (url, init = {}) => {
  const options: RequestInit = { ...init, redirect: "manual", signal: untilAnswered(init.signal) };
  let target = secure(url);
  for (let redirects = 0; ; redirects++) {
    const response = await limitedFetch(target, options);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, target);
    if ((init.method ?? "GET") !== "GET" || next.origin !== target.origin)
      throw new LoginFlaw(`${target.host} sends the request on to ${next.host}`);
    if (redirects === MOST_REDIRECTS) throw new LoginFlaw(`${target.host} redirects without an end`);
    target = next;
  }
};

/** A signal that ends a request after a time limit, and when `signal` aborts. */
export function untilAnswered(signal: AbortSignal | null | undefined): AbortSignal {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

/** Returns the URL if it is encrypted or on this computer. Throws a LoginFlaw otherwise. */
export function secure(address: string | URL): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (!url || !isSafe) throw new LoginFlaw("an address that it names is not one that begins with https");
  return url;
}

/** Describes why a login or the renewal of a token has failed, without anything secret. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof LoginFlaw || thrown instanceof ScorelError) return thrown.message;
  const { name, code, cause } = thrown as { name?: string; code?: unknown; cause?: unknown };
  if (name === "TimeoutError") return `it did not answer for ${PATIENCE_MS / 1_000} s`;
  if (name === "IssuerMismatchError") return "the answer is that of another authorization server";
  if (cause instanceof LoginFlaw) return cause.message;
  // The message of the network or a proxy. It never has the text of a server.
  const network = codeOf(cause, thrown instanceof TypeError && cause instanceof Error ? cause.message : "");
  if (network !== "") return `it cannot be reached (${network})`;
  // Error codes of OAuth, such as invalid_grant.
  if (typeof code === "string" && /^[a-z_]{3,40}$/.test(code)) return `it was refused (${code})`;
  return "the answer was not understood";
}
