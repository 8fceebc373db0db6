import { replay } from "@scorel/kit/schema/replay";
import { z } from "zod";

const directOutput = z.strictObject({ from: z.enum(["stdout", "stderr"]), base64: z.string() });
const outputFile = z.strictObject({
  name: z.string(),
  ref: z.string(),
  content: z.string().optional(),
  mime_type: z.string(),
  size_bytes: z.number(),
  truncated: z.literal(true).optional(),
});
const runResult = z.strictObject({
  output_files: z.array(outputFile),
  primary_output: outputFile.optional(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number(),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  artifact_files: z.array(z.strictObject({ name: z.string(), version: z.number() })).optional(),
  warnings: z.array(z.string()).optional(),
});
const directEnd = z.strictObject({
  result: runResult,
  exitCode: z.number().optional(),
  ended: z.enum(["cancelled", "timeout", "killed", "memory", "processes"]).optional(),
  failed: z.string().optional(),
  files: z.array(z.strictObject({ name: z.string(), size: z.number(), to: z.string().optional() })),
  leftOut: z.array(z.string()),
  workspace: z.string().optional(),
});
/** The schemas of what the operations return. */
export const results = {
  run_skill: z.strictObject({ run: z.string() }),
  follow_run: z.strictObject({ output: z.array(directOutput), ended: directEnd.optional() }),
  feed_run: z.strictObject({ open: z.boolean() }),
  end_run: z.strictObject({}),
  make_again: replay,
};
