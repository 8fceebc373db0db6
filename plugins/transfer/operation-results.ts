import { z } from "zod";

const damage = z.strictObject({ line: z.number(), offset: z.number(), reason: z.string() });
const importReport = z.strictObject({
  sessionId: z.string(),
  format: z.enum(["scorel", "claude-code", "codex", "pi"]),
  cwd: z.string(),
  origin: z.string().optional(),
  events: z.number(),
  messages: z.number(),
  kept: z.record(z.string(), z.number()),
  leftOut: z.record(z.string(), z.number()),
  damaged: z.array(damage),
  damagedCount: z.number(),
  text: z.string(),
});

/** The schemas of what the operations return. */
export const results = {
  export_session: z.strictObject({
    sessionId: z.string(),
    bytes: z.number(),
    file: z.string().optional(),
    content: z.string().optional(),
  }),
  import_session: importReport,
};
