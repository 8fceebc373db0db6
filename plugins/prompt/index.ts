import type {} from "@scorel/agent/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import { z } from "zod";
import { config } from "./config.ts";
import { FolderInstructions, toldFolders } from "./folder-instructions.ts";
import { operations } from "./operations.ts";
import { createPrompt, tellNewDate } from "./service.ts";
import { instructionSnapshot, instructions, toldDate } from "./snapshot.ts";
import { joinContext } from "./submit.ts";

/** Plugin `prompt`: a system prompt assembled from parts and frozen in the log for the life of the session. */
export default definePlugin({
  id: "prompt",
  name: "Prompt",
  version: "0.1.0",
  // `mergeMessage` is listed for its plugin's event types, one of which announces new dates.
  needs: ["mergeMessage"],
  provides: ["prompt"],
  config,
  sessionOptions: () => [
    {
      key: "appendSystemPrompt",
      kind: "text",
      flag: { flags: "--append-system-prompt <text>", description: "Append this to the system prompt" },
    },
  ],
  events: { instruction_snapshot: instructionSnapshot },
  projections: { instructions, toldDate, toldFolders },

  activate(ctx) {
    ctx.provide("prompt", createPrompt(ctx, ctx.defineHook("promptSubmit", { fold: joinContext })));
    // Without an agent there are no calls, and no turns that last until another day.
    if (!ctx.find("agent")) return;
    const folders = new FolderInstructions(ctx);
    ctx.hook("afterToolCall", async (outcome) => void (await folders.note(outcome)));
    ctx.hook("transformContext", async (messages) => folders.tell(await tellNewDate(ctx, messages)));
  },

  commands: () => ({
    "refresh-instructions": {
      group: "Project",
      description: "Read AGENTS.md and all other instructions again",
      operations: ["refresh_instructions"],
      args: z.object({}),
      run: async (_args, { sessionId, request }) => {
        const { bytes, cut, skipped } = await request("refresh_instructions", { sessionId });
        const left = cut.length + skipped.length;
        return `The instructions were read again: ${bytes} bytes${left > 0 ? `, ${left} left out` : ""}.`;
      },
    },
  }),

  operations,
});
