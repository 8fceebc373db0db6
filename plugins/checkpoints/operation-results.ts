import { z } from "zod";

const fileChange = z.strictObject({
  path: z.string(),
  kind: z.enum(["mode", "created", "deleted", "modified"]),
  diff: z.string().optional(),
  conflict: z.string().optional(),
});
const notCovered = z.strictObject({ path: z.string(), reason: z.string() });
const preview = z.strictObject({ changes: z.array(fileChange), notCovered: z.array(notCovered) });

/** The schemas of what the operations return. */
export const results = {
  preview_files: preview,
  restore_files: z.strictObject({ restored: z.array(z.string()), skipped: z.array(notCovered) }),
  list_changes: preview,
};
