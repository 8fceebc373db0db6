import type { BaseContext, Contributions } from "@scorel/kernel";
import { changeInfo } from "@scorel/kit/session/change-info";
import type { SessionMeta } from "@scorel/messages/contract";
import type {} from "@scorel/workspace/contract";
import { z } from "zod";
import { warnIfThoughtless } from "./turn/first-entries.ts";

/** The operation that changes how hard the model thinks. */
export function operations(ctx: BaseContext) {
  return {
    set_thinking: {
      summary: "Changes how hard the model thinks in the next requests of a session.",
      params: () =>
        z.strictObject({
          sessionId: z.string().min(1),
          level: z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]),
          messageId: z.string().optional(),
        }),
      result: async () => (await import("./operation-results.ts")).results.set_thinking,
      run: ({ level, messageId }, { clientId }) => {
        const workspace = ctx.find("workspace");
        // A choice made in the session overrides the option that it was opened with.
        if (workspace?.thinking !== undefined) workspace.thinking = level;
        warnIfThoughtless(ctx, level);
        const asked = { operation: "set_thinking", clientId, messageId };
        return changeInfo<SessionMeta>(ctx.session, { thinkingLevel: level }, asked);
      },
    },
  } satisfies Contributions["operations"];
}
