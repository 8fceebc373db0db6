import { z } from "zod";

const compacted = z.strictObject({
  compacted: z.boolean(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  eventId: z.string().optional(),
  note: z.string().optional(),
});

/** The schemas of what the operations return. */
export const results = {
  compact: compacted,
};
