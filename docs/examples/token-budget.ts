/** Ends a turn when its session has used up its tokens; save it in `~/.scorel/extensions` and set `[token-budget] tokens`. */
import { definePlugin, isEvent } from "@scorel/kernel";
import { z } from "zod";

declare module "@scorel/kernel" {
  interface Projections {
    tokensUsed: number;
  }
}

export default definePlugin({
  id: "token-budget",
  name: "Token budget",
  version: "1.0.0",
  config: z.strictObject({ tokens: z.number().int().positive().default(2_000_000) }),
  projections: {
    tokensUsed: {
      over: "log",
      init: () => 0,
      update(used: number, event) {
        if (!isEvent(event, "message")) return used;
        const { message } = event;
        // Replies, and calls of tools that say what they have used, such as those of subagents.
        const usage = message.role === "assistant" || message.role === "tool_result" ? message.usage : undefined;
        return used + (usage?.totalTokens ?? 0);
      },
    },
  },
  hooks: ({ session, config }) => ({
    approveToolCall() {
      const used = session.projection("tokensUsed");
      if (used < config.tokens) return undefined;
      const reason = `This session has used ${used} of its ${config.tokens} tokens. Stop here and say what is left to do.`;
      return { block: true, reason };
    },
  }),
  commands: ({ session, config }) => ({
    budget: {
      summary: "Show how many tokens are left",
      run: () => `${session.projection("tokensUsed")} of ${config.tokens} tokens used`,
    },
  }),
});
