import { z } from "zod";

/** The schemas of the results of this plugin's operations, by operation. */
export const results = {
  find_files: z.strictObject({
    files: z.array(
      z.strictObject({ path: z.string(), kind: z.enum(["file", "folder", "other"]), matches: z.array(z.number()) }),
    ),
    total: z.number(),
    cut: z.literal(true).optional(),
    reading: z.literal(true).optional(),
  }),
  view_file: z.strictObject({
    path: z.string(),
    bytes: z.number(),
    text: z.string().optional(),
    problem: z.enum(["large", "binary"]).optional(),
  }),
};
