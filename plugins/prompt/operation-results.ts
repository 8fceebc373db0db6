import { z } from "zod";

const cutSource = z.strictObject({
  section: z.enum(["memory", "baseline", "agents", "workspace", "environment", "time"]),
  source: z.string(),
  priority: z.number(),
  bytes: z.number(),
  sha256: z.string().optional(),
});

/** The schemas of the operations' results. */
export const results = {
  refresh_instructions: z.strictObject({
    bytes: z.number(),
    cut: z.array(cutSource),
    skipped: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  }),
};
