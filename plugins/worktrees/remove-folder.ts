import { renameSync } from "node:fs";
import { lineOf } from "@scorel/kit/text/one-line";
import { visibleName } from "@scorel/kit/text/plain";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { lockReason } from "./admin.ts";
import type { Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { deletePassing, passingFolder } from "./folder.ts";
import type { Checkout } from "./repository.ts";
import { changedFiles, ignoredFiles } from "./state.ts";

/** Throws WORKTREE_KEPT if the worktree was locked with `git worktree lock`. */
export function assertUnlocked({ name, path }: Worktree): void {
  const reason = lockReason(path);
  if (reason === undefined) return;
  const why = reason === "" ? "it is locked" : `it is locked (${visibleName(reason)})`;
  throw errors.WORKTREE_KEPT({ name, path: visibleName(path), reason: `${why}; git worktree unlock ends that` });
}

/**
 * Removes the folder of a worktree without changes. Returns lines that name the ignored files that were in it. Throws WORKTREE_KEPT,
 * WORKTREE_REMAINS.
 */
export async function removeFolder({ git }: Checkout, worktree: Worktree): Promise<string[]> {
  const { name, path } = worktree;
  assertUnlocked(worktree);
  const ignored = await ignoredFiles(git, path);
  if ((await changedFiles(git, path, "all")).length > 0)
    throw errors.WORKTREE_KEPT({ name, path: visibleName(path), reason: "it has new changes" });
  // Renamed first: if this process is killed while it deletes, the rest must not look like a worktree with deleted files.
  const gone = passingFolder(worktree, "gone");
  renameSync(path, gone);
  try {
    await deletePassing(gone, "gone", worktree);
  } catch (thrown) {
    throw errors.WORKTREE_REMAINS({ name, path: visibleName(gone), reason: reasonOf(thrown) }, { cause: thrown });
  }
  return ignored.map(lineOf);
}
