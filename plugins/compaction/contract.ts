import type { EventId } from "@scorel/kernel";

/** Result of a compaction. Tokens are estimates for the next request. */
export interface Compacted {
  compacted: boolean;
  tokensBefore: number;
  tokensAfter: number;
  /** Id of the `compact` event. */
  eventId?: EventId;
  /** Why nothing was compacted, or why the summary was not written by a model. */
  note?: string;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Summarizes the older part of a conversation; `instructions` say what to keep. Throws COMPACTION_BUSY during a
     * turn. A repeated `messageId` returns the first result.
     */
    compact: { params: { sessionId: string; instructions?: string; messageId?: string }; result: Compacted };
  }
}
declare module "@scorel/kernel" {
  interface Transients {
    /** A summary is being written; `tokens` of the `window` are in use. */
    compaction_start: { reason: "threshold" | "overflow" | "manual"; tokens: number; window: number };
    /** The compaction has ended, with a `compact` event in the log or an unchanged conversation. */
    compaction_end: { compacted: boolean; cancelled: boolean; note?: string };
  }
}
