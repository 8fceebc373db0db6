import type { Primitives } from "../protocol/primitives.ts";
import type { Bus } from "./bus/bus.ts";
import type { RelayLimits } from "./limits.ts";
import type { Revocations } from "./revocations.ts";

export interface RelayOptions {
  primitives: Primitives;
  limits: RelayLimits;
  revocations: Revocations;
  /** The names by which peers may know this relay, such as `relay.example`. */
  authorities(): Iterable<string>;
  /** Leads to the other relays of the same owner. */
  bus: Bus;
  /** For the owner of the relay. */
  warn(message: string): void;
  /** Milliseconds: of a clock that nobody sets, and since 1970. */
  now(): number;
  wallClock(): number;
}

/** Counts for the owner of a relay. */
export interface RelayCounts {
  hosts: number;
  clients: number;
  guests: number;
  /** Connections that have not said hello. */
  strangers: number;
  routes: number;
  places: number;
  /** DATA frames that were passed on since the relay began. */
  frames: number;
}
