import type { ScorelMessage } from "@scorel/messages/contract";

export type { Compacted } from "@scorel/host/contract";

/** A compaction that is about to start, as layers of `beforeCompact` see it. */
export interface CompactionProposal {
  /** `threshold`: the conversation has become long; `overflow`: the model refused it; `manual`: somebody asked for it. */
  reason: "threshold" | "overflow" | "manual";
  /** Tokens in use, and the model's context window. */
  tokens: number;
  window: number;
  /** Tokens that the summary should have. A summary of more than twice as many is shortened. */
  size: number;
  /** Instructions about what the summary has to keep: those of the user, followed by those of earlier layers. */
  instructions?: string;
  /** The summary of the conversation before `messages`. The new summary replaces it, too. */
  earlier?: string;
  /** The messages that the summary replaces, oldest first. */
  messages: readonly ScorelMessage[];
  /** Number of messages that are missing in the middle of `messages`, because the conversation is very long. */
  omitted: number;
}
/** The result of a layer of `beforeCompact`. It sets one of these fields. */
export interface CompactionAnswer {
  /** Leaves the conversation as it is, and says why. */
  cancel?: string;
  /** Instructions about what the summary has to keep. */
  instructions?: string;
  /** The summary. */
  summary?: string;
}

declare module "@scorel/kernel" {
  interface Hooks {
    /**
     * Called before an older part of the conversation is replaced by a summary. A layer may cancel that, add
     * instructions, or return the summary itself, so that no model is asked. A cancel or a summary ends the chain. A
     * layer that asks a model should set a `limit`. If a layer fails, the built-in summary is used.
     */
    beforeCompact(
      proposal: CompactionProposal,
      signal?: AbortSignal,
    ): Promise<CompactionAnswer | undefined> | CompactionAnswer | undefined;
  }
  interface Transients {
    /** A summary is being written; `tokens` of the `window` are in use. */
    compaction_start: { reason: "threshold" | "overflow" | "manual"; tokens: number; window: number };
    /** The compaction has ended, with a `compact` event in the log or an unchanged conversation. */
    compaction_end: { compacted: boolean; cancelled: boolean; note?: string };
  }
}
