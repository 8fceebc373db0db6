import type {} from "@scorel/cli/contract";
import { sessionFlags } from "@scorel/host/command-line";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/models/contract";
import type {} from "@scorel/trust/contract";
import type {} from "@scorel/watch/contract";
import type { ChatService } from "./contract.ts";

/** Plugin `chat`: a conversation in lines, with streaming text, a line per tool, and cost after each turn. */
export default definePlugin({
  id: "chat",
  name: "Chat",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "sessionOptions"],
  provides: ["chat"],

  activate(ctx) {
    const chat: ChatService = {
      run: async (invocation, options) => (await import("./conversation.ts")).converse(ctx, invocation, options),
    };
    ctx.provide("chat", chat);
  },

  cliCommands: (ctx) => [
    {
      noun: "chat",
      args: "[prompt]",
      description: "Talk with an agent in this directory, line by line",
      options: sessionFlags(ctx.sessionOptions.known()),
      opensSession: true,
      run: async (invocation) => (await import("./conversation.ts")).converse(ctx, invocation),
    },
  ],
});
