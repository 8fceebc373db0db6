import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { visibleName } from "@scorel/kit/text/plain";
import { reasonOf as reasonOfError } from "@scorel/kit/values/coded-error";
import { newId } from "@scorel/kit/values/id";
import type { OpenedWorktree, Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { reasonOf } from "./git.ts";
import { type Checkout, checkoutAround, isWorktree, worktreeNamed } from "./repository.ts";
import { changedFiles } from "./state.ts";

/** Characters of a name that Scorel makes up. */
const NAME = 8;

/**
 * Makes a worktree of the repository around a directory, or returns the one of that name. Its branch begins at the commit that is
 * checked out, unless there is one of its name already.
 */
export async function create(cwd: string, name = newName()): Promise<OpenedWorktree> {
  const checkout = checkoutAround(cwd);
  const { root, git } = checkout;
  const worktree = worktreeNamed(checkout, name);
  if (isWorktree(worktree.path)) return opened(checkout, worktree, { created: false, leftOut: 0 });
  const base = await git.commit(root);
  if (base === undefined) throw await noCommit(checkout);
  await makeFolder(checkout, worktree);
  // Git would make the worktree where a link leads, which may be outside of the project.
  if (lstatSync(worktree.path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw errors.WORKTREE_FOLDER({ path: visibleName(worktree.path), reason: "it is a link" });
  await add(checkout, worktree, base);
  // Files that git does not know are left out, too, but every project has some.
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

async function add({ git, root }: Checkout, { path, branch }: Worktree, base: string): Promise<void> {
  const exists = (await git.commit(root, `refs/heads/${branch}`)) !== undefined;
  const which = exists ? [path, branch] : ["--no-track", "-b", branch, path, base];
  try {
    await git.text(root, "make the worktree", ["worktree", "add", "--quiet", ...which]);
  } catch (thrown) {
    // Git makes the branch first. It goes only if it is still where it began.
    if (!exists) await git.run(root, ["update-ref", "-d", `refs/heads/${branch}`, base]);
    throw thrown;
  }
}

/** Makes the folder of worktrees, which git is told to ignore. Throws WORKTREE_FOLDER. */
export async function makeFolder({ git, root, folder }: Checkout, { path }: Worktree): Promise<void> {
  const refused = (reason: string, cause?: unknown) =>
    errors.WORKTREE_FOLDER({ path: visibleName(folder), reason }, { cause });
  try {
    mkdirSync(folder, { recursive: true });
    // A link could lead out of the project, where nothing may be changed.
    if (!lstatSync(folder).isDirectory()) throw refused("it is a link");
    if (!existsSync(join(folder, ".gitignore"))) writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (thrown) {
    if (codeOf(thrown) === "WORKTREE_FOLDER") throw thrown;
    // Two commands may make the folder at the same time.
    if (codeOf(thrown) !== "EEXIST" || !lstatSync(folder).isDirectory()) throw refused(reasonOfError(thrown), thrown);
  }
  const ignored = await git.run(root, ["check-ignore", "--quiet", "--", path]);
  if (ignored.code !== 0) throw refused("the project's own .gitignore there shows what is in it");
}

/** A name that no other worktree has. */
function newName(): string {
  return newId()
    .toLowerCase()
    .replace(/[^a-z\d]/g, "x")
    .slice(0, NAME);
}
