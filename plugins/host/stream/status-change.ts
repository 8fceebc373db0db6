import type { TransientDefinition, Transients } from "@scorel/kernel";
import { z } from "zod";
import type {} from "../contract.ts";

/** Clients show it in their status line, not in the conversation. */
export const statusChange: TransientDefinition<Transients["status_change"]> = {
  transient: true,
  schema: z.strictObject({ changes: z.record(z.string(), z.unknown()) }) as never,
  convertToDisplay: () => ({ display: "hidden" }),
};
