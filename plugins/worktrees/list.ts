import { sep } from "node:path";
import { messageOf } from "@scorel/kernel";
import { worktreeAround } from "@scorel/kit/files/worktree-place";
import type { ListedWorktree } from "./contract.ts";
import { Git } from "./git.ts";
import { allWorktrees, type Checkout, type FoundWorktree, findWorktree, ownerAround } from "./repository.ts";
import { changedFiles, ELSEWHERE, obstacleIn } from "./state.ts";

/** Number of worktrees that git is asked about at the same time, since subagents may have left hundreds of branches. */
const AT_ONCE = 8;

/** Lists the worktrees that were created from the checkout that contains a directory, and branches without a worktree. */
export async function list(cwd: string): Promise<ListedWorktree[]> {
  const checkout = ownerAround(cwd);
  const base = await checkout.git.commit(checkout.root);
  const without = base === undefined ? [] : [base];
  const all = await allWorktrees(checkout);
  const rows: ListedWorktree[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    rows.push(...(await Promise.all(some.map((worktree) => rowOf(checkout, worktree, without)))));
  }
  return rows;
}

/** A line for a person who has worked in a worktree: what it has that the checkout does not have, and how to merge it. */
export async function leftIn(folder: string): Promise<string> {
  const name = worktreeAround(folder)?.folder.split(sep).at(-1);
  if (name === undefined) return "";
  const checkout = ownerAround(folder);
  const base = await checkout.git.commit(checkout.root);
  const without = base === undefined ? [] : [base];
  const { commits, changes } = await rowOf(checkout, await findWorktree(checkout, name), without);
  if (commits + changes === 0) return "";
  const files = changes === 0 ? [] : [`${changes} ${changes === 1 ? "file" : "files"} not committed`];
  const all = [...(commits === 0 ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"}`]), ...files].join(
    " and ",
  );
  return `The worktree ${name} has ${all}. To bring its work back: scorel worktree merge ${name}${changes === 0 ? "" : " --commit"}\n`;
}

/** Describes a worktree. One that git cannot read is listed with the reason, so that the list does not fail. */
async function rowOf(
  { root, git }: Checkout,
  { isBranchOnly, ...worktree }: FoundWorktree,
  without: readonly string[],
): Promise<ListedWorktree> {
  try {
    if (isBranchOnly) {
      const commits = await git.count(root, `refs/heads/${worktree.branch}`, without);
      return { ...worktree, commits, changes: 0, isBranchOnly };
    }
    // A separate `Git`, so that settings of other worktrees do not apply.
    const own = new Git();
    const problem = await obstacleIn(own, worktree);
    // Commits and changed files would be those of the other repository.
    if (problem === ELSEWHERE) return { ...worktree, commits: 0, changes: 0, problem };
    const commits = await own.count(worktree.path, "HEAD", without);
    const changes = (await changedFiles(own, worktree.path, "all")).length;
    return { ...worktree, commits, changes, ...(problem !== undefined && { problem }) };
  } catch (thrown) {
    return { ...worktree, commits: 0, changes: 0, problem: messageOf(thrown) };
  }
}
