import { existsSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { visibleName } from "@scorel/kit/text/plain";
import { newId } from "@scorel/kit/values/id";
import { isHalfMade, tellPlace } from "./admin.ts";
import type { OpenedWorktree, Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { deletePassing, passingFolder, placeIn, prepareFolder } from "./folder.ts";
import { reasonOf } from "./git.ts";
import { withWorktree } from "./locks.ts";
import { type Checkout, checkoutAround, isWorktree, worktreeNamed } from "./repository.ts";
import { changedFiles, isElsewhere } from "./state.ts";

/** Characters of a generated name. */
const NAME = 8;

/**
 * Creates a worktree of the repository that contains a directory, or returns the one of that name. A new branch starts at the commit that
 * is checked out; an existing branch is used as it is.
 */
export async function create(cwd: string, name = newName()): Promise<OpenedWorktree> {
  const checkout = checkoutAround(cwd);
  const worktree = worktreeNamed(checkout, name);
  const base = await checkout.git.commit(checkout.root);
  if (base === undefined) throw await noCommit(checkout);
  await prepareFolder(checkout, worktree);
  return withWorktree(worktree, () => openOrMake(checkout, worktree, base));
}

async function openOrMake(checkout: Checkout, worktree: Worktree, base: string): Promise<OpenedWorktree> {
  const { git, root } = checkout;
  if (isWorktree(worktree.path)) {
    if (isHalfMade(worktree.path))
      throw errors.WORKTREE_HALF_MADE({ name: worktree.name, path: visibleName(worktree.path) });
    if (await isElsewhere(git, worktree.path))
      throw errors.WORKTREE_FOLDER({ path: visibleName(worktree.path), reason: "it belongs to another repository" });
    tellPlace(worktree.path);
    return opened(checkout, worktree, { created: false, leftOut: 0 });
  }
  assertFree(worktree.path);
  await make(checkout, worktree, base);
  // Untracked files are left out, too, but are not counted, since every project has some.
  const leftOut = (await changedFiles(git, root, "no")).length;
  return opened(checkout, worktree, { created: true, leftOut });
}

async function opened(
  { git, below, root }: Checkout,
  worktree: Worktree,
  facts: Pick<OpenedWorktree, "created" | "leftOut">,
): Promise<OpenedWorktree> {
  const commit = await git.commit(worktree.path);
  if (commit === undefined) throw errors.WORKTREE_NO_COMMIT({ root: visibleName(root) });
  const inside = join(worktree.path, below);
  return { ...worktree, ...facts, commit, cwd: existsSync(inside) ? inside : worktree.path };
}

async function noCommit({ git, root }: Checkout): Promise<Error> {
  const found = await git.run(root, ["rev-parse", "--git-dir"]);
  if (found.code === 0) return errors.WORKTREE_NO_COMMIT({ root: visibleName(root) });
  return errors.WORKTREE_GIT({ what: `read the repository ${visibleName(root)}`, reason: reasonOf(found) });
}

/**
 * Creates the worktree in a temporary folder, and moves it to its path when it is complete. Otherwise, if this process or git were killed,
 * missing files would count as deleted.
 */
async function make(checkout: Checkout, worktree: Worktree, base: string): Promise<void> {
  const { git, root } = checkout;
  const ref = `refs/heads/${worktree.branch}`;
  const left = await git.commit(root, ref);
  if (left !== undefined) await assertNotCheckedOut(checkout, worktree);
  const making = passingFolder(worktree, "making");
  const place = placeIn(making);
  const doing = "make the worktree";
  try {
    await git.text(root, doing, ["worktree", "add", "--quiet", "--no-checkout", "--detach", place, left ?? base]);
    // A separate command, since the repository may have settings that name programs and apply only in worktrees.
    await git.text(place, doing, ["reset", "--quiet", "--hard"]);
    if (left === undefined) await git.text(root, doing, ["update-ref", "-m", "branch: Created", ref, base, ""]);
    await git.text(place, doing, ["symbolic-ref", "HEAD", ref]);
    renameSync(place, worktree.path);
    tellPlace(worktree.path);
  } finally {
    await deletePassing(making, "making", worktree);
  }
}

/** Throws WORKTREE_FOLDER if the path of a worktree is taken. */
function assertFree(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const refused = (reason: string) => errors.WORKTREE_FOLDER({ path: visibleName(path), reason });
  if (stat?.isSymbolicLink()) throw refused("it is a link");
  if (stat?.isDirectory() === false) throw refused("it is a file");
  if (stat && readdirSync(path).length > 0) throw refused("it is there already, and is no worktree");
}

/** Throws WORKTREE_BRANCH_USED if another worktree has checked out the branch. */
async function assertNotCheckedOut({ git, root }: Checkout, { branch, path }: Worktree): Promise<void> {
  const args = ["for-each-ref", "--format=%(worktreepath)", `refs/heads/${branch}`];
  const at = (await git.text(root, "look for the branch", args)).trimEnd();
  // Git also lists worktrees whose folder is gone.
  if (at !== "" && at !== path && existsSync(join(at, ".git")))
    throw errors.WORKTREE_BRANCH_USED({ branch, path: visibleName(at) });
}

/** Generates a name for a worktree. */
function newName(): string {
  return newId()
    .toLowerCase()
    .replace(/[^a-z\d]/g, "x")
    .slice(0, NAME);
}
