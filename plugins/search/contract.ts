import type {} from "@scorel/host/contract";

/** A place where the words were found. */
export interface Hit {
  sessionId: string;
  /** The session's name or title. */
  title: string;
  /** Working directory of the session. */
  cwd: string;
  /** The time of the session's last event, in milliseconds since the epoch. */
  updatedAt: number;
  /** Null: the name that the session was made with. */
  eventId: string | null;
  /** Milliseconds since the epoch. */
  ts: number;
  /** `user`, `assistant`, `thinking`, the name of a tool, `summary`, `name` or `title`. */
  who: string;
  /** The line around the first place in this event, at most 160 characters. */
  text: string;
  /** The event is on a branch that was left: not part of the conversation as it stands. */
  left?: true;
}

/** What was spent, summed. */
export interface Spent {
  /** The day (`2026-11-20`, local), the `provider/id` of the model, or the directory of the project. */
  key: string;
  /** Replies and summaries. */
  calls: number;
  /** Tokens that were not read from or written to the provider's cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars, by the prices of the moment of the call. */
  cost: number;
  /** Of all tokens that went in, the share that came from the cache: 0 to 1. */
  cachedShare: number;
}
export type SpentBy = "day" | "model" | "project";

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Events in which people would read this text, the sessions changed last first, all or those of a project. Between words
     * any white space matches.
     * `more`: the limit (default 50, at most 1000) ended the search.
     */
    search_sessions: {
      params: { text: string; caseSensitive?: boolean; project?: string; limit?: number };
      result: { hits: Hit[]; more: boolean };
    };
    /** What all sessions have spent, by day unless asked otherwise; each reply counts once, also one that copies hold. */
    get_usage: {
      params: { by?: SpentBy; since?: string };
      result: { rows: Spent[]; total: Spent; sessions: number };
    };
  }
}
