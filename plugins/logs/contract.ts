import type { SessionHeader, StoredEvent } from "@scorel/kernel";
import type { Ledger, Problem, Store } from "@scorel/kernel/store";

/**
 * Stores the logs of sessions, each in a file `<sessionId><ending>`. The host stores its lock and other small files of the session
 * beside it.
 */
export interface Logs {
  /** The version that is written to the header of a new log. */
  readonly version: number;
  /** The file name extension of logs, such as `.jsonl`. */
  readonly ending: string;
  /** Returns the store of one log, which a kernel opens. */
  open(path: string, options?: LogOptions): Store;
  /** Lists the ids of the sessions in a directory; empty if the directory does not exist. Throws file system errors. */
  list(directory: string): string[];
  /** Reads only the header of a log. Throws STORE_READ and STORE_HEADER. */
  header(path: string): LogHeader;
  /** Reads and checks a whole log, without changing it. Throws STORE_READ and STORE_HEADER. */
  scan(path: string): LogScan;
  /** Reads the events after the first `size` bytes; undefined if they are damaged. If a store has no `since`, the whole log is read. */
  since?(path: string, header: SessionHeader, size: number): readonly StoredEvent[] | undefined;
  /** Reads some of the first and last events of a large log of `size` bytes. If a store has no `ends`, the whole log is read. */
  ends?(path: string, size: number): { head: readonly StoredEvent[]; tail: readonly StoredEvent[] };
  /** Checks the file that `LogOptions.index` names. Absent if the store creates no such file. */
  indexState?(path: string): "none" | "whole" | "damaged";
}

/** Options for opening a log. */
export interface LogOptions {
  /** The header of a new log. The file is created by the first append. */
  create?: SessionHeader;
  /** Do not repair the log, and refuse appends. */
  readOnly?: boolean;
  /**
   * With `readOnly`: read only about this many bytes at the end of a longer log. Earlier events, and all state that depends on
   * them, are missing. A store may ignore this and read the whole log.
   */
  tail?: number;
  /** A file in which a store may save an index of a long log, so that the next opening reads only what was written later. */
  index?: string;
}

/** The header of a log, and problems found in it. */
export interface LogHeader {
  header: SessionHeader;
  problems: Problem[];
  /** Why nothing can be appended to the log; absent if appending is possible. */
  readOnly?: string;
}

/** A scanned log, whose events are read on demand. */
export interface LogScan extends LogHeader {
  ledger: Ledger;
  /** The place of the record of a row in the file. */
  placeOf(row: number): { line: number; offset: number };
  bytes: number;
  /** Bytes at the end that are not a complete record. */
  torn?: { offset: number; length: number };
  /** The last record is complete, but its newline is missing. */
  unterminated?: boolean;
}

declare module "@scorel/kernel" {
  interface Services {
    /** Opens, lists and checks the logs of sessions. Another plugin may provide it to store them elsewhere. */
    logs: Logs;
  }
}
