import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { canonical } from "@scorel/kit/files/paths";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";

/** The reason that git gives for a lock while it creates a worktree. */
const BEING_MADE = "initializing";

/**
 * Git's administrative folder of a worktree, such as `.git/worktrees/login`, as named in the worktree's file `.git`; undefined if it names
 * none.
 */
export function adminOf(path: string): string | undefined {
  const [, named] = /^gitdir: (.+?)\r?\n?$/.exec(readIfPresent(join(path, ".git")) ?? "") ?? [];
  const admin = named === undefined ? undefined : resolve(path, named);
  return admin !== undefined && basename(dirname(admin)) === "worktrees" ? admin : undefined;
}

/** Whether git was killed while it created a worktree. Files are then missing, and would count as deleted. */
export function isHalfMade(path: string): boolean {
  return lockReason(path) === BEING_MADE;
}

/** The reason given to `git worktree lock`, which may be empty; undefined if the worktree is not locked. */
export function lockReason(path: string): string | undefined {
  const admin = adminOf(path);
  return admin === undefined ? undefined : readIfPresent(join(admin, "locked"))?.trim();
}

/** Writes the current path of a worktree into its administrative folder, as git expects it. */
export function tellPlace(path: string): void {
  const admin = adminOf(path);
  const text = `${join(path, ".git")}\n`;
  if (admin !== undefined && readIfPresent(join(admin, "gitdir")) !== text)
    replaceFile(join(admin, "gitdir"), text, { mode: 0o666 });
}

/**
 * Deletes the administrative folder of the worktree at `path`, as `git worktree prune` does for missing worktrees. `places` are the paths
 * at which git may expect the worktree. For any other path, nothing is deleted: the worktree's file `.git` may have been changed to name
 * the folder of another worktree.
 */
export async function forget(path: string, places: readonly string[]): Promise<void> {
  const admin = adminOf(path);
  const known = admin === undefined ? undefined : readIfPresent(join(admin, "gitdir"))?.trim();
  if (
    admin === undefined ||
    known === undefined ||
    !places.some((place) => isSame(place, dirname(resolve(admin, known))))
  )
    return;
  await rm(admin, { recursive: true, force: true });
}

const isSame = (a: string, b: string) => canonical(a) === canonical(b);
