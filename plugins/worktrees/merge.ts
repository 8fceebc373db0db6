import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "@scorel/kit/files/lock";
import { plainText, visibleName } from "@scorel/kit/text/plain";
import type { CommitOption, WorktreesService } from "./contract.ts";
import { errors, listed } from "./errors.ts";
import { commitAll, removeBranch, removeFolder } from "./finish.ts";
import { type Git, reasonOf } from "./git.ts";
import { type Checkout, existingWorktree, ownerAround } from "./repository.ts";
import { changedFiles, obstacleIn } from "./state.ts";

/** Milliseconds to wait for another merge: those of large repositories take a while. */
const PATIENCE_MS = 60_000;

/** Merges the branch of a worktree into the one that its checkout has checked out. */
export async function merge(
  ...[cwd, name, options = {}]: Parameters<WorktreesService["merge"]>
): Promise<{ text: string }> {
  const checkout = ownerAround(cwd);
  existingWorktree(checkout, name);
  return alone(checkout, () => mergeFrom(checkout, name, options));
}

async function mergeFrom(
  checkout: Checkout,
  name: string,
  { commit, keep = false }: CommitOption & { keep?: boolean | undefined },
): Promise<{ text: string }> {
  const { git, root } = checkout;
  const worktree = existingWorktree(checkout, name);
  const { branch } = worktree;
  const into = await git.branch(root);
  if (into === undefined) throw errors.WORKTREE_DETACHED({ root: visibleName(root) });
  const shown = visibleName(into);
  const tip = await settled(checkout, name, { commit });
  const count = await git.count(root, tip, ["HEAD"]);
  if (count > 0) await mergeInto(git, root, branch, tip);
  const merged =
    count === 0 ? `${shown} has all of ${branch} already.` : `Merged ${counted(count)} of ${branch} into ${shown}.`;
  if (keep) return { text: merged };
  const gone = goneText(await removeFolder(checkout, worktree));
  await removeBranch(checkout, branch, tip);
  return { text: `${merged} The worktree and its branch are removed.${gone}` };
}

/** Removes a worktree, and its branch if another one has all of its commits. */
export async function remove(
  ...[cwd, name, options = {}]: Parameters<WorktreesService["remove"]>
): Promise<{ text: string }> {
  const checkout = ownerAround(cwd);
  existingWorktree(checkout, name);
  return alone(checkout, () => removeFrom(checkout, name, options));
}

async function removeFrom(checkout: Checkout, name: string, options: CommitOption): Promise<{ text: string }> {
  const { git, root } = checkout;
  const worktree = existingWorktree(checkout, name);
  const { branch } = worktree;
  const tip = await settled(checkout, name, options);
  const removed = `The worktree ${name} is removed.${goneText(await removeFolder(checkout, worktree))}`;
  const others = await branchesWith(git, root, tip, branch);
  if (others.length === 0)
    return { text: `${removed} Its branch ${branch} stays, since no other branch has all of its commits.` };
  await removeBranch(checkout, branch, tip);
  return { text: `${removed} Its branch is removed, too: ${visibleName(others[0] as string)} has all of its commits.` };
}

