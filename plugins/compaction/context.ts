import type {} from "@scorel/agent/contract";
import type { FoldCall, PluginContext } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/skills/contract";
import type { CompactionConfig } from "./config.ts";

/** The context that all parts of this plugin use. */
export type CompactionContext = PluginContext<CompactionConfig, "agent" | "model">;

/** State that all compactions of a session share. */
export interface Compacting {
  readonly ctx: CompactionContext;
  readonly beforeCompact: FoldCall<"beforeCompact">;
  /** Tokens in use when a layer cancelled the last automatic compaction. */
  cancelledAt?: number | undefined;
  /** Whether the user was warned that the conversation exceeds the window, and it did not fit since. */
  warned?: boolean;
}
