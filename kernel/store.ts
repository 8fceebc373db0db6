import type { AnyEvent, SessionHeader, StoredEvent } from "./types.ts";

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
/** What a store held when it was opened. */
export interface Opened {
  header: SessionHeader;
  /** In file order. */
  events: StoredEvent[];
  problems: Problem[];
  /** Why nothing may be appended; absent when it may. */
  readOnly?: string;
}

/**
 * Where one log is kept. Synchronous where the writer's turn is: what `append` has taken survives a
 * killed process. What `sync` has answered survives a power loss.
 */
export interface Store {
  open(): Opened;
  /** Writes records (one event's JSON each) all together or not at all; throws STORE_WRITE, STORE_GONE, STORE_READ_ONLY. */
  append(records: readonly string[]): void;
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
  return {
    records,
    open: () => ({ header, events: records.map((record) => JSON.parse(record) as StoredEvent), problems: [] }),
    append: (added) => void records.push(...added),
    sync: async () => {},
    close: async () => {},
  };
}
