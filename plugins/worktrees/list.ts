import { messageOf } from "@scorel/kernel";
import type { ListedWorktree, Worktree } from "./contract.ts";
import { Git } from "./git.ts";
import { type Checkout, ownerAround, worktreesIn } from "./repository.ts";
import { changedFiles, obstacleIn } from "./state.ts";

/** Lists the worktrees that were made of the checkout around a directory. */
export async function list(cwd: string): Promise<ListedWorktree[]> {
  const checkout = ownerAround(cwd);
  return Promise.all(worktreesIn(checkout).map((worktree) => rowOf(checkout, worktree)));
}

/** A worktree that git cannot read is listed with the reason, so that the others are, too. */
async function rowOf({ root }: Checkout, worktree: Worktree): Promise<ListedWorktree> {
  const git = new Git();
  try {
    const problem = await obstacleIn(git, worktree);
    const base = (await git.commit(root)) ?? "";
    const commits = await git.count(worktree.path, "HEAD", base === "" ? [] : [base]);
    const changes = (await changedFiles(git, worktree.path, "all")).length;
    return { ...worktree, commits, changes, ...(problem !== undefined && { problem }) };
  } catch (thrown) {
    return { ...worktree, commits: 0, changes: 0, problem: messageOf(thrown) };
  }
}
