import { base32 } from "../protocol/base32.ts";
import { PLACE_DIGITS } from "../protocol/code.ts";
import type { Primitives } from "../protocol/primitives.ts";
import { Allowance, Allowances, type RelayLimits } from "./limits.ts";
import type { Peer } from "./peer.ts";

/** Bytes of which the digits of a place are made. */
const RANDOM_BYTES = 5;

interface Place {
  host: Peer;
  until: number;
  joins: number;
}

/** Where hosts that pair are found: three digits, for five minutes. Who guesses places is slowed down. */
export class Places {
  readonly #places = new Map<string, Place>();
  readonly #limits: RelayLimits;
  readonly #primitives: Primitives;
  readonly #joins: Allowance;
  readonly #joinsOfAddress: Allowances;

  readonly #ended: (place: string) => void;

  constructor(
    { limits, primitives, now }: { limits: RelayLimits; primitives: Primitives; now: number },
    ended: (place: string) => void,
  ) {
    this.#ended = ended;
    this.#limits = limits;
    this.#primitives = primitives;
    this.#joins = new Allowance(limits.joins, now);
    this.#joinsOfAddress = new Allowances(limits.joinsOfAddress);
  }

  get size(): number {
    return this.#places.size;
  }

  /** A place for a host; undefined when its address has too many. A place that the host had before is gone. */
  offer(host: Peer, now: number): string | undefined {
    this.withdraw(host);
    const ofAddress = [...this.#places.values()].filter(({ host: { address } }) => address === host.address).length;
    if (ofAddress >= this.#limits.placesOfAddress) return undefined;
    const place = this.#unused();
    this.#places.set(place, { host, until: now + this.#limits.placeMs, joins: 0 });
    host.place = place;
    return place;
  }

  withdraw(host: Peer): void {
    if (host.place === undefined) return;
    this.#places.delete(host.place);
    this.#ended(host.place);
    host.place = undefined;
  }

  /** Counts a try to join a place, also one that does not exist. False if there were too many. */
  mayTry(address: string, now: number): boolean {
    return this.#joinsOfAddress.tryTake(address, now) && this.#joins.tryTake(now);
  }

  /** The host at a place, to which another guest is led. */
  join(name: string, now: number): Peer | undefined {
    const place = this.#places.get(name);
    if (!place) return undefined;
    if (now < place.until && ++place.joins <= this.#limits.joinsOfPlace) return place.host;
    this.withdraw(place.host);
    return undefined;
  }

  /** Forgets the places whose time is over. */
  sweep(now: number): void {
    for (const { host, until } of this.#places.values()) if (now >= until) this.withdraw(host);
    this.#joinsOfAddress.sweep(now);
  }

  #unused(): string {
    for (;;) {
      const place = base32(this.#primitives.random(RANDOM_BYTES)).slice(0, PLACE_DIGITS);
      if (!this.#places.has(place)) return place;
    }
  }
}
