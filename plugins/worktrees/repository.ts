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

/** The branches of worktrees are named after them. */
const BRANCHES = "scorel/";
const NAME = /^[A-Za-z\d](?:[\w-]|\.(?=[\w-])){0,49}$/;

/** A checkout of a repository: its main one, or a worktree. */
export interface Checkout {
  root: string;
  /** The directory that was asked about, relative to the root. */
  below: string;
  /** The folder of its worktrees. */
  folder: string;
  git: Git;
}

/** The checkout around a directory. Throws WORKTREE_NO_GIT. */
export function checkoutAround(cwd: string): Checkout {
  const at = canonical(cwd);
  return checkoutAt(rootOf(at), at);
}

/** The checkout whose worktrees are meant in a directory: in a worktree, the one that it was made of. Throws WORKTREE_NO_GIT. */
export function ownerAround(cwd: string): Checkout {
  const at = canonical(cwd);
  const root = worktreeAround(at)?.checkout ?? rootOf(at);
  return checkoutAt(root, isWithin(root, at) ? at : root);
}

function checkoutAt(root: string, at: string): Checkout {
  if (!existsSync(join(root, ".git"))) throw errors.WORKTREE_NO_GIT({ cwd: visibleName(at) });
  return { root, below: relative(root, at), folder: join(root, WORKTREES), git: new Git() };
}

/** The worktree with a name, whether it exists or not. Throws WORKTREE_NAME. */
export function worktreeNamed({ folder }: Pick<Checkout, "folder">, name: string): Worktree {
  if (!NAME.test(name) || name.endsWith(".lock")) throw errors.WORKTREE_NAME({ name: visibleName(name) });
  return { name, path: join(folder, name), branch: BRANCHES + name };
}

/** The worktrees that exist, by name. */
export function worktreesIn(checkout: Pick<Checkout, "folder">): Worktree[] {
  return namesIn(checkout.folder)
    .filter((name) => NAME.test(name) && isWorktree(join(checkout.folder, name)))
    .sort()
    .map((name) => worktreeNamed(checkout, name));
}

/** A worktree that exists. Throws WORKTREE_UNKNOWN and WORKTREE_NAME. */
export function existingWorktree(checkout: Checkout, name: string): Worktree {
  const worktree = worktreeNamed(checkout, name);
  if (isWorktree(worktree.path)) return worktree;
  const known = worktreesIn(checkout).map((each) => each.name);
  throw errors.WORKTREE_UNKNOWN({ name, root: visibleName(checkout.root), known });
}

/** Whether a folder, and not a link to one, is a worktree. */
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
