import { BlockList, isIP } from "node:net";

/** IPv4 addresses that are not public: local, private, shared, link-local, test, multicast and reserved ranges. */
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
  // A cloud provider's internal service address.
  ["168.63.129.16", 32],
] as const)
  closed.addSubnet(net, bits, "ipv4");

/** IPv6 ranges of public hosts. Tunnels, which hide an IPv4 address, are in `closed`. */
const open = new BlockList();
open.addSubnet("2000::", 3, "ipv6");
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  closed.addSubnet(net, bits, "ipv6");

/** Whether an address is certainly public. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, "ipv4");
  return version === 6 && !address.includes("%") && open.check(address, "ipv6") && !closed.check(address, "ipv6");
}
