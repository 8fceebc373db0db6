import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublic } from "@scorel/kit/net/public-address";
import { errors } from "./errors.ts";

/** Resolves a name to all its addresses. */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** An address to which a connection may be made. */
export interface Pinned {
  address: string;
  family: 4 | 6;
}

/** Whether the user allowed the host, or the host with this port. */
export function isAllowed({ hostname, port, protocol }: URL, allowHosts: readonly string[]): boolean {
  const host = bare(hostname);
  const withPort = `${host.includes(":") ? `[${host}]` : host}:${port || (protocol === "https:" ? "443" : "80")}`;
  return allowHosts.some((entry) => bare(entry) === host || entry.trim().toLowerCase() === withPort);
}

/** The addresses to which a request may connect. Throws SKILLSTORE_HOST when there are none or one is not public. */
export async function pinnedTo(
  url: URL,
  allowHosts: readonly string[],
  lookup: Lookup = (host) => systemLookup(host, { all: true }),
): Promise<Pinned[]> {
  const { host } = url;
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const found = isIP(name) ? [{ address: name, family: isIP(name) }] : await lookup(name);
  if (found.length === 0) throw errors.SKILLSTORE_HOST({ host, reason: "it has no address" });
  const inside = isAllowed(url, allowHosts) ? undefined : found.find(({ address }) => !isPublic(address));
  if (inside)
    throw errors.SKILLSTORE_HOST({
      host,
      reason: `${inside.address} is an address of this machine or of a private network`,
    });
  return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
}

function bare(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$|\.$/g, "");
}
