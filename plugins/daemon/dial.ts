import { pathToFileURL } from "node:url";
import { connectHost, type RemoteClient } from "@scorel/host/client";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";

/** Connects to the host at an address: a URL, or the path of a Unix socket. */
export async function dialHost(
  ctx: DaemonContext,
  address: string,
  { reconnect, ...options }: Readonly<Record<string, unknown>> & { reconnect?: boolean } = {},
): Promise<RemoteClient> {
  const url = urlOf(address);
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  const transport = transports.find(({ schemes = [], dial }) => dial && url && schemes.includes(url.protocol));
  if (!url || !transport?.dial) {
    const known = transports.flatMap(({ schemes = [] }) => schemes);
    throw errors.DAEMON_ADDRESS({ address, known });
  }
  const dial = async () => transport.dial?.(url, options) as ReturnType<NonNullable<typeof transport.dial>>;
  const failed = (thrown: unknown) => ctx.logger.warn("A listener of a host elsewhere failed", thrown);
  return connectHost({ dial, name: "terminal", version: ctx.launch.version, reconnect, listenerFailed: failed });
}

function urlOf(address: string): URL | undefined {
  if (address.startsWith("/")) return new URL(`unix:${pathToFileURL(address).pathname}`);
  return URL.canParse(address) ? new URL(address) : undefined;
}
