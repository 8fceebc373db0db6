import { plainText, visibleName } from "@scorel/kit/text/plain";
import type { CommitOption, Worktree } from "./contract.ts";
import { errors, listed } from "./errors.ts";
import { commitAll } from "./finish.ts";
import type { Git } from "./git.ts";
import { removeFolder } from "./remove-folder.ts";
import type { Checkout, FoundWorktree } from "./repository.ts";
import { changedFiles, obstacleIn } from "./state.ts";

/** The last commit of a worktree without uncommitted changes. With `commit`, commits them first. Throws WORKTREE_KEPT, WORKTREE_UNCLEAN. */
export async function settledTip(
  { git, root }: Checkout,
  worktree: FoundWorktree,
  options: CommitOption,
): Promise<string> {
  const at = worktree.isBranchOnly
    ? { folder: root, name: `refs/heads/${worktree.branch}` }
    : { folder: worktree.path, name: "HEAD" };
  if (!worktree.isBranchOnly) await settle(git, worktree, options);
  return (await git.text(at.folder, "read the commit", ["rev-parse", "--verify", at.name])).trim();
}

async function settle(git: Git, worktree: Worktree, { commit = false }: CommitOption): Promise<void> {
  const { name, path } = worktree;
  const shown = visibleName(path);
  const obstacle = await obstacleIn(git, worktree);
  if (obstacle !== undefined) throw errors.WORKTREE_KEPT({ name, path: shown, reason: obstacle });
  const count = (await changedFiles(git, path, "all")).length;
  if (count > 0 && !commit) throw errors.WORKTREE_UNCLEAN({ name, path: shown, count });
  const flaw = await commitAll(git, worktree, `Work in the worktree ${name}`);
  if (flaw !== undefined) throw errors.WORKTREE_KEPT({ name, path: shown, reason: flaw });
}

/**
 * Removes a worktree, but not its branch. Returns a sentence that names ignored files that were removed with it, in case somebody misses
 * them.
 */
export async function clearFolder(checkout: Checkout, worktree: FoundWorktree): Promise<string> {
  const ignored = worktree.isBranchOnly ? [] : await removeFolder(checkout, worktree);
  return ignored.length === 0 ? "" : ` Files that git ignores went with it: ${listed(ignored)}.`;
}

/** The branches that contain a commit, except for one. */
export async function branchesWith({ git, root }: Checkout, commit: string, but: string): Promise<string[]> {
  const args = ["for-each-ref", `--contains=${commit}`, "--format=%(refname)", "refs/heads", "refs/remotes"];
  const text = await git.text(root, "look for other branches", args);
  return plainText(text)
    .split("\n")
    .filter((name) => name !== "" && name !== `refs/heads/${but}`)
    .map((name) => name.replace(/^refs\/(?:heads|remotes)\//, ""));
}
