import type {} from "@scorel/agent/contract";
import type {} from "@scorel/commands/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import { z } from "zod";
import { config } from "./config.ts";
import type { Compacting } from "./context.ts";
import { afterRefusal, fitIntoWindow, leavingOutResults } from "./layers.ts";
import { operations } from "./operations.ts";
import { assertAnswer, proposalFold } from "./proposal.ts";
import { compactionEnd, compactionStart } from "./transient.ts";

/**
 * Plugin `compaction`: keeps conversations within the model's window by omitting old tool results and summarizing old
 * parts.
 */
export default definePlugin({
  id: "compaction",
  name: "Compaction",
  version: "0.1.0",
  needs: ["agent", "model"],
  config,
  events: { compaction_start: compactionStart, compaction_end: compactionEnd },

  activate(ctx) {
    const compacting: Compacting = {
      ctx,
      beforeCompact: ctx.defineHook("beforeCompact", proposalFold, assertAnswer),
    };
    return {
      hooks: {
        beforeContext: {
          limit: false,
          handler: (_call, signal) => fitIntoWindow(compacting, signal ?? ctx.signal),
        },
        transformContext: {
          // Runs before layers that insert messages, so the messages still match the log.
          level: "early",
          handler: leavingOutResults(ctx),
        },
        contextOverflow: {
          limit: false,
          handler: ({ model }, signal) => afterRefusal(compacting, model, signal ?? ctx.signal),
        },
      },
      operations: operations(compacting),
      commands: {
        compact: {
          group: "Conversation",
          summary: "Summarize the older part of the conversation; you may say what to keep in particular",
          operations: ["compact"],
          args: z.object({ keep: z.string().optional() }),
          async run({ keep }: { keep?: string }, { clientId, cancelled }) {
            const { compactNow, summaryLine } = await import("./manual.ts");
            // Not the operation, which cannot be told that the command was cancelled.
            return summaryLine(await compactNow(compacting, { clientId, instructions: keep }, cancelled));
          },
        },
      },
    };
  },
});
