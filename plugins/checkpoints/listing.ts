import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { git } from "./git.ts";
import { isInside } from "./state.ts";

/** A file that git's index knows to be as it was when its object was made: what `lstat` says of such a file. */
export interface Clean {
  oid: string;
  mark: string;
  executable: boolean;
}
export type Listing = Map<string, Clean | undefined>;

/** Folders that hold what is made or fetched; only outside git, where no ignore file says so. */
const SKIPPED = new Set([".git", ".hg", ".svn", ".scorel", "node_modules", ".venv", "__pycache__"]);

/** The tracked and the untracked, not ignored files of a git root. Throws CHECKPOINT_GIT. */
export async function listByGit(root: string, signal: AbortSignal): Promise<Listing> {
  const [tracked, others] = await Promise.all([
    git(root, ["ls-files", "-z", "--stage", "--debug"], { signal }),
    git(root, ["ls-files", "-z", "--others", "--exclude-standard"], { signal }),
  ]);
  const listing = parseIndex(tracked.toString(), indexTime(root));
  for (const path of others.toString().split("\0")) if (isFile(path)) listing.set(path, undefined);
  return listing;
}

export function isGitRoot(root: string): boolean {
  return fs.existsSync(join(root, ".git"));
}

/** Every file below a folder outside git; undefined when there are more than `most`. Links are not followed. */
export async function listByWalk(
  root: string,
  most: number,
  breathe: () => Promise<boolean>,
): Promise<Listing | undefined> {
  const listing: Listing = new Map();
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (!(await breathe()) || listing.size > most) return undefined;
    for (const entry of entriesIn(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) open.push(path);
      } else if (isFile(path)) listing.set(path, undefined);
    }
  }
  return listing;
}

/** What names a version of a file without reading it. */
export function markOf({
  ino,
  size,
  mtimeMs,
  ctimeMs,
}: Pick<fs.Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">): string {
  return `${ino % 2 ** 32}:${size}:${mtimeMs}:${ctimeMs}`;
}

const ENTRY = /([0-7]{6}) ([0-9a-f]{40,64}) ([0-3])\t([^\0]+)\0((?: {2}.*\n)*)/g;
const TIMES = / {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n.*\n {2}size: (\d+)\t/;

/**
 * What the index says of each path. git calls the form of `--debug` inexact: what is not understood makes the file one
 * that is read instead of trusted. So does a file as young as the index, which may have changed since in the same tick.
 */
function parseIndex(text: string, written: number): Listing {
  const listing: Listing = new Map();
  for (const [, mode = "", oid = "", stage, path = "", debug = ""] of text.matchAll(ENTRY)) {
    if (mode === "160000" || !isFile(path)) continue;
    const times = stage === "0" && mode !== "120000" ? TIMES.exec(debug)?.slice(1).map(Number) : undefined;
    listing.set(path, times && cleanOf(times, oid, mode, written));
  }
  return listing;
}

function cleanOf(times: readonly number[], oid: string, mode: string, written: number): Clean | undefined {
  const [cs = 0, cn = 0, ms = 0, mn = 0, ino = 0, size = 0] = times;
  const mtimeMs = ms * 1e3 + mn / 1e6;
  if (mtimeMs >= written) return undefined;
  return { oid, mark: markOf({ ino, size, mtimeMs, ctimeMs: cs * 1e3 + cn / 1e6 }), executable: mode === "100755" };
}

/** When the index was last written; before everything when it cannot be found, so that nothing is trusted. */
function indexTime(root: string): number {
  try {
    return fs.statSync(join(gitFolder(root), "index")).mtimeMs;
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

function gitFolder(root: string): string {
  const path = join(root, ".git");
  if (fs.statSync(path).isDirectory()) return path;
  const named = fs
    .readFileSync(path, "utf8")
    .trim()
    .replace(/^gitdir: /, "");
  return resolve(dirname(path), named);
}

/** A name that is no UTF-8 has lost its bytes and cannot be found again; a folder is a repository of its own. */
function isFile(path: string): boolean {
  return path !== "" && !path.endsWith("/") && !path.includes("\ufffd") && isInside(path);
}

function entriesIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or closed to this user: nothing that a tool of his could change.
  }
}
