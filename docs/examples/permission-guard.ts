/** Refuses destructive commands; save it in `~/.scorel/extensions`, and list more patterns under `[permission-guard]`. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const usual = ["\\brm\\s+-\\w*r", "\\bgit\\s+push\\b.*(--force|-f)\\b", "\\bgit\\s+reset\\s+--hard\\b", "\\bmkfs\\b"];

export default definePlugin({
  id: "permission-guard",
  name: "Permission guard",
  version: "1.0.0",
  config: z.strictObject({ deny: z.array(z.string()).default(usual) }),
  hooks(ctx) {
    const patterns = ctx.config.deny.map((pattern) => new RegExp(pattern));
    return {
      approveToolCall: {
        // Critical: if this layer fails, the call is refused.
        critical: true,
        handler({ toolCall, args }) {
          if (toolCall.name !== "Bash") return undefined;
          const { command } = args as { command: string };
          const denied = patterns.find((pattern) => pattern.test(command));
          if (!denied) return undefined;
          return { block: true, reason: `This command is left to the user (${denied.source}): ${command}` };
        },
      },
    };
  },
});
