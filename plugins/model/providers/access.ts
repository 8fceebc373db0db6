import type { ModelProvider, ProviderAccess } from "../contract.ts";
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
  const fetch: ProviderAccess["fetch"] = (path, init = {}) => {
    const all = new Headers({ ...headers, ...more });
    for (const [name, text] of new Headers(init.headers)) all.set(name, text);
    if (key !== undefined) all.set(keyHeader, value);
    return wire.fetch(new URL(path.replace(/^\/(?!\/)/, ""), base), { signal, ...init, headers: all });
  };
  return { access: { fetch, signal }, wire };
}
