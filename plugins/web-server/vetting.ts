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
export function createVetting(
  options: VettingOptions,
  names: Pick<Names, "hosts">,
): (request: IncomingMessage) => Refusal | undefined {
  const named = new Set([...options.origins, ...options.pages]);
  const own = `${options.scheme}://`;
  const isOwn = (origin: string) => origin.startsWith(own) && names.hosts.has(origin.slice(own.length));
  return (request) => {
    const host = only(request, "host");
    if (host === undefined || !names.hosts.has(host.toLowerCase())) return 421;
    const origin = only(request, "origin");
    if (origin === undefined || (origin !== "" && !named.has(origin) && !isOwn(origin))) return 403;
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

type Interfaces = () => NodeJS.Dict<{ address: string }[]>;

/** Milliseconds for which the addresses of this computer count as unchanged. */
const SAME_MS = 1_000;

/** The names of this server. If it listens on all addresses, they change with the networks that the computer is in. */
export class Names {
  private readonly options: VettingOptions;
  private readonly interfaces: Interfaces;
  private found:
    | { own: readonly string[]; hosts: ReadonlySet<string>; authorities: ReadonlySet<string>; at: number }
    | undefined;

  /** Reads the addresses once, so that a server that cannot read them does not start. Throws what the system says. */
  constructor(options: VettingOptions, interfaces: Interfaces = networkInterfaces) {
    this.options = options;
    this.interfaces = interfaces;
    this.now();
  }

  /** The accepted values of the header `Host`. */
  get hosts(): ReadonlySet<string> {
    return this.now().hosts;
  }

  /**
   * The values of `host:port` that lead to this server and to no other program: those on which it listens, and those from the configuration.
   */
  get authorities(): ReadonlySet<string> {
    return this.now().authorities;
  }

  private now() {
    const { options, found } = this;
    const at = performance.now();
    if (found && (!isUnspecified(options.bind) || at - found.at < SAME_MS)) return found;
    const own = this.addresses();
    const now = { own, hosts: hostsOf(options, own), authorities: authoritiesOf(options, own), at };
    this.found = now;
    return now;
  }

  /**
   * The addresses of this computer. They cannot be read while the process has no file descriptors left: then those count that were found
   * before. Throws if there are none, as on systems that forbid reading them.
   */
  private addresses(): readonly string[] {
    try {
      return ownAddresses(this.options, this.interfaces);
    } catch (thrown) {
      if (!this.found) throw thrown;
      return this.found.own;
    }
  }
}

function hostsOf(options: VettingOptions, own: readonly string[]): Set<string> {
  // A page cannot make a browser send an IP address as the page's host, so this computer's own addresses are safe.
  return withPort([...LOCAL, ...own, ...options.names], options);
}

/** Without encryption, `localhost` is not among them: it resolves to two addresses, and another user could listen on the other one. */
function authoritiesOf(options: VettingOptions, own: readonly string[]): ReadonlySet<string> {
  const { scheme, names, origins } = options;
  const local = scheme === "https" ? LOCAL : [];
  const named = origins.flatMap((origin) => (URL.canParse(origin) ? [new URL(origin).host] : []));
  return new Set([...withPort([...local, ...own, ...names], options), ...named]);
}

function ownAddresses({ bind }: VettingOptions, interfaces: Interfaces): string[] {
  if (!isUnspecified(bind)) return [bind];
  return Object.values(interfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
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
