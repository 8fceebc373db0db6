import type { SessionSummary } from "@scorel/host/contract";
import { Store } from "../store.ts";

/** When each session was last looked at in this browser. Times are those of the host's latest event in the session. */
export interface Seen {
  /** What was there at this time counts as seen. */
  since: number;
  sessions: Readonly<Record<string, number>>;
}

const KEY = "scorel.seen";
/** Sessions that are kept one by one. Of those that were looked at before, everything until then counts as seen. */
const MOST = 200;

/** What a browser has seen when a session was looked at. */
export function looked({ since, sessions }: Seen, sessionId: string, at: number): Seen {
  const all = Object.entries({ ...sessions, [sessionId]: Math.max(at, sessions[sessionId] ?? 0) })
    .filter(([, time]) => time > since)
    .sort(([, a], [, b]) => b - a);
  const dropped = all[MOST]?.[1];
  return { since: dropped ?? since, sessions: Object.fromEntries(all.slice(0, MOST)) };
}

/** Whether something has ended or come in a session since it was looked at. While its turn runs, it is not over. */
export function isUnread({ sessionId, updatedAt, running }: SessionSummary, { since, sessions }: Seen): boolean {
  return running !== true && updatedAt > Math.max(since, sessions[sessionId] ?? 0);
}

/** What was kept; undefined where nothing was, or something that is none of it. */
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
 * What this browser has seen of a device, shared by its tabs. A browser that has looked at nothing yet begins with what is there. Storage that is
 * full or forbidden keeps it for this page alone.
 */
export class SeenStore extends Store<Seen | undefined> {
  private readonly key: string;

  /** `device` is the id of the device; empty for the host of the page. */
  constructor(device: string) {
    const own = device === "" ? KEY : `${KEY}.${device}`;
    super(seenIn(readKept(own)));
    this.key = own;
    addEventListener("storage", ({ key, newValue }) => {
      if (key === own) super.set(seenIn(newValue) ?? this.get());
    });
  }

  /** Takes that everything of these sessions was there when the browser came. */
  begin(rows: readonly SessionSummary[]): void {
    if (this.get()) return;
    this.set({ since: Math.max(0, ...rows.map(({ updatedAt }) => updatedAt)), sessions: {} });
  }

  look({ sessionId, updatedAt }: SessionSummary): void {
    // Another tab may have looked at others meanwhile.
    const seen = seenIn(readKept(this.key)) ?? this.get();
    if (seen && updatedAt > Math.max(seen.since, seen.sessions[sessionId] ?? 0))
      this.set(looked(seen, sessionId, updatedAt));
  }

  override set(seen: Seen): void {
    super.set(seen);
    try {
      localStorage.setItem(this.key, JSON.stringify(seen));
    } catch {
      // It counts as long as the page is open.
    }
  }
}

/** Removes it for all devices, when the person signs out. */
export function forgetSeen(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key === KEY || key.startsWith(`${KEY}.`)) localStorage.removeItem(key);
  } catch {
    // Then there is nothing.
  }
}

function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
