import type { Ledger, Problem, SessionHeader, Store, StoredEvent } from "@scorel/kernel";

/**
 * Where the logs of sessions are kept: one file for each session, named `<sessionId><ending>`. The host keeps its lock and
 * other small files beside it, named after the session, too.
 */
export interface Logs {
  /** The version that the header of a new log bears. */
  readonly version: number;
  /** How the names of the files end, such as `.jsonl`. */
  readonly ending: string;
  /** The store of one log, for a kernel to open. */
  open(path: string, options?: LogOptions): Store;
  /** The ids of the sessions whose logs lie in a directory; none when there is no such directory. Throws what the system says. */
  list(directory: string): string[];
  /** What the beginning of a log says. Throws STORE_READ and STORE_HEADER. */
  header(path: string): LogHeader;
  /** Reads a whole log and checks it; never changes it. Throws STORE_READ and STORE_HEADER. */
  scan(path: string): LogScan;
  /** The events that a log got since it had `size` bytes; undefined when they are not sound. Default: the log is read whole. */
  since?(path: string, header: SessionHeader, size: number): readonly StoredEvent[] | undefined;
  /** Some of the first and some of the last events of a large log of `size` bytes. Default: the log is read whole. */
  ends?(path: string, size: number): { head: readonly StoredEvent[]; tail: readonly StoredEvent[] };
  /** The state of the file that `LogOptions.index` names. Default: the store makes none. */
  indexState?(path: string): "none" | "whole" | "damaged";
}

export interface LogOptions {
  /** The header of a new log; the file appears with the first append. */
  create?: SessionHeader;
  /** Neither repairs nor appends. */
  readOnly?: boolean;
  /**
   * With `readOnly`: of a log that is longer, only about so many bytes at its end are read. Events before them, and what
   * follows from these, are missing. A store may read all of it instead.
   */
  tail?: number;
  /** A file where a store may keep what it knows of a long log, so that the next opening reads only what was written since. */
  index?: string;
}

/** What the beginning of a log tells. */
export interface LogHeader {
  header: SessionHeader;
  problems: Problem[];
  /** Why nothing may be appended to the log; absent when it may. */
  readOnly?: string;
}

/** A whole log; its events are read when they are asked for. */
export interface LogScan extends LogHeader {
  ledger: Ledger;
  /** Where the record of a row stands. */
  placeOf(row: number): { line: number; offset: number };
  bytes: number;
  /** Bytes at the end that are no whole record. */
  torn?: { offset: number; length: number };
  /** The last record is whole, but its newline is missing. */
  unterminated?: boolean;
}

declare module "@scorel/kernel" {
  interface Services {
    /** Opens, lists and checks the logs of sessions. Another plugin may provide it, to keep them elsewhere. */
    logs: Logs;
  }
}
