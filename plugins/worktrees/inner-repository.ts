import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { reasonOf } from "@scorel/kit/values/coded-error";

/** Most folders to search for repositories, in all places together. The build folders of a large project have some thousand. */
const MOST_FOLDERS = 20_000;
/** Packages are only looked at, and not searched: they often have more folders than all other places. */
const PACKAGES = "node_modules";
/** Names that a bare repository, which has no `.git` folder, contains. */
const BARE = ["HEAD", "objects", "refs"];

/**
 * Why these paths, of which folders end with `/`, cannot be deleted: a repository would be lost with them, or could be. Undefined if they
 * have none.
 */
export async function innerRepository(
  root: string,
  paths: readonly string[],
  most = MOST_FOLDERS,
): Promise<string | undefined> {
  let left = most;
  for (const path of paths.filter((each) => each.endsWith("/"))) {
    const open = [join(root, path)];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (left-- === 0) return `${lineOf(path)} has too many folders to look for repositories in all of them`;
      const entries = await entriesOf(folder);
      if (typeof entries === "string") return `${lineOf(path)} cannot be searched for repositories (${entries})`;
      if (isRepository(entries)) return `${lineOf(path)} is, or has, a repository of its own`;
      if (isPackage(folder)) continue;
      for (const entry of entries) if (entry.isDirectory()) open.push(join(folder, entry.name));
    }
  }
  return undefined;
}

/** Returns the entries of a folder, none if it was deleted meanwhile, or the reason why it cannot be read. */
async function entriesOf(folder: string): Promise<Dirent[] | string> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    return ["ENOENT", "ENOTDIR"].includes(codeOf(thrown)) ? [] : reasonOf(thrown);
  }
}

function isRepository(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has(".git") || BARE.every((name) => names.has(name));
}

/** Whether a folder is that of a package: `node_modules/name` or `node_modules/@scope/name`. */
function isPackage(folder: string): boolean {
  const around = dirname(folder);
  if (basename(around) === PACKAGES) return !basename(folder).startsWith("@");
  return basename(around).startsWith("@") && basename(dirname(around)) === PACKAGES;
}
