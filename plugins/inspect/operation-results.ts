import { z } from "zod";

const promptRow = z.strictObject({
  section: z.enum(["memory", "baseline", "agents", "workspace", "environment", "time", "appended"]),
  tokens: z.number(),
  cut: z.boolean(),
  source: z.string(),
  priority: z.number(),
  bytes: z.number(),
  sha256: z.string().optional(),
});
const promptView = z.strictObject({
  text: z.string(),
  bytes: z.number(),
  tokens: z.number(),
  frozen: z.boolean(),
  budget: z.number().optional(),
  rows: z.array(promptRow),
  skipped: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  tools: z.strictObject({ count: z.number(), bytes: z.number(), tokens: z.number() }),
});

/** The schemas of what the operations return. */
export const results = {
  get_prompt: promptView,
  resolve_session: z.strictObject({ sessionId: z.string() }),
};
