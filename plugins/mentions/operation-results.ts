import { z } from "zod";

/** What the operations of this plugin return. */
export const results = {
  find_files: z.strictObject({
    files: z.array(
      z.strictObject({ path: z.string(), kind: z.enum(["file", "folder"]), matches: z.array(z.number()) }),
    ),
    total: z.number(),
    cut: z.literal(true).optional(),
  }),
};
