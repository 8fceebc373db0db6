import type { StoredEvent } from "@scorel/kernel";
import type { Anchor, Delivered, SessionStatus } from "../../contract.ts";
import type { Facts } from "./facts.ts";

/** A client's storage for cached sessions: texts by key. Browsers can use IndexedDB, Node.js `fileCache`. */
export interface CacheStore {
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** The cache of a view. Entries belong to one device, one project and one session. */
export interface CacheOptions {
  store: CacheStore;
  /** Identifies the host, independently of its current address. */
  device: string;
  /** Id or directory of the project. */
  project: string;
}

/** The cached part of a session: its latest stored events, without gaps. */
export interface CachedSession {
  status: SessionStatus;
  events: Delivered[];
  /** Whether the log has earlier events than `events`. */
  more: boolean;
  /** The position after `events`, from which to continue. The host checks whether it is still valid. */
  anchor: Anchor;
  /** Facts that may come from events before `events`. */
  facts: Pick<Facts, "queue" | "queueSeq" | "requests" | "permission">;
}

/** Version of the entry format. Entries of other versions are ignored. */
const FORM = 1;
/** Maximum number of characters of events to cache per session. */
const MAX_CHARACTERS = 1_000_000;

/** The entry of one session in a cache. Failures of the cache are ignored, since the host can send everything again. */
export class SessionCache {
  private readonly store: CacheStore;
  private readonly scope: string[];
  private readonly key: string;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor({ store, device, project }: CacheOptions, sessionId: string) {
    this.store = store;
    this.scope = [device, project, sessionId];
    this.key = JSON.stringify(this.scope);
  }

  async read(): Promise<CachedSession | undefined> {
    try {
      const text = await this.store.read(this.key);
      return text === undefined ? undefined : readEntry(JSON.parse(text), this.scope);
    } catch {
      return undefined;
    }
  }

  /** Schedules a write of the value that `make` will return in `ms` milliseconds, unless one is already scheduled. */
  writeLater(make: () => CachedSession, ms = 2_000): void {
    if (this.waiting !== undefined) return;
    this.waiting = setTimeout(() => {
      this.waiting = undefined;
      void this.write(make());
    }, ms);
    // In Node.js, a scheduled write must not keep the process running.
    (this.waiting as { unref?(): void }).unref?.();
  }

  /** Cancels a scheduled write. */
  stop(): void {
    clearTimeout(this.waiting);
    this.waiting = undefined;
  }

  async write({ status, events, more, anchor, facts }: CachedSession): Promise<void> {
    let left = MAX_CHARACTERS;
    const kept: string[] = [];
    for (let index = events.length - 1; index >= 0; index--) {
      const text = JSON.stringify(events[index]);
      left -= text.length;
      if (left < 0) break;
      kept.push(text);
    }
    const head = { form: FORM, scope: this.scope, status, anchor, facts, more: more || kept.length < events.length };
    const text = `${JSON.stringify(head).slice(0, -1)},"events":[${kept.reverse().join(",")}]}`;
    await this.store.write(this.key, text).catch(() => {});
  }

  async remove(): Promise<void> {
    await this.store.remove(this.key).catch(() => {});
  }
}

/** Validates an entry; undefined if it is damaged or of another session. */
function readEntry(
  entry: CachedSession & { form: number; scope: string[] },
  scope: string[],
): CachedSession | undefined {
  const { status, events, more, anchor, facts } = entry;
  if (entry.form !== FORM || JSON.stringify(entry.scope) !== JSON.stringify(scope)) return undefined;
  const [sessionId] = scope.slice(-1);
  if (status.sessionId !== sessionId || typeof anchor.epoch !== "string" || !Array.isArray(events)) return undefined;
  let last = 0;
  for (const { event, display } of events as { event: StoredEvent; display: { display: string } }[]) {
    const isWhole =
      typeof event.id === "string" && event.sessionId === sessionId && typeof display.display === "string";
    if (!isWhole || !(event.seq > last)) return undefined;
    last = event.seq;
  }
  // The anchor must be the position of the last event, or the host would continue after a gap.
  const end = events.at(-1)?.event as StoredEvent | undefined;
  const isAtEnd = end ? end.id === anchor.persistentId && end.seq === anchor.persistentSeq : anchor.persistentSeq === 0;
  const areFacts = Array.isArray(facts.queue) && Array.isArray(facts.requests) && facts.queueSeq >= 0;
  return isAtEnd && areFacts ? { status, events, more: more === true, anchor, facts } : undefined;
}