/** Works in a checkout while no other command merges or removes there: git's merges would undo each other. Throws WORKTREE_BUSY. */
async function alone<T>({ folder, root }: Checkout, work: () => Promise<T>): Promise<T> {
  const lock = await takeLock(join(folder, ".lock"), PATIENCE_MS);
  if (!lock) throw errors.WORKTREE_BUSY({ root: visibleName(root), seconds: PATIENCE_MS / 1_000 });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** The last commit of a worktree in which nothing is left to be committed. Throws WORKTREE_KEPT and WORKTREE_UNCLEAN. */
async function settled(checkout: Checkout, name: string, { commit = false }: CommitOption): Promise<string> {
  const { git } = checkout;
  const worktree = existingWorktree(checkout, name);
  const { path } = worktree;
  const shown = visibleName(path);
  const obstacle = await obstacleIn(git, worktree);
  if (obstacle !== undefined) throw errors.WORKTREE_KEPT({ name, path: shown, reason: obstacle });
  const count = (await changedFiles(git, path, "all")).length;
  if (count > 0 && !commit) throw errors.WORKTREE_UNCLEAN({ name, path: shown, count });
  const flaw = await commitAll(git, worktree, `Work in the worktree ${name}`);
  if (flaw !== undefined) throw errors.WORKTREE_KEPT({ name, path: shown, reason: flaw });
  return (await git.text(path, "read the commit", ["rev-parse", "HEAD"])).trim();
}

async function mergeInto(git: Git, root: string, branch: string, tip: string): Promise<void> {
  const shown = visibleName(root);
  const { length: count } = await changedFiles(git, root, "no");
  if (count > 0) throw errors.WORKTREE_CHECKOUT_UNCLEAN({ root: shown, count });
  const { left, others } = await inTheWay(git, root, tip);
  if (others.length > 0) throw errors.WORKTREE_OVERWRITES({ root: shown, files: others });
  for (const name of left) rmSync(join(root, name));
  const result = await git.run(root, ["merge", "--no-edit", "--no-verify", "--quiet", branch, "--"]);
  if (result.code === 0) return;
  const unmerged = await namesFrom(git, root, ["diff", "--name-only", "-z", "--diff-filter=U"]);
  // Nothing to abort if the merge has not begun, and nothing of ours if a person merges something else there.
  if ((await git.commit(root, "MERGE_HEAD")) === tip)
    await git.text(root, `undo the merge in ${shown}`, ["merge", "--abort"]);
  else for (const name of (await inTheWay(git, root, tip)).left) rmSync(join(root, name));
  if (unmerged.length === 0) throw errors.WORKTREE_GIT({ what: `merge ${branch}`, reason: reasonOf(result) });
  throw errors.WORKTREE_CONFLICT({ branch, root: shown, files: unmerged });
}

/**
 * Files that the merge adds and that exist already. `left` are those of which the branch has all bytes, such as those that a merge has left
 * that was killed or met a full disk. Git would refuse those, and replaces others that it is told to ignore without a word.
 */
async function inTheWay(git: Git, root: string, tip: string): Promise<{ left: string[]; others: string[] }> {
  const compared = ["diff", "--name-only", "-z", "--no-renames", "--diff-filter=A", `HEAD...${tip}`];
  const added = await namesFrom(git, root, compared);
  const known = new Set(await namesFrom(git, root, ["ls-files", "-z"]));
  const exists = (name: string) => lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined;
  const names = added.filter((name) => !known.has(name) && exists(name));
  const contents = await git.contents(root, tip, names);
  const left = names.filter((name, at) => isBeginning(join(root, name), contents[at]));
  return { left, others: names.filter((name) => !left.includes(name)) };
}

/** Whether a file is the beginning of these bytes, or all of them. */
function isBeginning(path: string, content: Buffer | undefined): boolean {
  const stat = lstatSync(path);
  if (content === undefined || !stat.isFile() || stat.size > content.length) return false;
  return readFileSync(path).equals(content.subarray(0, stat.size));
}

async function namesFrom(git: Git, root: string, args: readonly string[]): Promise<string[]> {
  const text = await git.text(root, "compare the commits", args);
  return text.split("\0").filter((name) => name !== "");
}

/** The branches, but for one, that have a commit. */
async function branchesWith(git: Git, root: string, commit: string, but: string): Promise<string[]> {
  const args = ["for-each-ref", `--contains=${commit}`, "--format=%(refname:short)", "refs/heads", "refs/remotes"];
  const text = await git.text(root, "look for other branches", args);
  return plainText(text)
    .split("\n")
    .filter((name) => name !== "" && name !== but);
}

/** Files that git ignores are seldom missed, but somebody may look for one of them. */
const goneText = (ignored: readonly string[]) =>
  ignored.length === 0 ? "" : ` Files that git ignores went with it: ${listed(ignored)}.`;

const counted = (count: number) => `${count} ${count === 1 ? "commit" : "commits"}`;
