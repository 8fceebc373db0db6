import { rmSync } from "node:fs";
import { join } from "node:path";
import type { GitResult } from "@scorel/kit/process/run-git";
import { visibleName } from "@scorel/kit/text/plain";
import type { CommitOption, RemoveOptions, Worktree, WorktreesService } from "./contract.ts";
import { errors } from "./errors.ts";
import { removeBranch } from "./finish.ts";
import { passingFolder } from "./folder.ts";
import { type Git, reasonOf } from "./git.ts";
import { inTheWay, namesFrom, putBack, setAside } from "./in-the-way.ts";
import { withCheckout, withFoundWorktree } from "./locks.ts";
import { assertUnlocked } from "./remove-folder.ts";
import type { Checkout, FoundWorktree } from "./repository.ts";
import { branchesWith, clearFolder, settledTip } from "./settle.ts";
import { changedFiles } from "./state.ts";

/** Digits of an abbreviated commit id. */
const SHORT = 12;
/**
 * Options for a merge. Those that seem to be the defaults overrule `branch.<name>.mergeOptions`: with a merge that is not committed, the
 * branch would be removed before its work is in another one, and signatures would be made or checked by a program that the repository names.
 */
const MERGE = [
  ...["--commit", "--no-squash", "--no-gpg-sign", "--no-verify-signatures"],
  ...["--no-edit", "--no-verify", "--quiet"],
];

/** Merges the branch of a worktree into the branch that its checkout has checked out. */
export function merge(...[cwd, name, options = {}]: Parameters<WorktreesService["merge"]>): Promise<{ text: string }> {
  return withFoundWorktree(cwd, name, (checkout, worktree) =>
    withCheckout(checkout, () => mergeFrom(checkout, worktree, options)),
  );
}

async function mergeFrom(
  checkout: Checkout,
  worktree: FoundWorktree,
  { commit, keep = false }: CommitOption & { keep?: boolean | undefined },
): Promise<{ text: string }> {
  const { git, root } = checkout;
  const { branch, isBranchOnly } = worktree;
  const into = await git.branch(root);
  if (into === undefined) throw errors.WORKTREE_DETACHED({ root: visibleName(root) });
  const shown = visibleName(into);
  if (!keep) assertUnlocked(worktree);
  // Checked before anything is committed in the worktree, so that a refused merge changes nothing.
  if (commit && !isBranchOnly && (await changedFiles(git, worktree.path, "all")).length > 0)
    await assertClean(git, root);
  const tip = await settledTip(checkout, worktree, { commit });
  const count = await git.count(root, tip, ["HEAD"]);
  if (count > 0) await mergeInto(checkout, worktree, tip);
  const merged =
    count === 0 ? `${shown} has all of ${branch} already.` : `Merged ${counted(count)} of ${branch} into ${shown}.`;
  if (keep) return { text: merged };
  const gone = await clearFolder(checkout, worktree);
  await removeBranch(checkout, branch, tip);
  const removed = isBranchOnly ? "The branch is removed." : "The worktree and its branch are removed.";
  return { text: `${merged} ${removed}${gone}` };
}

/** Removes a worktree. Also removes its branch if another branch has all of its commits, or with `discard`. */
export function remove(
  ...[cwd, name, options = {}]: Parameters<WorktreesService["remove"]>
): Promise<{ text: string }> {
  return withFoundWorktree(cwd, name, (checkout, worktree) => removeFrom(checkout, worktree, options));
}

