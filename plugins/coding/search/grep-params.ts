import { z } from "zod";

/** The parameters of Grep. */
export const parameters = z.object({
  pattern: z.string().describe("regular expression"),
  path: z.string().optional().describe("file or folder"),
  glob: z.string().optional().describe("only these files"),
  mode: z.enum(["content", "files", "count"]).optional().describe("default content"),
  ignore_case: z.boolean().optional(),
  multiline: z.boolean().optional(),
  context: z.int().min(0).max(50).optional().describe("lines around"),
  hidden: z.boolean().optional(),
  offset: z.int().min(0).optional(),
  limit: z.int().min(1).max(1_000).optional().describe("default 100"),
});
export type GrepParams = z.output<typeof parameters>;
