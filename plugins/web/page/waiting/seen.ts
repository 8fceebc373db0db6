import type { SessionSummary } from "@scorel/host/contract";
import { keepLocal, localKey, readLocal } from "../host/local.ts";
import { Store } from "../store.ts";

/**
 * When each session was last seen in this browser. Times are those of the host's latest event in the session, in milliseconds since 1970.
 */
export interface Seen {
  /** Everything up to this time counts as seen. */
  since: number;
  sessions: Readonly<Record<string, number>>;
}

/** Most sessions that are stored separately. When older ones are dropped, `since` moves forward instead. */
const MOST = 200;

/** The state after a session was seen. */
export function looked({ since, sessions }: Seen, sessionId: string, at: number): Seen {
  const all = Object.entries({ ...sessions, [sessionId]: Math.max(at, sessions[sessionId] ?? 0) })
    .filter(([, time]) => time > since)
    .sort(([, a], [, b]) => b - a);
  const dropped = all[MOST]?.[1];
  return { since: dropped ?? since, sessions: Object.fromEntries(all.slice(0, MOST)) };
}

/** Whether something has been added to a session since it was seen. Not while its turn is running. */
export function isUnread({ sessionId, updatedAt, running }: SessionSummary, { since, sessions }: Seen): boolean {
  return running !== true && updatedAt > Math.max(since, sessions[sessionId] ?? 0);
}

/** Parses the stored state. Undefined if there is none, or it is invalid. */
export function seenIn(text: string | null): Seen | undefined {
  try {
    const { since, sessions } = JSON.parse(text ?? "null") ?? {};
    if (!Number.isFinite(since) || typeof sessions !== "object" || sessions === null) return undefined;
    if (!Object.values(sessions).every(Number.isFinite)) return undefined;
    return { since, sessions };
  } catch {
    return undefined;
  }
}

/**
 * What was seen of a device in this browser, shared by its tabs. In a new browser, everything that exists counts as seen. If storage is
 * full or not allowed, this lasts as long as the page.
 */
export class SeenStore extends Store<Seen | undefined> {
  private readonly key: string;
  /** Ends the listener for changes by other tabs. */
  private readonly listening = new AbortController();

  /** `device` is the id of the device; empty for the page's own host. */
  constructor(device: string) {
    const own = localKey("seen", device);
    super(seenIn(readLocal(own)));
    this.key = own;
    const changed = ({ key, newValue }: StorageEvent) => {
      if (key === own) super.set(seenIn(newValue) ?? this.get());
    };
    addEventListener("storage", changed, { signal: this.listening.signal });
  }

  /** Follows no other tab and stores nothing any more, so that what is removed now stays removed. */
  end(): void {
    this.listening.abort();
  }

  /** Marks everything in these sessions as seen, for a browser that has not stored anything yet. */
  begin(rows: readonly SessionSummary[]): void {
    if (this.get()) return;
    this.set({ since: rows.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0), sessions: {} });
  }

  look({ sessionId, updatedAt }: SessionSummary): void {
    // Read again, since another tab may have added sessions meanwhile.
    const seen = seenIn(readLocal(this.key)) ?? this.get();
    if (seen && updatedAt > Math.max(seen.since, seen.sessions[sessionId] ?? 0))
      this.set(looked(seen, sessionId, updatedAt));
  }

  override set(seen: Seen): void {
    super.set(seen);
    if (!this.listening.signal.aborted) keepLocal(this.key, JSON.stringify(seen));
  }
}
