import type { ModelProvider, ProviderAccess } from "../contract.ts";
import { errors } from "../errors.ts";
import { type Wire, wireTo } from "../wire/fetch.ts";

interface Given {
  key: string | undefined;
  signal: AbortSignal;
  /** Headers of this request. */
  headers?: Readonly<Record<string, string>> | undefined;
  onResponse?: NonNullable<Parameters<typeof wireTo>[1]>["onResponse"];
}

/** Creates the fetch for a provider's functions, which carries the key to the provider's host only. */
export function accessTo(
  { baseUrl, keyHeader = "authorization", headers }: ModelProvider,
  { key, signal, headers: more, onResponse }: Given,
): { access: ProviderAccess; wire: Wire } {
  const wire = wireTo(baseUrl, onResponse && { onResponse });
  const base = baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`;
  const value = keyHeader.toLowerCase() === "authorization" ? `Bearer ${key}` : `${key}`;
  const fetch: ProviderAccess["fetch"] = async (target, init = {}) => {
    const given = target instanceof Request ? target : undefined;
    const all = new Headers({ ...headers, ...more });
    for (const from of [given?.headers, init.headers])
      for (const [name, text] of new Headers(from)) all.set(name, text);
    // A server behind a proxy selects the site by this header, which could then be another site than that of the provider.
    if (all.has("host")) throw errors.MODEL_HOST_HEADER();
    if (key !== undefined) all.set(keyHeader, value);
    const path = (given?.url ?? String(target)).replace(/^\/(?!\/)/, "");
    return wire.fetch(new URL(path, base), {
      signal,
      ...(given && (await partsOf(given, signal))),
      ...init,
      headers: all,
    });
  };
  return { access: { fetch, signal }, wire };
}

/** Converts a Request to fetch options, without its address and headers. */
async function partsOf(request: Request, signal: AbortSignal): Promise<RequestInit> {
  const { method } = request;
  const body = request.body && { body: await request.arrayBuffer() };
  return { method, ...body, signal: AbortSignal.any([signal, request.signal]) };
}
