import { isIPv6 } from "node:net";

/** The limits that a relay sets for its peers. Times are in milliseconds. */
export interface RelayLimits {
  /** Time for the TLS handshake of a connection, and for a whole request to arrive. */
  requestMs: number;
  /** Time within which a connection has to say hello. */
  helloMs: number;
  /** Most connections at the same time that have not said hello. */
  strangers: number;
  socketsOfIdentity: number;
  socketsOfAddress: number;
  /** Most open routes on one connection, by the role of its peer. */
  routes: { client: number; host: number; guest: number };
  watches: number;
  /** What a connection may send. If it sends more, it is read more slowly. */
  frames: Rate;
  bytes: Rate;
  /** Bytes that may wait to be sent to a peer. Beyond that, a route on which more arrives is closed. */
  unsent: number;
  /** Milliseconds of silence after which a peer is pinged, and after which it counts as gone. */
  pingMs: number;
  silentMs: number;
  /** Most pairing codes that one address may have open at the same time, and the milliseconds for which a code is valid. */
  placesOfAddress: number;
  placeMs: number;
  /** Attempts to join a place: by one address, by all addresses together, and for one place. */
  joinsOfAddress: Rate;
  joins: Rate;
  joinsOfPlace: number;
  /** New revocations from the hosts of one address. A host may send all that it has, 1,000, when it is new at a relay. */
  revocationsOfAddress: Rate;
  /** Longest time of a connection that is only used to pair. */
  guestMs: number;
}

/** A limit: `burst` at once, and `perSecond` on average. */
export interface Rate {
  burst: number;
  perSecond: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: RelayLimits = {
  requestMs: 5_000,
  helloMs: 5_000,
  strangers: 4_000,
  socketsOfIdentity: 64,
  socketsOfAddress: 256,
  routes: { client: 64, host: 1_024, guest: 1 },
  watches: 64,
  frames: { burst: 10_000, perSecond: 2_000 },
  bytes: { burst: 16 * MIB, perSecond: 4 * MIB },
  unsent: 4 * MIB,
  pingMs: 10_000,
  silentMs: 25_000,
  placesOfAddress: 100,
  placeMs: 300_000,
  joinsOfAddress: { burst: 10, perSecond: 10 / 60 },
  joins: { burst: 100, perSecond: 100 / 60 },
  joinsOfPlace: 5,
  revocationsOfAddress: { burst: 1_000, perSecond: 0.1 },
  guestMs: 600_000,
};

/** A token bucket: the remaining part of a rate, refilled with time, up to the burst. */
export class Allowance {
  private readonly rate: Rate;
  private left: number;
  private at: number;

  constructor(rate: Rate, now: number) {
    this.rate = rate;
    this.left = rate.burst;
    this.at = now;
  }

  /** Takes `count`, even if less is left. Returns the milliseconds until the debt is paid off. */
  take(count: number, now: number): number {
    const { burst, perSecond } = this.rate;
    this.left = Math.min(burst, this.left + ((now - this.at) / 1_000) * perSecond) - count;
    this.at = now;
    return this.left >= 0 ? 0 : (-this.left / perSecond) * 1_000;
  }

  /** Takes one. Returns false if none is left. */
  tryTake(now: number): boolean {
    if (this.take(1, now) === 0) return true;
    this.left++;
    return false;
  }

  isFull(now: number): boolean {
    return this.take(0, now) === 0 && this.left >= this.rate.burst;
  }
}

/** One allowance for each address. Full ones are dropped by `sweep`. */
export class Allowances {
  private readonly rate: Rate;
  private readonly byAddress = new Map<string, Allowance>();

  constructor(rate: Rate) {
    this.rate = rate;
  }

  tryTake(address: string, now: number): boolean {
    const allowance = this.byAddress.get(address) ?? new Allowance(this.rate, now);
    this.byAddress.set(address, allowance);
    return allowance.tryTake(now);
  }

  sweep(now: number): void {
    for (const [address, allowance] of this.byAddress) if (allowance.isFull(now)) this.byAddress.delete(address);
  }
}

/**
 * Identifies the connection of one customer: an IPv4 address, or the first 64 bits of an IPv6 address, since each customer has all
 * addresses that begin with them.
 */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = plain.toLowerCase().replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = !tail ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
