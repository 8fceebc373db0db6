import { messageOf } from "@scorel/kernel";
import type { ListedWorktree } from "./contract.ts";
import { Git } from "./git.ts";
import { allWorktrees, type Checkout, type FoundWorktree, ownerAround } from "./repository.ts";
import { changedFiles, obstacleIn } from "./state.ts";

/** Lists the worktrees that were made of the checkout around a directory, and branches that are left of some. */
export async function list(cwd: string): Promise<ListedWorktree[]> {
  const checkout = ownerAround(cwd);
  return Promise.all((await allWorktrees(checkout)).map((worktree) => rowOf(checkout, worktree)));
}

/** A worktree that git cannot read is listed with the reason, so that the others are, too. */
async function rowOf({ root }: Checkout, { isBranchOnly, ...worktree }: FoundWorktree): Promise<ListedWorktree> {
  const git = new Git();
  try {
    const base = (await git.commit(root)) ?? "";
    const without = base === "" ? [] : [base];
    if (isBranchOnly) {
      const commits = await git.count(root, `refs/heads/${worktree.branch}`, without);
      return { ...worktree, commits, changes: 0, isBranchOnly };
    }
    const problem = await obstacleIn(git, worktree);
    const commits = await git.count(worktree.path, "HEAD", without);
    const changes = (await changedFiles(git, worktree.path, "all")).length;
    return { ...worktree, commits, changes, ...(problem !== undefined && { problem }) };
  } catch (thrown) {
    return { ...worktree, commits: 0, changes: 0, problem: messageOf(thrown) };
  }
}
