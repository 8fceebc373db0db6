import type { DisplayAction, TransientDefinition, TransientOf, Transients } from "@scorel/kernel";
import { z } from "zod";

const count = z.number().min(0);

/** Transient event `compaction_start`, shown because a summary may take a while. */
export const compactionStart: TransientDefinition<Transients["compaction_start"]> = {
  transient: true,
  inFlight: { work: "compaction" },
  schema: z.strictObject({ reason: z.enum(["threshold", "overflow", "manual"]), tokens: count, window: count }),
  convertToDisplay: ({ tokens, window }: TransientOf<"compaction_start">) => ({
    display: "notice",
    level: "info",
    text: `Summarizing the older part of the conversation: ${tokens} of ${window} tokens are in use`,
  }),
};

/** Transient event `compaction_end`. The summary has its own event, so only problems are shown. */
export const compactionEnd: TransientDefinition<Transients["compaction_end"]> = {
  transient: true,
  inFlight: { work: "compaction", effect: "end" },
  schema: z.strictObject({ compacted: z.boolean(), cancelled: z.boolean(), note: z.string().optional() }),
  convertToDisplay: ({ note }: TransientOf<"compaction_end">): DisplayAction =>
    note === undefined ? { display: "hidden" } : { display: "notice", level: "warning", text: note },
};
