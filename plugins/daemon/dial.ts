import { pathToFileURL } from "node:url";
import { type Channel, connectHost, type LinkTimes, type RemoteClient } from "@scorel/host/client";
import { lineOf } from "@scorel/kit/text/one-line";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";

interface DialOptions {
  /** The client's name. A function is called when the host was found. */
  name?: string | (() => string);
  reconnect?: boolean;
  /** Returns the present address of the host, which may change when the host is restarted. */
  now?: () => string;
  /** Time limits that differ from the default ones. */
  times?: Partial<LinkTimes>;
}

/** Connects to the host at an address: a URL, or the path of a Unix socket. */
export async function dialHost(
  ctx: DaemonContext,
  address: string,
  {
    name = "terminal",
    reconnect,
    now = () => address,
    times,
    ...options
  }: Readonly<Record<string, unknown>> & DialOptions = {},
): Promise<RemoteClient> {
  const url = urlOf(address);
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  const transport = transports.find(({ schemes = [], dial }) => dial && url && schemes.includes(url.protocol));
  if (!url || !transport?.dial) {
    const known = transports.flatMap(({ schemes = [] }) => schemes);
    throw errors.DAEMON_ADDRESS({ address: withoutPassword(address), known, near: nearAddress(address) });
  }
  const { dial: open } = transport;
  // The first connection may take long, since a person may have to type a password.
  let first: Channel | undefined = await open(url, options);
  const dial = () => {
    const channel = first ?? open(urlOf(now()) ?? url, { ...options, again: true });
    first = undefined;
    return channel;
  };
  const failed = (thrown: unknown) => ctx.logger.warn("A listener of a host elsewhere failed", thrown);
  const called = typeof name === "string" ? name : name();
  const { version } = ctx.launch;
  const startedBy = address.startsWith("/") ? "scorel host serve" : undefined;
  return connectHost({ dial, address, times, startedBy, name: called, version, reconnect, listenerFailed: failed });
}

/** The address of a host in the options of a command; undefined for none. Throws DAEMON_ADDRESSES. */
export function namedAddress(ctx: DaemonContext, options: Readonly<Record<string, unknown>>): string | undefined {
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  const addresses = [options.url, ...transports.map(({ address }) => address?.(options))].filter(
    (address) => typeof address === "string",
  );
  if (addresses.length > 1) throw errors.DAEMON_ADDRESSES({ addresses: addresses.map(withoutPassword) });
  if (addresses.length === 0)
    for (const { flags } of transports.flatMap(({ dialOptions = [], address }) => (address ? [] : dialOptions))) {
      const { option, value } = givenFor(flags, options);
      if (value !== undefined) throw errors.DAEMON_NO_ADDRESS({ option });
    }
  return addresses[0];
}

/** The command line that attaches to the same host, with the options that contain its address. */
export function attachCommand(ctx: DaemonContext, options: Readonly<Record<string, unknown>>): string {
  const named = ctx.collect("transports").flatMap(({ value }) => value.flatMap(({ dialOptions = [] }) => dialOptions));
  const given = ["--url <address>", ...named.map(({ flags }) => flags)].flatMap((flags) => {
    const { option, value } = givenFor(flags, options);
    return typeof value === "string" ? [option, shellWord(lineOf(withoutPassword(value)))] : [];
  });
  return ["scorel attach", ...given].join(" ");
}

/** An option with its value. */
function givenFor(flags: string, options: Readonly<Record<string, unknown>>): { option: string; value: unknown } {
  const [option = ""] = flags.split(" ");
  const key = option.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { option, value: options[key] };
}

/** Completes an address such as `localhost:7777` or `127.0.0.1:7777/ws` to a URL; undefined for other forms. */
function nearAddress(address: string): string | undefined {
  return /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\]):\d{1,5}(?:\/\w*)?$/i.test(address) ? `ws://${address}` : undefined;
}

/**
 * An address without what precedes its last @, which may be a password with any characters. Paths have no password, and neither has
 * `user@host`, as SSH takes it.
 */
function withoutPassword(address: string): string {
  return /^(?:\/|unix:|[\w.-]+@[\w.-]+$)/.test(address) ? address : address.replace(/^([\w+.-]+:\/\/)?.*@/s, "$1…@");
}

function urlOf(address: string): URL | undefined {
  if (address.startsWith("/")) return new URL(`unix:${pathToFileURL(address).pathname}`);
  return URL.canParse(address) ? new URL(address) : undefined;
}
