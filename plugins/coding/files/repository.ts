import { readdir } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { fold } from "./names.ts";

/** File names that git uses in a repository folder, whatever the folder's name is. */
const OWN = new Set(
  "head objects refs config config.worktree commondir gitdir hooks info packed-refs index modules worktrees".split(" "),
);

/**
 * Whether a file is, or would become, part of a folder that git takes for a repository. Git would run what its settings and
 * hooks say, as in a `.git`.
 */
export async function isInRepository(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const part = fold(relative(folder, path).split(sep)[0] ?? "");
    if (OWN.has(part) && makesRepository(new Set([...(await namesIn(folder)), part]))) return true;
    if (folder === dirname(folder)) return false;
  }
}

function makesRepository(names: ReadonlySet<string>): boolean {
  return names.has("head") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map(fold);
  } catch {
    return []; // The folder does not exist yet, or cannot be read.
  }
}
