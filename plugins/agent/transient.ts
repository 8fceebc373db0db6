import type { TransientDefinition, TransientOf, Transients } from "@scorel/kernel";
import { z } from "zod";

const attempt = z.number().int().positive();

/** Transient event `retry_start`: a retry begins with its wait. */
export const retryStart: TransientDefinition<Transients["retry_start"]> = {
  transient: true,
  schema: z.strictObject({ attempt, of: attempt, delayMs: z.number().min(0), reason: z.string() }),
  convertToDisplay: ({ attempt, of, delayMs, reason }: TransientOf<"retry_start">) => ({
    display: "notice",
    level: "warning",
    text: `Trying again in ${(delayMs / 1_000).toFixed(1)} s (${attempt} of ${of}): ${reason}`,
  }),
};

/** Transient event `retry_end`: the wait is over. */
export const retryEnd: TransientDefinition<Transients["retry_end"]> = {
  transient: true,
  schema: z.strictObject({ attempt, cancelled: z.boolean() }),
  convertToDisplay: () => ({ display: "hidden" }),
};
