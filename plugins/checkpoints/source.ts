import type { Clock } from "./clock.ts";
import type { Seen, Tracked } from "./seen.ts";

/** The paths that one look goes through. */
export interface Listing {
  /** Every other file is what it was known to be. */
  suspects: Iterable<string>;
  /** Whether commands are covered as to this path. */
  lists(path: string): boolean;
  tracked(path: string): Tracked | undefined;
  /** Called when all suspects were looked at and what they are is known. */
  accept(): void;
}
/** Says what a look has to go through; a text says why nothing can be said. */
export interface Source {
  list(known: ReadonlyMap<string, Seen>, clock: Clock): Promise<Listing | string>;
  close(): void;
}
