import type {} from "@scorel/host/contract";
import type { BaseContext, Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { PromptService } from "./contract.ts";

/** The operation that reads the instructions of a session again. */
export function operations(ctx: BaseContext) {
  return {
    refresh_instructions: {
      summary: "Reads the instructions of a session again. They apply from its next turn on.",
      size: { bounded: "It names the parts of one prompt." },
      params: () => z.strictObject({ sessionId: z.string() }),
      result: async () => (await import("./operation-results.ts")).results.refresh_instructions,
      run: async (_params, { clientId }) => {
        const prompt = ctx.find("prompt") as PromptService;
        const { cut, skipped } = await prompt.refresh(clientId);
        return { bytes: prompt.view().bytes, cut, skipped };
      },
    },
  } satisfies Contributions["operations"];
}
