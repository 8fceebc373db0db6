import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

const MAX_BYTES = 4_096;

/** Returns the branch checked out in a git root, or the beginning of the commit's id; undefined if there is none. Does not run git. */
export function branchIn(root: string): string | undefined {
  const head = textOf(join(gitFolder(root), "HEAD"));
  // Characters that git allows in names, so that nothing else is shown.
  const branch = /^ref: refs\/heads\/([\p{L}\p{N}\p{M}\p{P}\p{S}]{1,200})\s*$/u.exec(head)?.[1];
  return branch ?? /^([0-9a-f]{7})[0-9a-f]{33,57}\s*$/.exec(head)?.[1];
}

/** The path of the git folder. In worktrees and submodules, `.git` is a file that contains the path. */
function gitFolder(root: string): string {
  const path = join(root, ".git");
  const named = /^gitdir: (.+?)\s*$/.exec(textOf(path))?.[1];
  if (named === undefined) return path;
  return isAbsolute(named) ? named : join(root, named);
}

/** The text of a small regular file; "" for anything else. */
function textOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    // A repository that cannot be read has no branch to show.
    return "";
  }
}
