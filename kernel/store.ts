import { freeze } from "@scorel/kit/values/freeze";
import { isId } from "@scorel/kit/values/id";
import { Ledger, type LedgerImage } from "./tree/ledger.ts";
import type { AnyEvent, EventId, SessionHeader, StoredEvent } from "./types.ts";

// This module is `@scorel/kernel/store`. It exports everything that the author of a store needs.
export { freeze, isId, Ledger, type LedgerImage };

/** Damage found in a log: a record that is unreadable or missing. */
export interface Problem {
  /** 1-based line of the file; the header is line 1. */
  line: number;
  /** Byte offset of the start of the line. */
  offset: number;
  /** `torn`, `crc`, `json`, `shape`, `empty`, `unchecked` …, optionally followed by a colon and details. */
  reason: string;
  /** Whether recorded history was lost. */
  lost: boolean;
}
/** The contents of a store when it was opened. */
export interface Opened {
  header: SessionHeader;
  /** One row for each record, in file order, with a function to read it. The log adds a row for each record it appends. */
  ledger: Ledger;
  /** The image of an earlier `keep`, if it covers the first rows. Later rows have to be linked. */
  image?: LogImage;
  /** Damage found so far. The list grows when a damaged record is found later. */
  problems: readonly Problem[];
  /** Why the log is read-only. Absent if it can be written. */
  readOnly?: string;
}

/** The state that a log computed from its first rows, stored so that the next opening is faster. */
export interface LogImage {
  rows: number;
  /** For each type in the ledger, the plugin and version that defined how it moves the active leaf. */
  signatures: readonly string[];
  tree: { root: number; leaf: number; activeLeaf: EventId | null };
  projections: readonly ProjectionImage[];
  flags: Uint8Array;
}
/** The state of a projection, with the plugin and version that computed it. */
export interface ProjectionImage {
  plugin: string;
  version: string;
  name: string;
  over: "log" | "path";
  /** Projection over `log`: the number of rows applied. Over `path`: the row that the state belongs to. */
  at: number;
  state: unknown;
}

/**
 * Stores one log. `append` is synchronous, and once it returns the records survive a killed process. Once `sync` resolves,
 * they survive a power loss.
 */
export interface Store {
  /** Opens the log. `onDamage` is called when a record that was intact at opening turns out to be damaged when it is read. */
  open(onDamage?: (problem: Problem) => void): Opened;
  /**
   * Writes all records, each the JSON of one event, or none of them. Throws STORE_WRITE or STORE_READ_ONLY, or STORE_GONE,
   * STORE_MOVED or STORE_CHANGED if another process changed the file. `events` are the parsed records, if the caller has them.
   */
  append(records: readonly string[], events?: readonly StoredEvent[]): void;
  /** Returns the rows from `first` on whose JSON contains `text` (plain characters). May return other rows too. */
  search(text: string, first: number): readonly number[];
  /**
   * Optionally stores the result of `image` beside the log, if that makes the next opening fast enough to be worth it.
   * `replayed` is the number of rows that had to be replayed since opening and that the image would have saved.
   */
  keep?(image: () => LogImage, replayed: number): void;
  /** Syncs to disk. Rejects with STORE_SYNC; the appended records are then written but may not survive a power loss. */
  sync(): Promise<void>;
  /** Called before a transient event is announced. If it returns a promise, the event is announced once that settles. */
  stage?(event: AnyEvent): Promise<void> | undefined;
  close(): Promise<void>;
}

/** Creates a store in memory, for the host's own log and for tests. */
export function createMemoryStore(
  header: SessionHeader,
  events: readonly StoredEvent[] = [],
): Store & { readonly records: string[] } {
  const records: string[] = events.map((event) => JSON.stringify(event));
  const kept: (StoredEvent | undefined)[] = [];
  const read = (row: number) => {
    kept[row] ??= freeze(JSON.parse(records[row] as string) as StoredEvent);
    return kept[row];
  };
  return {
    records,
    open: () => ({ header, ledger: Ledger.of(records.length, read), problems: [] }),
    append: (added, given = []) => {
      for (const [index, event] of given.entries()) kept[records.length + index] = event;
      for (const record of added) records.push(record);
    },
    search: (text, first) => records.flatMap((record, row) => (row >= first && record.includes(text) ? row : [])),
    sync: async () => {},
    close: async () => {},
  };
}
