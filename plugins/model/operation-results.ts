import { sessionChange } from "@scorel/kit/schema/session-meta";
import { z } from "zod";

/** The schemas of the operations' results. */
export const results = {
  list_models: z.strictObject({
    models: z.array(
      z.strictObject({
        provider: z.string(),
        id: z.string(),
        contextWindow: z.number(),
        maxTokens: z.number(),
        cost: z.strictObject({ input: z.number(), output: z.number() }).optional(),
        images: z.boolean(),
        thinks: z.boolean(),
        ready: z.boolean(),
        configured: z.literal(true).optional(),
        current: z.literal(true).optional(),
      }),
    ),
  }),
  set_model: sessionChange,
};
