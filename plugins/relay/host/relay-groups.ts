/**
 * The relays of this host. A group is the relays of one owner, which share a bus: the host is connected with one of them. In the file, a
 * group is a list, or a single address.
 */

import { errors } from "../errors.ts";
import { changeRelays, hostRecord, MAX } from "./devices.ts";

export interface RelayGroup {
  /** In the order in which they are tried; at least one. */
  addresses: readonly string[];
  /** Whether devices are told the addresses. Not if the group has always had a single one, which all devices know. */
  isTold: boolean;
}

/** The stored groups, in the order in which they were added. */
export function relayGroups(): RelayGroup[] {
  return hostRecord().relays.map((each) => ({ addresses: [each].flat(), isTold: typeof each !== "string" }));
}

/** The group for addresses that a person has named: for a single known address, the known group that contains it. */
export function groupOf(addresses: readonly string[]): RelayGroup {
  const known = relayGroups().filter((group) => isShared(group.addresses, addresses));
  if (known[0] && addresses.length === 1) return known[0];
  return { addresses, isTold: addresses.length > 1 || known.some(({ isTold }) => isTold) };
}

/** Stores a group. It replaces stored groups that share an address with it. Throws RELAY_MANY if there are too many relays. */
export async function keepGroup({ addresses, isTold }: RelayGroup): Promise<void> {
  const kept = isTold ? [...addresses] : (addresses[0] as string);
  await changeRelays((now) => {
    const at = now.findIndex((each) => isShared([each].flat(), addresses));
    if (at >= 0 && JSON.stringify(now[at]) === JSON.stringify(kept)) return now;
    const others = now.filter((each, index) => index === at || !isShared([each].flat(), addresses));
    const next = at < 0 ? [...others, kept] : others.map((each) => (each === now[at] ? kept : each));
    if (next.flat().length > MAX.relays) throw errors.RELAY_MANY({ what: "relays", max: MAX.relays });
    return next;
  });
}

/** Takes an address out of its group. */
export async function dropRelay(address: string): Promise<void> {
  await changeRelays((now) =>
    now
      .map((each) => (typeof each === "string" ? each : each.filter((one) => one !== address)))
      .filter((each) => each !== address && each.length > 0),
  );
}

/** Whether two groups share an address. */
export function isShared(some: readonly string[], others: readonly string[]): boolean {
  return some.some((address) => others.includes(address));
}
