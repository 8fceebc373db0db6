import { lookup as systemLookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { errors } from "./errors.ts";

/** Answers all addresses of a name. */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** An address that a connection may be made to, and no other. */
export interface Pinned {
  address: string;
  family: 4 | 6;
}

/** Of version 4, what leads to no public machine: this one, private, shared and link-local nets, tests, groups, the future. */
const closed = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // Where one cloud answers its machines.
  ["168.63.129.16", 32],
] as const)
  closed.addSubnet(net, bits, "ipv4");

/** Of version 6, only what is given out to public machines, without tunnels that hide an address of version 4. */
const open = new BlockList();
open.addSubnet("2000::", 3, "ipv6");
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  closed.addSubnet(net, bits, "ipv6");

/** Whether an address can only be a public machine's. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, "ipv4");
  return version === 6 && !address.includes("%") && open.check(address, "ipv6") && !closed.check(address, "ipv6");
}

/** Whether the user has named the host, or the host with this port. */
export function isAllowed({ hostname, port, protocol }: URL, allowHosts: readonly string[]): boolean {
  const host = bare(hostname);
  const withPort = `${host.includes(":") ? `[${host}]` : host}:${port || (protocol === "https:" ? "443" : "80")}`;
  return allowHosts.some((entry) => bare(entry) === host || entry.trim().toLowerCase() === withPort);
}

/** The only addresses that a request may go to. Throws SKILLSTORE_HOST, when there are none or one of them is not public. */
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
