import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type AnyEvent, ScorelError, type SessionHeader, type StoredEvent } from "@scorel/kernel";
import type { Ledger, LogImage, Opened, Problem, Store } from "@scorel/kernel/store";
import type { Lock } from "@scorel/kit/files/lock";
import { removeIfPresent } from "@scorel/kit/files/private";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type { Logs } from "@scorel/logs/contract";
import { errors } from "../errors.ts";
import { acquireLock, isLocked } from "./lock.ts";
import { messageOfLeftover, PartialText, readLeftover } from "./partial.ts";

/** Options of `createSessionStore`. */
export interface SessionStoreOptions {
  /** Opens the log. */
  logs: Logs;
  /** Path of the log, such as `<directory>/<sessionId>.jsonl`. The lock file and partial text are beside it. */
  path: string;
  sessionId: string;
  /** Header of a new session. Nothing is on disk before its first event. */
  create?: SessionHeader;
  /** Takes no lock, repairs nothing and refuses appends, so it works while another process writes. */
  readOnly?: boolean;
  /** With `readOnly`: reads only about this many bytes at the end of a longer log. */
  tail?: number | undefined;
  /** Called on closing, if this process is still the log's only writer. */
  onComplete?(): void;
  /** Called when the file with the text of an arriving message could not be written or deleted. */
  onPartialFailure(thrown: unknown): void;
}

/** Creates the store of one session: its log, locked for a single writer, and a file with partial text that survives a killed process. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  return new SessionStore(options);
}

/** Returns the path of a file beside a log, such as `<sessionId>.lock`. */
export function besideLog(path: string, ending: "lock" | "partial" | "index.json" | "index"): string {
  return path.replace(/\.[^./]+$/, `.${ending}`);
}

/** The store of one session. See `createSessionStore`. */
export class SessionStore implements Store {
  private readonly options: SessionStoreOptions;
  private readonly log: Store;
  private readonly partial: PartialText;
  private lock: Lock | undefined;
  /** Receives appends while there is no log that they can be written to. */
  private memory: Ledger | undefined;
  /** The contents of a log that was opened for reading only. */
  private opened: Opened | undefined;
  /** Whether no process had the log open for writing at that time. */
  private abandoned = false;

  constructor(options: SessionStoreOptions) {
    const { logs, path, create, tail, readOnly = false } = options;
    this.options = options;
    this.log = logs.open(path, {
      readOnly,
      index: besideLog(path, "index"),
      ...(create && { create }),
      ...(tail !== undefined && { tail }),
    });
    this.partial = new PartialText(besideLog(path, "partial"), options.onPartialFailure);
  }

  open(onDamage?: (problem: Problem) => void): Opened {
    if (this.options.create) return this.log.open(onDamage);
    const { path, sessionId, readOnly } = this.options;
    if (!existsSync(path)) throw errors.SESSION_UNKNOWN({ sessionId });
    if (readOnly) {
      this.abandoned = !isLocked(besideLog(path, "lock"));
      this.opened = this.withLeftover(this.log.open(onDamage), this.abandoned);
      return this.opened;
    }
    this.takeLock();
    try {
      return this.withLeftover(this.log.open(onDamage), true);
    } catch (thrown) {
      this.freeLock();
      throw thrown;
    }
  }

  append(records: readonly string[], events: readonly StoredEvent[] = []): void {
    if (this.memory) {
      this.memory.keepUnwritten(events);
      return;
    }
    if (!this.lock && !this.options.readOnly) this.takeLock();
    this.log.append(records, events);
    this.partial.stored(records);
  }

  /**
   * Runs `work` if the log was opened for reading only and no process writes it. The events that `work` appends are only kept in memory;
   * the log on disk is not changed.
   */
  async complete(work: () => Promise<void>): Promise<void> {
    if (!this.opened || !this.abandoned) return;
    this.memory = this.opened.ledger;
    try {
      await work();
    } finally {
      this.memory = undefined;
    }
  }

  search(text: string, first: number): readonly number[] {
    return this.log.search(text, first);
  }

  keep(image: () => LogImage, replayed: number): void {
    this.log.keep?.(image, replayed);
  }

  sync(): Promise<void> {
    return this.log.sync();
  }

  stage(event: AnyEvent): Promise<void> | undefined {
    return this.options.readOnly ? undefined : this.partial.stage(event);
  }

  async close(): Promise<void> {
    try {
      this.partial.close();
      await this.log.close();
      if (this.lock) this.options.onComplete?.();
    } finally {
      this.freeLock();
    }
  }

  /** Adds text left by a killed process as a message; only in memory if the log cannot be written. */
  private withLeftover(opened: Opened, abandoned: boolean): Opened {
    const path = besideLog(this.options.path, "partial");
    const leftover = abandoned ? readLeftover(path) : undefined;
    if (!leftover) return opened;
    const event = messageOfLeftover(leftover, opened);
    if (opened.readOnly === undefined) {
      if (event) this.log.append([JSON.stringify(event)]);
      removeIfPresent(path);
    }
    if (event && opened.readOnly === undefined) opened.ledger.add(event);
    else if (event) opened.ledger.addUnwritten(event);
    return opened;
  }

  private takeLock(): void {
    const { path, sessionId } = this.options;
    const lock = besideLog(path, "lock");
    try {
      makePrivateFolder(dirname(path));
      this.lock = acquireLock(lock, sessionId);
    } catch (thrown) {
      if (thrown instanceof ScorelError) throw thrown;
      throw errors.HOST_STORAGE({ path: lock, reason: reasonOf(thrown), isNew: !existsSync(path) }, { cause: thrown });
    }
  }

  private freeLock(): void {
    this.lock?.release();
    this.lock = undefined;
  }
}
