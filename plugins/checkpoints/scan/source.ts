import type { Clock } from "./clock.ts";
import type { ScannedFile, Tracked } from "./scanned-file.ts";

/** The paths that a scan has to examine. */
export interface Listing {
  /** Files that may have changed; all others are unchanged. */
  suspects: Iterable<string>;
  /** Whether changes of commands at this path are covered. */
  lists(path: string): boolean;
  tracked(path: string): Tracked | undefined;
  /** Called after all suspects were examined. */
  accept(): void;
}
/** Lists what a scan has to examine; a string is the reason why it cannot. */
export interface Source {
  list(known: ReadonlyMap<string, ScannedFile>, clock: Clock): Promise<Listing | string>;
  close(): void;
}
