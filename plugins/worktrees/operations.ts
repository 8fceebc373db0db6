import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { Context } from "./context.ts";
import { worktrees } from "./service.ts";

const path = z.string().min(1).max(4096);
const name = z.string().min(1).max(200);
/** Schemas of the results. They are loaded only when a client asks for a description, or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;
const leave = async (...given: Parameters<typeof import("./use.ts")["leaveWorktree"]>) =>
  (await import("./use.ts")).leaveWorktree(...given);

/** Operations about worktrees. */
export function operations(ctx: Context) {
  return {
    create_worktree: {
      summary: "Creates a worktree of the repository that contains a directory, or returns the one of that name.",
      paths: { cwd: "directory" },
      params: () => z.strictObject({ cwd: path, name: name.optional() }),
      result: async () => (await results()).create_worktree,
      run: async (params) => ({ worktree: await worktrees.create(params.cwd, params.name) }),
    },
    list_worktrees: {
      summary: "Lists the worktrees that were created from the checkout that contains a directory.",
      readOnly: true,
      paths: { cwd: "directory" },
      size: "pages",
      params: () => z.strictObject({ cwd: path }),
      result: async () => (await results()).list_worktrees,
      run: async (params) => ({ worktrees: await worktrees.list(params.cwd) }),
    },
    merge_worktree: {
      summary: "Merges a worktree's branch into the branch that is checked out, and removes both.",
      paths: { cwd: "directory" },
      params: () => z.strictObject({ cwd: path, name, commit: z.boolean().optional(), keep: z.boolean().optional() }),
      result: async () => (await results()).merge_worktree,
      async run({ cwd, name: named, ...options }, { request }) {
        await leave(ctx, request, cwd, named);
        return worktrees.merge(cwd, named, options);
      },
    },
    remove_worktree: {
      summary: "Removes a worktree. Its branch stays, unless another branch has all of its commits.",
      paths: { cwd: "directory" },
      params: () =>
        z.strictObject({ cwd: path, name, commit: z.boolean().optional(), discard: z.boolean().optional() }),
      result: async () => (await results()).remove_worktree,
      async run({ cwd, name: named, ...options }, { request }) {
        await leave(ctx, request, cwd, named);
        return worktrees.remove(cwd, named, options);
      },
    },
  } satisfies Contributions["operations"];
}