async function removeFrom(
  checkout: Checkout,
  worktree: FoundWorktree,
  { commit = false, discard = false }: RemoveOptions,
): Promise<{ text: string }> {
  const { name, branch, isBranchOnly } = worktree;
  // Changes to discard are committed as well, so that they can be recovered.
  const tip = await settledTip(checkout, worktree, { commit: commit || discard });
  const [other] = await branchesWith(checkout, tip, branch);
  if (isBranchOnly && other === undefined && !discard) throw errors.WORKTREE_UNMERGED({ name, branch });
  const gone = await clearFolder(checkout, worktree);
  const removed = isBranchOnly ? "" : `The worktree ${name} is removed.${gone} `;
  if (other === undefined && !discard)
    return { text: `${removed}Its branch ${branch} stays, since no other branch has all of its commits.` };
  await removeBranch(checkout, branch, tip);
  if (other !== undefined)
    return { text: `${removed}The branch ${branch} is removed: ${visibleName(other)} has all of its commits.` };
  const back = `git branch ${branch} ${tip.slice(0, SHORT)}`;
  return {
    text: `${removed}The branch ${branch} is removed. Until git clears its commits away, this brings them back: ${back}`,
  };
}

async function mergeInto({ git, root }: Checkout, worktree: Worktree, tip: string): Promise<void> {
  await completeKilled(git, root, tip);
  await assertClean(git, root);
  const { left, others } = await inTheWay(git, root, tip);
  if (others.length > 0) throw errors.WORKTREE_OVERWRITES({ root: visibleName(root), files: others });
  const { branch } = worktree;
  // The shortest name that means the branch, also if there is a tag of the same name. Git puts it into the message of the commit.
  const named = await git.text(root, "name the branch", ["rev-parse", "--abbrev-ref=loose", `refs/heads/${branch}`]);
  const aside = passingFolder(worktree, "aside");
  try {
    setAside(root, aside, left);
    const result = await git.run(root, ["merge", ...MERGE, named.trim(), "--"]);
    if (result.code !== 0) throw await undone(git, root, { branch, tip }, result);
  } finally {
    await putBack(root, aside);
  }
}

/** Undoes a merge that has failed, and returns the error for it. */
async function undone(
  git: Git,
  root: string,
  { branch, tip }: { branch: string; tip: string },
  result: GitResult,
): Promise<Error> {
  const shown = visibleName(root);
  const unmerged = await namesFrom(git, root, ["diff", "--name-only", "-z", "--diff-filter=U"]);
  // Only aborts a merge that this command has started, and not one of a person.
  if ((await git.commit(root, "MERGE_HEAD")) === tip)
    await git.text(root, `undo the merge in ${shown}`, ["merge", "--abort"]);
  // The files that were there before have been set aside, so git has written these.
  else for (const name of (await inTheWay(git, root, tip)).left) rmSync(join(root, name));
  if (unmerged.length === 0) return errors.WORKTREE_GIT({ what: `merge ${branch}`, reason: reasonOf(result) });
  return errors.WORKTREE_CONFLICT({ branch, root: shown, files: unmerged });
}

/**
 * Completes a fast-forward to `tip` that was killed when git had written all files and the index, but not yet the branch. The files then look
 * like changes that somebody has staged, and are just those of `tip`.
 */
async function completeKilled(git: Git, root: string, tip: string): Promise<void> {
  if ((await changedFiles(git, root, "no")).length === 0) return;
  const holds = async (...args: string[]) => (await git.run(root, args)).code === 0;
  const isWritten =
    (await holds("diff", "--no-ext-diff", "--cached", "--quiet", tip, "--")) &&
    (await holds("diff", "--no-ext-diff", "--quiet", "--")) &&
    (await holds("merge-base", "--is-ancestor", "HEAD", tip));
  if (isWritten) await git.text(root, "complete the merge", ["reset", "--soft", tip]);
}

/** Throws WORKTREE_CHECKOUT_UNCLEAN if there are uncommitted changes, which could get mixed up with the merge. */
async function assertClean(git: Git, root: string): Promise<void> {
  const { length: count } = await changedFiles(git, root, "no");
  if (count > 0) throw errors.WORKTREE_CHECKOUT_UNCLEAN({ root: visibleName(root), count });
}

const counted = (count: number) => `${count} ${count === 1 ? "commit" : "commits"}`;
