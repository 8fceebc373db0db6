import { z } from "zod";

const worktree = { name: z.string(), path: z.string(), branch: z.string() };
const told = z.strictObject({ text: z.string() });

/** Schemas of the results of the operations. */
export const results = {
  create_worktree: z.strictObject({
    worktree: z.strictObject({
      ...worktree,
      cwd: z.string(),
      commit: z.string(),
      created: z.boolean(),
      leftOut: z.number(),
    }),
  }),
  list_worktrees: z.strictObject({
    worktrees: z.array(
      z.strictObject({
        ...worktree,
        commits: z.number(),
        changes: z.number(),
        isBranchOnly: z.boolean().optional(),
        problem: z.string().optional(),
      }),
    ),
  }),
  merge_worktree: told,
  remove_worktree: told,
};
