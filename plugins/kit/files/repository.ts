import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { readText } from "./open.ts";
import { canonical } from "./paths.ts";

/** A git repository, found as the `.git` of a folder. All paths are canonical, apart from `folder`. */
export interface Repository {
  folder: string;
  /** The git folder of this checkout. */
  gitdir: string;
  /** The git folder that it shares with its other worktrees, with settings and objects. */
  common: string;
}

/** The repository whose checkout a folder is, by its `.git`, which may be a folder, a link, or a file that names one. */
export function repositoryAt(folder: string): Repository | undefined {
  const path = join(folder, ".git");
  if (!exists(path)) return undefined;
  const named = /^gitdir: (.+)$/m.exec(textOf(path) ?? "")?.[1];
  const gitdir = canonical(named === undefined ? path : resolve(folder, named));
  const common = textOf(join(gitdir, "commondir"))?.trim();
  return { folder, gitdir, common: canonical(common === undefined ? gitdir : resolve(gitdir, common)) };
}

/** True also for a dangling link. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined; // The path is a folder or does not exist.
  }
}
