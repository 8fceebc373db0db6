import type { CliOption } from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/models/contract";
import type {} from "@scorel/trust/contract";
import type {} from "@scorel/watch/contract";
import type { ChatService } from "./contract.ts";

const options: CliOption[] = [
  { flags: "--session <id>", description: "Go on with this session; the beginning of its id is enough" },
  { flags: "--continue", description: "Go on with the latest session of this directory" },
  {
    flags: "--thinking <level>",
    description: "How hard the model thinks",
    values: ["off", "minimal", "low", "medium", "high", "xhigh"],
  },
  {
    flags: "--permission <mode>",
    description: "What runs without a question: ask, edits (of files), full, plan (only reading)",
    values: ["ask", "edits", "full", "plan"],
  },
  { flags: "--yes", description: "Run everything without a question, as --permission full" },
  {
    flags: "--sandbox <executor>",
    description: "What programs of skills run in; local: in nothing",
    values: ["auto", "bubblewrap", "docker", "podman", "local"],
  },
  { flags: "--tools <names>", description: "Offer only these tools, as in Read,Grep" },
  { flags: "--append-system-prompt <text>", description: "Put this at the end of the system prompt" },
  { flags: "--watch", description: "Reload the session when its extensions, presets or configuration change" },
];

/** A conversation in lines: streaming text, a line per tool, cost after each turn. */
export default definePlugin({
  id: "chat",
  name: "Chat",
  version: "0.1.0",
  scope: "host",
  needs: ["host"],
  provides: ["chat"],

  activate(ctx) {
    const chat: ChatService = {
      run: async (invocation) => (await import("./conversation.ts")).converse(ctx, invocation),
    };
    ctx.provide("chat", chat);
  },

  cliCommands: (ctx) => [
    {
      noun: "chat",
      description: "Talk with an agent in this directory, line by line",
      options,
      run: async (invocation) => (await import("./conversation.ts")).converse(ctx, invocation),
    },
  ],
});
