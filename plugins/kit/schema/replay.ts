import { z } from "zod";

const replayOutput = z.strictObject({
  name: z.string(),
  before: z.string().optional(),
  now: z.string().optional(),
  same: z.boolean(),
  note: z.string().optional(),
  diff: z.string().optional(),
});
const replayChange = z.strictObject({
  what: z.enum(["input", "skill", "file", "variable", "executor", "network"]),
  name: z.string(),
  before: z.string().optional(),
  now: z.string().optional(),
  note: z.string(),
});
/** The schema of what the operations that repeat an artifact's run return. */
export const replay = z.strictObject({
  name: z.string(),
  version: z.number(),
  same: z.boolean(),
  exitCode: z.strictObject({ before: z.number(), now: z.number() }),
  outputs: z.array(replayOutput),
  changed: z.array(replayChange),
  stderr: z.string().optional(),
  durationMs: z.number(),
  workspace: z.string().optional(),
});
