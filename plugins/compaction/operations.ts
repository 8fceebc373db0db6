import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { Compacting } from "./context.ts";
import type { Compacted } from "./contract.ts";

const params = () =>
  z.strictObject({ sessionId: z.string(), instructions: z.string().optional(), messageId: z.string().optional() });

/** The operation by which clients shorten a conversation. */
export function operations(compacting: Compacting) {
  /** Compactions that clients asked for and that are running, by client-made id. */
  const running = new Map<string, Promise<Compacted>>();
  return {
    compact: {
      summary: "Summarizes the older part of a conversation.",
      params,
      result: async () => (await import("./operation-results.ts")).results.compact,
      run: async ({ sessionId: _here, ...asked }, { clientId }) =>
        (await import("./manual.ts")).compactOnce(compacting, running, { ...asked, clientId }),
    },
  } satisfies Contributions["operations"];
}
