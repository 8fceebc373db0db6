import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { codeOf } from "@scorel/kernel";
import { rootOf } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { WORKTREES, worktreeAround } from "@scorel/kit/files/worktree-place";
import { visibleName } from "@scorel/kit/text/plain";
import type { Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { Git } from "./git.ts";

/** Prefix of the branches of worktrees. The rest is the name of the worktree. */
const BRANCHES = "scorel/";
const NAME = /^[A-Za-z\d](?:[\w-]|\.(?=[\w-])){0,49}$/;

/** A checkout of a repository: the main one, or a worktree. */
export interface Checkout {
  root: string;
  /** The given directory, relative to the root. */
  below: string;
  /** The folder that contains its worktrees. */
  folder: string;
  git: Git;
}

/** The checkout that contains a directory. Throws WORKTREE_NO_GIT. */
export function checkoutAround(cwd: string): Checkout {
  const at = canonical(cwd);
  return checkoutAt(rootOf(at), at);
}

/**
 * The checkout that owns the worktrees for a directory: for a directory in a worktree, the checkout that it was created from. Throws
 * WORKTREE_NO_GIT.
 */
export function ownerAround(cwd: string): Checkout {
  const at = canonical(cwd);
  const root = worktreeAround(at)?.checkout ?? rootOf(at);
  return checkoutAt(root, isWithin(root, at) ? at : root);
}

function checkoutAt(root: string, at: string): Checkout {
  if (!existsSync(join(root, ".git"))) throw errors.WORKTREE_NO_GIT({ cwd: visibleName(at) });
  return { root, below: relative(root, at), folder: join(root, WORKTREES), git: new Git() };
}

/**
 * The worktree with a name, whether it exists or not. The name of its branch is accepted, too: lists and the reports of subagents contain it.
 * Throws WORKTREE_NAME.
 */
export function worktreeNamed({ folder }: Pick<Checkout, "folder">, given: string): Worktree {
  const name = given.startsWith(BRANCHES) ? given.slice(BRANCHES.length) : given;
  if (!NAME.test(name) || name.endsWith(".lock")) throw errors.WORKTREE_NAME({ name: visibleName(name) });
  return { name, path: join(folder, name), branch: BRANCHES + name };
}

/** The existing worktrees, sorted by name. */
export function worktreesIn(checkout: Pick<Checkout, "folder">): Worktree[] {
  return namesIn(checkout.folder)
    .filter((name) => NAME.test(name) && isWorktree(join(checkout.folder, name)))
    .sort()
    .map((name) => worktreeNamed(checkout, name));
}

/** An existing worktree, or the branch that is left of one. */
export interface FoundWorktree extends Worktree {
  isBranchOnly: boolean;
}

/** The existing worktrees, and those of which only the branch is left, sorted by name. */
export async function allWorktrees(checkout: Checkout): Promise<FoundWorktree[]> {
  const worktrees = worktreesIn(checkout).map((each) => ({ ...each, isBranchOnly: false }));
  const names = new Set(worktrees.map(({ name }) => name));
  const left = (await ownBranches(checkout)).filter((name) => NAME.test(name) && !names.has(name));
  return [...worktrees, ...left.map((name) => ({ ...worktreeNamed(checkout, name), isBranchOnly: true }))];
}

/** Finds a worktree, or the branch that is left of it. Throws WORKTREE_UNKNOWN, WORKTREE_NAME. */
export async function findWorktree(checkout: Checkout, given: string): Promise<FoundWorktree> {
  const worktree = worktreeNamed(checkout, given);
  const { name } = worktree;
  if (isWorktree(worktree.path)) return { ...worktree, isBranchOnly: false };
  const all = await allWorktrees(checkout);
  const found = all.find((each) => each.name === name);
  if (found) return found;
  throw errors.WORKTREE_UNKNOWN({ name, root: visibleName(checkout.root), known: all.map((each) => each.name) });
}

/** Names of worktrees' branches that are not checked out. A folder that is gone does not count, although git may still list it. */
async function ownBranches({ git, root, folder }: Checkout): Promise<string[]> {
  const args = ["for-each-ref", "--format=%(worktreepath)%00%(refname:lstrip=3)", `refs/heads/${BRANCHES}`];
  const text = await git.text(root, "list the branches", args);
  return text.split("\n").flatMap((row) => {
    const [path = "", name = ""] = row.split("\0");
    return path === "" || (path === join(folder, name) && !isWorktree(path)) ? [name] : [];
  });
}

/** Whether a folder is a worktree. A link to one does not count. */
export function isWorktree(path: string): boolean {
  return kindOf(path) === "folder" && kindOf(join(path, ".git")) === "file";
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    const stat = lstatSync(path);
    return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : undefined;
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return [];
    throw thrown;
  }
}
