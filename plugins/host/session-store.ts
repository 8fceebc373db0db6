import { existsSync } from "node:fs";
import { dirname } from "node:path";
import {
  type AnyEvent,
  codeOf,
  type LogImage,
  messageOf,
  type Opened,
  type Problem,
  ScorelError,
  type SessionHeader,
  type Store,
  type StoredEvent,
} from "@scorel/kernel";
import type { Lock } from "@scorel/kit/files/lock";
import { makePrivateFolder, removeIfPresent } from "@scorel/kit/files/private";
import type { Logs } from "@scorel/logs/contract";
import { errors } from "./errors.ts";
import { acquireLock, isLocked } from "./lock.ts";
import { messageOfLeftover, PartialText, readLeftover } from "./partial.ts";

export interface SessionStoreOptions {
  /** Opens the log. */
  logs: Logs;
  /** The log, such as `<directory>/<sessionId>.jsonl`; lock and partial text stand beside it. */
  path: string;
  sessionId: string;
  /** The header of a new session; nothing is on disk before its first event. */
  create?: SessionHeader;
  /** Takes no lock, repairs nothing, refuses appends: for looking on while another process writes. */
  readOnly?: boolean;
  /** With `readOnly`: reads of a longer log only about so many bytes at its end. */
  tail?: number | undefined;
  /** Called when the log is complete and this process still is its only writer. */
  onComplete?(): void;
  /** Hears why a message's words could not be kept while it arrived. */
  onPartialFailure(thrown: unknown): void;
}

/** The store of one session: its log, with one writer at a time and no words lost to a killed process. */
export function createSessionStore(options: SessionStoreOptions): Store {
  return new SessionStore(options);
}

/** A file beside a log: `<sessionId>.jsonl` -> `<sessionId>.lock` and so on. */
export function besideLog(path: string, ending: "lock" | "partial" | "index.json" | "index"): string {
  return path.replace(/\.[^./]+$/, `.${ending}`);
}

class SessionStore implements Store {
  private readonly options: SessionStoreOptions;
  private readonly log: Store;
  private readonly partial: PartialText;
  private lock: Lock | undefined;

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
    if (readOnly) return this.withLeftover(this.log.open(onDamage), !isLocked(besideLog(path, "lock")));
    this.takeLock();
    try {
      return this.withLeftover(this.log.open(onDamage), true);
    } catch (thrown) {
      this.freeLock();
      throw thrown;
    }
  }

  append(records: readonly string[], events?: readonly StoredEvent[]): void {
    if (!this.lock && !this.options.readOnly) this.takeLock();
    this.log.append(records, events);
    this.partial.stored(records);
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

  /** Words that a killed process left become their message; in a log that may not be written, only in memory. */
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
      throw errors.HOST_STORAGE({ path: lock, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
  }

  private freeLock(): void {
    this.lock?.release();
    this.lock = undefined;
  }
}
