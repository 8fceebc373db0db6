import type { OperationHandler } from "@scorel/host/contract";
import { z } from "zod";
import type { RunnerContext } from "./config.ts";

const artifact = z.looseObject({
  name: z.string(),
  version: z.number().int().min(0),
  sha256: z.string(),
  size: z.number(),
  mimeType: z.string(),
  savedAt: z.number(),
});

/** What clients may ask of the programs of a session's skills. */
export function operations(ctx: RunnerContext): { make_again: OperationHandler<"make_again"> } {
  return {
    make_again: {
      params: z.strictObject({ sessionId: z.string(), artifact, keep: z.boolean().optional() }),
      run: async ({ sessionId, artifact: wanted, keep }, { look, left }) =>
        (await import("./replay.ts")).replay(ctx, wanted, { look, left: left(sessionId), keep }),
    },
  };
}
