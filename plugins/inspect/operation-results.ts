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

const preset = z.strictObject({
  name: z.string(),
  description: z.string(),
  files: z.array(z.string()),
  problem: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  installed: z
    .strictObject({ from: z.string(), version: z.string().optional(), state: z.enum(["installed", "changed"]) })
    .optional(),
});
const setting = z.strictObject({
  path: z.string(),
  value: z.unknown(),
  origin: z.string(),
  locked: z.string().optional(),
  about: z.string().optional(),
});

/** The schemas of the operations' results. */
export const results = {
  list_presets: z.strictObject({ presets: z.array(preset) }),
  list_settings: z.strictObject({ settings: z.array(setting) }),
  get_prompt: promptView,
  resolve_session: z.strictObject({ sessionId: z.string() }),
};
