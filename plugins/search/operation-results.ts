import { z } from "zod";

const hit = z.strictObject({
  sessionId: z.string(),
  title: z.string(),
  cwd: z.string(),
  updatedAt: z.number(),
  eventId: z.string().nullable(),
  ts: z.number(),
  who: z.string(),
  text: z.string(),
  left: z.literal(true).optional(),
});
const spent = z.strictObject({
  key: z.string(),
  calls: z.number(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cost: z.number(),
  unpriced: z.number().optional(),
  cachedShare: z.number(),
});

/** The schemas of what the operations return. */
export const results = {
  search_sessions: z.strictObject({ hits: z.array(hit) }),
  get_usage: z.strictObject({ rows: z.array(spent), total: spent, sessions: z.number() }),
};
