import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { isLoopback } from "@scorel/kit/net/loopback";

/** Addresses of this machine, and of services of its network that only it can reach, such as those with a cloud's keys. */
const own = new BlockList();
own.addSubnet("0.0.0.0", 8, "ipv4");
own.addSubnet("127.0.0.0", 8, "ipv4");
own.addSubnet("169.254.0.0", 16, "ipv4");
own.addAddress("::", "ipv6");
own.addAddress("::1", "ipv6");
own.addSubnet("fe80::", 10, "ipv6");
// Where AWS, Google, Alibaba and Azure answer with data of the machine, other than at 169.254.169.254.
own.addAddress("fd00:ec2::254", "ipv6");
own.addAddress("fd20:ce::254", "ipv6");
own.addAddress("100.100.100.200", "ipv4");
own.addAddress("168.63.129.16", "ipv4");

/**
 * How the name of a host is looked up. A person approves a host by its name, so a name of the internet must not lead to this machine: its
 * owner could change where it leads at any time. Undefined for an address or a name that says itself that it is local.
 */
export function lookupFor({ hostname }: URL, resolve = lookup as LookupFunction): LookupFunction | undefined {
  if (isLoopback(hostname) || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return undefined;
  return (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "", 0);
      const addresses = found as LookupAddress[];
      const local = addresses.find(({ address, family }) => own.check(address, family === 6 ? "ipv6" : "ipv4"));
      if (local) return done(new Error(`${host} leads to ${local.address}, an address of this machine`), "", 0);
      if (options.all) return done(null, addresses);
      const [first] = addresses;
      return done(null, first?.address ?? "", first?.family ?? 0);
    });
}
