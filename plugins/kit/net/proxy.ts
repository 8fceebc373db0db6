import { type ClientRequest, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import type { Socket } from "node:net";
import { connect } from "node:tls";
import { codeOf, messageOf } from "../values/coded-error.ts";
import { isLoopback } from "./loopback.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy for a server according to the environment; undefined for this machine and for hosts that NO_PROXY lists. */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const value = env[name] || env[name.toUpperCase()];
  if (!value || isLoopback(url.hostname) || isExempt(url, env.no_proxy || env.NO_PROXY || "")) return undefined;
  const written = /^\w[\w+.-]*:\/\//.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(written) ? new URL(written) : undefined;
  if (!proxy || !/^https?:$/.test(proxy.protocol))
    throw failed(`the variable ${name.toUpperCase()} names no proxy that is reached over http or https`);
  return proxy;
}

/** Whether NO_PROXY matches: `*`, or names that equal or end the host name, optionally with a leading dot and a port. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    // An IPv6 address has colons of its own, and is in brackets before a port.
    const [, bare = "", name = bare, onlyPort] =
      /^\*?\.?([^:[]*|[^[]*:[^[]*:[^[]*|\[(.*)\])(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === "" || (onlyPort !== undefined && onlyPort !== ownPort)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}

/**
 * Sends a request through a proxy. For https it opens a tunnel, which the proxy cannot read, to `address` if given; otherwise the
 * proxy resolves the name.
 */
export async function requestThrough(
  proxy: URL,
  url: URL,
  options: RequestOptions,
  signal: AbortSignal | undefined,
  address?: string,
): Promise<ClientRequest> {
  if (url.protocol === "https:") {
    const host = address?.includes(":") ? `[${address}]` : (address ?? url.hostname);
    const socket = await tunnel(proxy, `${host}:${url.port || 443}`, signal);
    // No agent, since it would connect by itself; `false` would make a new one. Then `defaultPort` must be set, or port 80 would be assumed.
    const createConnection = () => connect({ socket, servername: url.hostname });
    return requestTls(url, { ...options, agent: undefined, defaultPort: 443, createConnection });
  }
  const headers = { ...(options.headers as Record<string, string>), host: url.host, ...credentials(proxy) };
  return open(proxy)(withoutLogin(proxy), { ...options, headers, path: url.href });
}

function tunnel(proxy: URL, path: string, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: path, ...credentials(proxy) };
    const request = open(proxy)(withoutLogin(proxy), {
      method: "CONNECT",
      path,
      headers,
      agent: false,
      ...(signal && { signal }),
    });
    request.on("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(failed(`the proxy ${proxy.host} answered ${statusCode}`));
    });
    request.on("error", (error) =>
      reject(signal?.aborted ? signal.reason : failed(`the proxy ${proxy.host}: ${reasonOf(error)}`, error)),
    );
    request.end();
  });
}

function open({ protocol }: URL): typeof requestPlain {
  return protocol === "https:" ? requestTls : requestPlain;
}

/** Node.js would send the login as `Authorization`, too, which a proxy passes on to the server. */
function withoutLogin(proxy: URL): URL {
  return Object.assign(new URL(proxy), { username: "", password: "" });
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** A part of a URL as text. A password may have been written with a bare "%", which encodes nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function reasonOf(error: Error): string {
  const code = codeOf(error);
  return /^E[A-Z_]+$/.test(code) ? code : messageOf(error);
}

/** An error like those of `fetch`, with the reason as its cause. */
function failed(message: string, cause?: unknown): TypeError {
  return new TypeError("fetch failed", { cause: new Error(message, { cause }) });
}
