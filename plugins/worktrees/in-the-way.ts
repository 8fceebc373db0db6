import { existsSync, lstatSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isControlPath } from "@scorel/kit/files/control-path";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { Git } from "./git.ts";

/** Untracked files at paths that a merge adds. */
export interface InTheWay {
  /**
   * Files whose content is the beginning of that in the branch, such as those left by a merge that was killed or met a full disk. Git would
   * refuse to merge because of them.
   */
  left: string[];
  /** All other files, also where the merge adds a folder. Git silently replaces them if it ignores them. */
  others: string[];
}

/** Finds the untracked files at paths that a merge of the commit `tip` adds. */
export async function inTheWay(git: Git, root: string, tip: string): Promise<InTheWay> {
  const compared = ["diff", "--name-only", "-z", "--no-renames", "--diff-filter=A", `HEAD...${tip}`];
  const added = await namesFrom(git, root, compared);
  const known = new Set(await namesFrom(git, root, ["ls-files", "-z"]));
  const places = new Set(added.map((name) => nonFolderAbove(root, name) ?? name));
  const names = [...places].filter((name) => !known.has(name) && existsAt(join(root, name)));
  const contents = await git.contents(root, tip, names);
  const left = names.filter((name, at) => !isControlPath(name) && isBeginning(join(root, name), contents[at]));
  return { left, others: names.filter((name) => !left.includes(name)) };
}

/** Moves files from a checkout into a temporary folder, where they have the same paths. */
export function setAside(root: string, aside: string, names: readonly string[]): void {
  for (const name of names) moveTo(join(aside, name), join(root, name));
}

/**
 * Moves files back to where nothing is now, which is everywhere after a merge that has failed. Then deletes the temporary folder: what is
 * left there is the beginning of files in the branch. A sandboxed command could have made the folder, so files that control git or Scorel,
 * which are never set aside, are not moved.
 */
export async function putBack(root: string, aside: string): Promise<void> {
  for (const name of filesIn(aside)) {
    const place = join(root, name);
    const isFree = !existsAt(place) && nonFolderAbove(root, name) === undefined;
    if (isFree && !isControlPath(name)) moveTo(place, join(aside, name));
  }
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

/** The names in the output of a git command. */
export async function namesFrom(git: Git, root: string, args: readonly string[]): Promise<string[]> {
  const text = await git.text(root, "compare the commits", args);
  return text.split("\0").filter((name) => name !== "");
}

function moveTo(place: string, from: string): void {
  makeFolder(dirname(place), 0o777);
  renameSync(from, place);
}

/** The files in a folder and its subfolders, relative to it. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** The uppermost parent of a path that is a file or a link instead of a folder; undefined if there is none. */
function nonFolderAbove(root: string, name: string): string | undefined {
  const parents = name
    .split("/")
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join("/"));
  return parents.find((parent) => statAt(join(root, parent))?.isDirectory() === false);
}

/** Whether the file's content is the beginning of these bytes, or equal to them. */
function isBeginning(path: string, content: Buffer | undefined): boolean {
  const stat = lstatSync(path);
  if (content === undefined || !stat.isFile() || stat.size > content.length) return false;
  return readFileSync(path).equals(content.subarray(0, stat.size));
}

const statAt = (path: string) => lstatSync(path, { throwIfNoEntry: false });
const existsAt = (path: string) => statAt(path) !== undefined;
