import { base32 } from "../protocol/base32.ts";
import { PLACE_DIGITS } from "../protocol/code.ts";
import type { Primitives } from "../protocol/primitives.ts";
import { Allowance, Allowances, type RelayLimits } from "./limits.ts";
import type { Peer } from "./peer.ts";
import { Tally } from "./tally.ts";

/** Random bytes from which the digits of a place are made. */
const RANDOM_BYTES = 5;
/** Half of all places that can be written with three digits, so that a free one is soon found. */
const MAX_PLACES = 32 ** PLACE_DIGITS / 2;

interface Place {
  host: Peer;
  until: number;
  joins: number;
}

/** Pairing places: three digits under which guests find a host, for five minutes. Guessing is limited. */
export class Places {
  private readonly places = new Map<string, Place>();
  private readonly limits: RelayLimits;
  private readonly primitives: Primitives;
  private readonly joins: Allowance;
  private readonly joinsOfAddress: Allowances;
  private readonly ofAddress = new Tally();
  private readonly ended: (place: string) => void;

  constructor(
    { limits, primitives, now }: { limits: RelayLimits; primitives: Primitives; now: number },
    ended: (place: string) => void,
  ) {
    this.ended = ended;
    this.limits = limits;
    this.primitives = primitives;
    this.joins = new Allowance(limits.joins, now);
    this.joinsOfAddress = new Allowances(limits.joinsOfAddress);
  }

  get size(): number {
    return this.places.size;
  }

  /** Assigns a place to a host, which loses its previous place. Undefined if its address has too many, or all together. */
  offer(host: Peer, now: number): string | undefined {
    this.withdraw(host);
    const isFull = this.places.size >= MAX_PLACES;
    if (isFull || this.ofAddress.of(host.address) >= this.limits.placesOfAddress) return undefined;
    const place = this.unused();
    this.ofAddress.add(host.address);
    this.places.set(place, { host, until: now + this.limits.placeMs, joins: 0 });
    host.place = place;
    return place;
  }

  withdraw(host: Peer): void {
    if (host.place === undefined) return;
    this.places.delete(host.place);
    this.ofAddress.remove(host.address);
    this.ended(host.place);
    host.place = undefined;
  }

  /** Counts an attempt to join a place, even one that does not exist. Returns false if there were too many. */
  mayTry(address: string, now: number): boolean {
    return this.joinsOfAddress.tryTake(address, now) && this.joins.tryTake(now);
  }

  /** Returns the host at a place, and counts another guest for it. Undefined if there is no such place. */
  join(name: string, now: number): Peer | undefined {
    const place = this.places.get(name);
    if (!place) return undefined;
    if (now < place.until && ++place.joins <= this.limits.joinsOfPlace) return place.host;
    this.withdraw(place.host);
    return undefined;
  }

  /** Removes places that have expired. */
  sweep(now: number): void {
    for (const { host, until } of this.places.values()) if (now >= until) this.withdraw(host);
    this.joinsOfAddress.sweep(now);
  }

  private unused(): string {
    for (;;) {
      const place = base32(this.primitives.random(RANDOM_BYTES)).slice(0, PLACE_DIGITS);
      if (!this.places.has(place)) return place;
    }
  }
}
