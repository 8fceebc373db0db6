import type { StoredEvent } from "@scorel/kernel";
import type { Anchor, Delivered, SessionStatus } from "../../contract.ts";
import type { Facts } from "./facts.ts";

/** Where a client keeps what it has seen of sessions: texts by key. A browser can use IndexedDB, Node `fileCache`. */
export interface CacheStore {
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** The cache of a view. Entries belong to one device, one project and one session. */
export interface CacheOptions {
  store: CacheStore;
  /** Which host it is, whatever address it has now. */
  device: string;
  /** Id or directory of the project. */
  project: string;
}

/** What is kept of a session: its latest stored events, without gaps. */
export interface CachedSession {
  status: SessionStatus;
  events: Delivered[];
  /** Whether there are stored events before them. */
  more: boolean;
  /** The position after them, to go on from. The host decides whether it is true. */
  anchor: Anchor;
  /** What earlier events may have said. */
  facts: Pick<Facts, "queue" | "queueSeq" | "requests" | "permission">;
}

/** Changes when entries have another form: older ones are then not used. */
const FORM = 1;
/** Characters of events that are kept of one session. */
const MAX_CHARACTERS = 1_000_000;

/** The entry of one session in a cache. A cache that fails costs only time: the host sends everything again. */
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

  /** Writes what `make` returns by then, unless that is going to happen anyway. */
  writeLater(make: () => CachedSession, ms = 2_000): void {
    if (this.waiting !== undefined) return;
    this.waiting = setTimeout(() => {
      this.waiting = undefined;
      void this.write(make());
    }, ms);
    // In Node, the cache alone keeps no program running.
    (this.waiting as { unref?(): void }).unref?.();
  }

  /** Writes nothing more by itself. */
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

/** An entry that is whole and of this session; undefined for any other. */
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
  // The position must be that of the last event, or the host would go on after a gap.
  const end = events.at(-1)?.event as StoredEvent | undefined;
  const isAtEnd = end ? end.id === anchor.persistentId && end.seq === anchor.persistentSeq : anchor.persistentSeq === 0;
  const areFacts = Array.isArray(facts.queue) && Array.isArray(facts.requests) && facts.queueSeq >= 0;
  return isAtEnd && areFacts ? { status, events, more: more === true, anchor, facts } : undefined;
}
