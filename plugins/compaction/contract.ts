import type { EventId } from "@scorel/kernel";

/** What a compaction came to. Tokens are estimates of the next request, before and after. */
export interface Compacted {
  compacted: boolean;
  tokensBefore: number;
  tokensAfter: number;
  /** The `compact` event. */
  eventId?: EventId;
  /** Why nothing was compacted, or why no model wrote the summary. */
  note?: string;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Summarises the older part of a session's conversation; `instructions` say what the summary must keep. Throws
     * COMPACTION_BUSY while a turn runs. A repeated `messageId` has the first one's outcome.
     */
    compact: { params: { sessionId: string; instructions?: string; messageId?: string }; result: Compacted };
  }
}
declare module "@scorel/kernel" {
  interface Transients {
    /** The older part of the conversation is being summarised; `tokens` of the `window` are in use. */
    compaction_start: { reason: "threshold" | "overflow" | "manual"; tokens: number; window: number };
    /** That is over: with a `compact` event in the log, or with the conversation as it was. */
    compaction_end: { compacted: boolean; cancelled: boolean; note?: string };
  }
}
