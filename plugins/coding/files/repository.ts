import { dirname, relative, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { fold } from "@scorel/kit/files/names";
import type { FilesService } from "@scorel/local/contract";

/** File names that git uses in a repository folder, whatever the folder's name is. */
const OWN = new Set(
  "head objects refs config config.worktree commondir gitdir hooks info packed-refs index modules worktrees".split(" "),
);

/**
 * Whether a file is, or would become, part of a folder that git takes for a repository. Git would run what its settings and
 * hooks say, as in a `.git`.
 */
export async function isInRepository(path: string, files: FilesService): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const part = fold(relative(folder, path).split(sep)[0] ?? "");
    if (OWN.has(part) && makesRepository(new Set([...(await namesIn(folder, files)), part]))) return true;
    if (folder === dirname(folder)) return false;
  }
}

function makesRepository(names: ReadonlySet<string>): boolean {
  return names.has("head") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

async function namesIn(folder: string, files: FilesService): Promise<string[]> {
  try {
    return (await files.list(folder)).map(({ name }) => fold(name));
  } catch (thrown) {
    // The folder does not exist yet, or cannot be read.
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(codeOf(thrown))) return [];
    throw thrown;
  }
}
