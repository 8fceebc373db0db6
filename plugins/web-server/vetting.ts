import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

export interface VettingOptions {
  scheme: "http" | "https";
  /** The IP address that the server listens on. */
  bind: string;
  port: number;
  /** Further host names by which clients reach the server, such as that of a proxy. */
  names: readonly string[];
  /** Further origins of this server's own page, such as that of a proxy. */
  origins: readonly string[];
  /** Origins of the pages of other hosts, which may connect too. */
  pages: readonly string[];
}

/** Status with which a request is refused. */
export type Refusal = 400 | 403 | 421;

/**
 * Returns a function that refuses requests which a page of another site may have caused. Such a page can make a browser connect to this
 * computer, but the browser then sends the page's own host (after DNS rebinding) or origin. Only exact names are accepted.
 */
export function createVetting(options: VettingOptions): (request: IncomingMessage) => Refusal | undefined {
  const hosts = hostsOf(options);
  const named = new Set([...options.origins, ...options.pages]);
  const origins = new Set([...[...hosts].map((host) => `${options.scheme}://${host}`), ...named]);
  return (request) => {
    const host = only(request, "host");
    if (host === undefined || !hosts.has(host.toLowerCase())) return 421;
    const origin = only(request, "origin");
    if (origin === undefined || (origin !== "" && !origins.has(origin))) return 403;
    if (!request.url?.startsWith("/")) return 400;
    // A link in a mail or a chat is allowed: following it sends no token, so it leads only to public content.
    if (isFollowedLink(request)) return undefined;
    // For a page that the configuration allows, browsers rightly send `Sec-Fetch-Site: cross-site`, which must not count.
    if (named.has(origin)) return undefined;
    // Browsers add this header by themselves, also when they send no origin.
    const site = only(request, "sec-fetch-site");
    if (site === undefined || !["", "same-origin", "none"].includes(site)) return 403;
    return undefined;
  };
}

/**
 * The address to redirect to when a person opens the page at `localhost`, or at a local address on which the server does not listen: there
 * the page could not be sure that it talks to its host. Undefined for all other requests.
 */
export function betterAddress(request: IncomingMessage, authorities: ReadonlySet<string>): string | undefined {
  const host = only(request, "host")?.toLowerCase() ?? "";
  const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
  if (authorities.has(host) || !LOCAL.includes(name) || !isFollowedLink(request)) return undefined;
  const [own] = authorities;
  return `http://${own}${request.url}`;
}

/** Whether the request is a navigation of a browser: a person has followed a link or entered the address. */
function isFollowedLink(request: IncomingMessage): boolean {
  const [mode, dest] = [only(request, "sec-fetch-mode"), only(request, "sec-fetch-dest")];
  return request.method === "GET" && mode === "navigate" && dest === "document";
}

/** The value of a header; "" if it is absent, undefined if it is sent more than once. */
function only({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const values = rawHeaders.filter((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === name);
  return values.length > 1 ? undefined : (values[0] ?? "");
}

const LOCAL = ["127.0.0.1", "localhost", "::1"];

/** The accepted values of the header `Host`. */
function hostsOf(options: VettingOptions): Set<string> {
  // A page cannot make a browser send an IP address as the page's host, so this computer's own addresses are safe.
  return withPort([...LOCAL, ...ownAddresses(options), ...options.names], options);
}

/**
 * The values of `host:port` that lead to this server and to no other program: those on which it listens, and those from the configuration.
 * Without encryption, `localhost` is not among them: it resolves to two addresses, and another user could listen on the other one.
 */
export function authoritiesOf(options: VettingOptions): ReadonlySet<string> {
  const { scheme, names, origins } = options;
  const local = scheme === "https" ? LOCAL : [];
  const named = origins.flatMap((origin) => (URL.canParse(origin) ? [new URL(origin).host] : []));
  return new Set([...withPort([...local, ...ownAddresses(options), ...names], options), ...named]);
}

function ownAddresses({ bind }: VettingOptions): string[] {
  if (!isUnspecified(bind)) return [bind];
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

function withPort(names: readonly string[], { scheme, port }: VettingOptions): Set<string> {
  const all = names.map((name) => (isIPv6(name) ? `[${name}]` : name).toLowerCase());
  const isDefault = port === (scheme === "https" ? 443 : 80);
  return new Set(all.flatMap((name) => (isDefault ? [name, `${name}:${port}`] : [`${name}:${port}`])));
}

/** Whether an address means all addresses of this computer, such as `0.0.0.0`. */
function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}
