import type { Page, PageParams } from "@scorel/host/contract";

/** A search hit. */
export interface Hit {
  sessionId: string;
  /** The session's name or title. */
  title: string;
  /** Working directory of the session. */
  cwd: string;
  /** Time of the session's last event, in milliseconds since the epoch. */
  updatedAt: number;
  /** Null for a hit in the name that the session was created with. */
  eventId: string | null;
  /** Milliseconds since the epoch. */
  ts: number;
  /** `user`, `assistant`, `thinking`, the name of a tool, `summary`, `name` or `title`. */
  who: string;
  /** The line around the first match in this event, at most 160 characters. */
  text: string;
  /** True when the event is on an abandoned branch and not part of the current conversation. */
  left?: true;
}

/** Usage, summed. */
export interface Spent {
  /** The day (`2026-11-20`, local time), the model (`provider/id`), or the project's directory. */
  key: string;
  /** Number of replies and summaries. */
  calls: number;
  /** Tokens that were neither read from nor written to the provider's cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars, by the prices at the time of each call. */
  cost: number;
  /** Calls whose price is not known, and which `cost` does not include. Absent if there are none. */
  unpriced?: number;
  /** Share of the input tokens that came from the cache, 0 to 1. */
  cachedShare: number;
}
export type SpentBy = "day" | "model" | "project";

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Searches the readable text of all sessions, or those of a project; the last changed come first. Any white space
     * matches between words. A page has at most `limit` hits (default 50, at most 1000), and with `perSession` at most this number of each
     * session, its first ones.
     */
    search_sessions: {
      params: { text: string; caseSensitive?: boolean; project?: string; perSession?: number } & PageParams;
      result: { hits: Hit[] } & Page;
    };
    /** Sums the usage of all sessions, by day unless `by` is set. Each reply counts once, even if copies contain it. */
    get_usage: {
      params: { by?: SpentBy; since?: string } & PageParams;
      result: { rows: Spent[]; total: Spent; sessions: number } & Page;
    };
  }
}
