import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { canonical, isWithin } from "./paths.ts";
import { isFileAt, isFolderAt } from "./readable.ts";

/** The folder in a checkout with the worktrees that Scorel has created from it. Git does not list it. */
export const WORKTREES = ".scorel-worktrees";

/** A worktree that Scorel has created, recognised by its path: the checkout that it belongs to, and its own folder. */
export interface WorktreePlace {
  checkout: string;
  folder: string;
}

/** The innermost worktree of Scorel that contains `cwd` and is its git repository; undefined if there is none. `cwd` is canonical. */
export function worktreeAround(cwd: string): WorktreePlace | undefined {
  const mark = `${sep}${WORKTREES}${sep}`;
  const at = cwd.lastIndexOf(mark);
  if (at < 0) return undefined;
  const checkout = cwd.slice(0, at);
  const [name = ""] = cwd.slice(at + mark.length).split(sep);
  const folder = join(checkout, WORKTREES, name);
  const isWorktree = name !== "" && isFileAt(join(folder, ".git")) && existsSync(join(checkout, ".git"));
  return isWorktree && repositoryOf(cwd) === folder ? { checkout, folder } : undefined;
}

/**
 * Maps a directory in a worktree of Scorel to the same directory of the checkout, so that a project's settings, and the trust in them, are
 * the same in all of its worktrees. Returns any other directory unchanged. `cwd` is canonical.
 */
export function projectPlace(cwd: string): string {
  const place = worktreeAround(cwd);
  if (!place) return cwd;
  const { checkout, folder } = place;
  const same = canonical(checkout + cwd.slice(folder.length));
  return projectPlace(isFolderAt(same) && isWithin(checkout, same) ? same : checkout);
}

/** The nearest folder with a `.git`. */
function repositoryOf(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}
