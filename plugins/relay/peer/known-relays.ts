/** The relays of a host that a paired device knows. Runs in browsers, too. */

import { isLoopback } from "@scorel/kit/net/loopback";
import { errors } from "../errors.ts";
import { MAX_ADDRESS_BYTES, MAX_ADDRESSES } from "../protocol/addresses.ts";
import { relayAddress } from "./address.ts";

export interface KnownRelays {
  /** The first one that was named when the device was paired. */
  relay: string;
  /** The others that were named then. */
  others?: readonly string[] | undefined;
  /** Those that the host itself has named. */
  told?: readonly string[] | undefined;
}

/**
 * All addresses in the order in which they are tried. Those that a person has named come first, since they are known to work from this
 * computer.
 */
export function relaysOf({ relay, others = [], told = [] }: KnownRelays): string[] {
  return [...new Set([relay, ...others, ...told])];
}

/** The addresses named by the host that this device can use; undefined if none of them is new. */
export function takenFrom(known: KnownRelays, told: readonly string[]): string[] | undefined {
  const named = relaysOf({ ...known, told: [] });
  const isNearby = named.some((address) => isLoopback(new URL(address).hostname));
  const isPlain = named.some((address) => !isNearby && address.startsWith("ws:"));
  const usable = told.filter((address) => isUsable(address, { isNearby, isPlain }));
  const isKnown = usable.join() === (known.told ?? []).join();
  return usable.length === 0 || isKnown ? undefined : usable;
}

/**
 * Whether a device can use an address. Without TLS, only if its user has agreed to that; and an address such as localhost would be another
 * computer for the device than for the host.
 */
function isUsable(address: string, { isNearby, isPlain }: { isNearby: boolean; isPlain: boolean }): boolean {
  try {
    const whole = relayAddress(address, { insecure: isPlain });
    return whole === address && (isNearby || !isLoopback(new URL(address).hostname));
  } catch {
    return false;
  }
}

/**
 * Checks the relays of one owner that a person has named, as a list or separated by commas. Throws RELAY_ADDRESS, RELAY_PLAIN,
 * RELAY_ADDRESSES.
 */
export function relayAddresses(given: string | readonly string[], { insecure = false } = {}): string[] {
  const each = [given].flat().flatMap((list) => list.split(",").map((text) => relayAddress(text, { insecure, list })));
  const addresses = [...new Set(each)];
  if (addresses.length > MAX_ADDRESSES || addresses.some((address) => address.length > MAX_ADDRESS_BYTES))
    throw errors.RELAY_ADDRESSES({ max: MAX_ADDRESSES });
  return addresses;
}
