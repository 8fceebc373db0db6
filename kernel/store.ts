import { freeze } from "@scorel/kit/values/freeze";
import { isId } from "@scorel/kit/values/id";
import { Ledger, type LedgerImage } from "./ledger.ts";
import type { AnyEvent, EventId, SessionHeader, StoredEvent } from "./types.ts";

// `@scorel/kernel/store` is this module: all that whoever writes a store needs.
export { freeze, isId, Ledger, type LedgerImage };

/** Damage found while opening: what is on this line, or what is no longer. */
export interface Problem {
  /** 1-based line of the file; the header is line 1. */
  line: number;
  /** Byte offset of the line's start. */
  offset: number;
  /** `torn`, `crc`, `json`, `shape`, `empty`, `unchecked` … and, after a colon, details. */
  reason: string;
  /** Bytes of history are gone because of it. */
  lost: boolean;
}
/** The contents of a store when it was opened. */
export interface Opened {
  header: SessionHeader;
  /** Every record in file order, and the way to read each. Whoever appends adds a row for each record. */
  ledger: Ledger;
  /** What was kept of the rows before, by an earlier `keep`; rows behind it are new. */
  image?: LogImage;
  /** Grows when a record turns out damaged later. */
  problems: readonly Problem[];
  /** Why nothing may be appended; absent when it may. */
  readOnly?: string;
}

/** The state that a log computed from its first rows, kept for the next opening. */
export interface LogImage {
  rows: number;
  /** For each type of the ledger, which plugin of which version said how it moves the leaf. */
  signatures: readonly string[];
  tree: { root: number; leaf: number; activeLeaf: EventId | null };
  projections: readonly ProjectionImage[];
  flags: Uint8Array;
}
/** The state of a projection as its plugin, in this version, had it. */
export interface ProjectionImage {
  plugin: string;
  version: string;
  name: string;
  over: "log" | "path";
  /** How many rows a `log` projection has taken in; the row at which the state of a `path` one is. */
  at: number;
  state: unknown;
}

/**
 * Where one log is kept. Synchronous where the writer's turn is: what `append` has taken survives a
 * killed process. What `sync` has answered survives a power loss.
 */
export interface Store {
  /** `onDamage` hears of a record that was whole when the log was opened and is no more when it is read. */
  open(onDamage?: (problem: Problem) => void): Opened;
  /**
   * Writes records (one event's JSON each) all together or not at all; throws STORE_WRITE, STORE_READ_ONLY,
   * and STORE_GONE, STORE_MOVED or STORE_CHANGED when somebody else did something to the file.
   * `events`, when given, are what reading the records would yield.
   */
  append(records: readonly string[], events?: readonly StoredEvent[]): void;
  /** The rows, from `first` on, whose JSON contains a text of plain characters. May name others too. */
  search(text: string, first: number): readonly number[];
  /**
   * May keep what `image` makes beside the log, where that spares the next opening enough; nothing depends on it.
   * `replayed`: rows that were gone through since, for want of what is in the image now.
   */
  keep?(image: () => LogImage, replayed: number): void;
  /** Rejects with STORE_SYNC: what was appended is there, but may not survive a power loss. */
  sync(): Promise<void>;
  /** Sees a transient before it is announced; it is announced once the answer, if any, has settled. */
  stage?(event: AnyEvent): Promise<void> | undefined;
  close(): Promise<void>;
}

/** A store that forgets: for the host's own log and for tests. */
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
      records.push(...added);
    },
    search: (text, first) => records.flatMap((record, row) => (row >= first && record.includes(text) ? row : [])),
    sync: async () => {},
    close: async () => {},
  };
}
