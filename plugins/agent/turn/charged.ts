import type { TransientDefinition, Transients } from "@scorel/kernel";
import type { Usage } from "@scorel/messages/contract";
import { z } from "zod";

const usage = z.looseObject({ totalTokens: z.number(), cost: z.looseObject({ total: z.number() }) });

/** Usage of work beside the conversation. Clients add it up but do not display it. */
export const usageCharged: TransientDefinition<Transients["usage_charged"]> = {
  transient: true,
  schema: z.strictObject({ usage: usage as unknown as z.ZodType<Usage> }),
  convertToDisplay: () => ({ display: "hidden" }),
};
