import type { Primitives } from "../protocol/primitives.ts";
import type { Bus } from "./bus/bus.ts";
import type { RelayLimits } from "./limits.ts";
import type { Revocations } from "./revocations.ts";

export interface RelayOptions {
  primitives: Primitives;
  limits: RelayLimits;
  revocations: Revocations;
  /** Names by which peers may reach this relay, such as `relay.example`. */
  authorities(): Iterable<string>;
  /** Connects this relay to the owner's other relays. */
  bus: Bus;
  /** Shows a warning to the owner of the relay. */
  warn(message: string): void;
  /** `now`: milliseconds of a monotonic clock. `wallClock`: milliseconds since 1970. */
  now(): number;
  wallClock(): number;
}

/** Numbers for the owner of a relay. */
export interface RelayCounts {
  hosts: number;
  clients: number;
  guests: number;
  /** Connections that have not said hello. */
  strangers: number;
  routes: number;
  places: number;
  /** DATA frames passed on since the relay was started. */
  frames: number;
}
