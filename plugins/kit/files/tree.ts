import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { sha256Of } from "./hash.ts";
import { openRegular } from "./open.ts";
import { canonical, isWithin } from "./paths.ts";

/** Maximum number of files. Larger trees are refused: reading them would delay every start, and configuration is never that large. */
const MOST_FILES = 5_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** All files of some folders, read once. */
export interface Tree {
  /** The folder that the paths in `files` start at. */
  root: string;
  /** Path relative to the root, with `/` -> the bytes that were hashed. Sorted by path. */
  files: ReadonlyMap<string, Buffer>;
  /** The paths of files that their owner may execute. */
  executables?: ReadonlySet<string>;
  /** SHA-256 of all paths and contents. */
  hash: string;
}

/**
 * Reads every file below the `folders` of `root` once, except for `skipped` names. An entry of `folders` may also be a file. Throws the
 * error that `refuse` creates for everything that cannot be trusted: links to folders or out of the folders, anything but files and
 * folders, and too many files or bytes.
 */
export function readTree(root: string, folders: readonly string[], { refuse, skipped = [] }: ReadOptions): Tree {
  const reading: Reading = {
    root,
    refuse,
    tops: folders.filter((folder) => canonical(folder) === folder),
    skipped,
    files: new Map(),
    executables: new Set(),
    bytes: 0,
  };
  for (const path of folders) {
    if (isFile(path)) keep(path, path, reading);
    else readFolder(path, reading);
  }
  return { ...treeOf(root, reading.files), executables: reading.executables };
}

/** Creates a tree from files that were already read. Their paths are relative to the root, with `/`. */
export function treeOf(root: string, read: ReadonlyMap<string, Buffer>): Tree {
  const files = new Map([...read].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { root, files, hash: hashOf(files) };
}

/** The bytes of one file. Throws the error of `refuse`, also for a link. */
export function readBytes(path: string, refuse: Refuse): Buffer {
  const file = guarded(path, { refuse }, () => readRegular(path));
  if (file === undefined) throw refuse(path, "is neither a file nor a folder");
  return file.bytes;
}

/** Creates the error for a path that is refused for a reason. */
export type Refuse = (path: string, reason: string, options?: { cause: unknown }) => Error;

interface ReadOptions {
  refuse: Refuse;
  /** Names of files and folders that are left out. */
  skipped?: readonly string[];
}

interface Reading {
  root: string;
  refuse: Refuse;
  /** The folders to read that are not links themselves; links may lead into them. */
  tops: readonly string[];
  skipped: readonly string[];
  files: Map<string, Buffer>;
  executables: Set<string>;
  bytes: number;
}

/** Paths are quoted and lengths included, so that different trees never produce the same text to hash. */
function hashOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [path, bytes] of files) hash.update(`${JSON.stringify(path)} ${bytes.length} ${sha256Of(bytes)}\n`);
  return hash.digest("hex");
}

/** Whether a path is a regular file. False for a link, which is later refused in the same way as a link to a folder. */
function isFile(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readFolder(path: string, reading: Reading): void {
  const real = guarded(path, reading, () => fs.realpathSync(path));
  // `.claude/skills` is often a link to `.agents/skills`, which is read anyway.
  if (real !== path && reading.tops.includes(real)) return;
  if (real !== path) throw reading.refuse(path, `is a link to ${real}`);
  for (const name of guarded(path, reading, () => fs.readdirSync(path)).sort())
    if (!reading.skipped.includes(name)) readEntry(join(path, name), reading);
}

function readEntry(path: string, reading: Reading): void {
  const stats = guarded(path, reading, () => fs.lstatSync(path));
  if (stats.isDirectory()) readFolder(path, reading);
  else if (stats.isSymbolicLink()) keepTarget(path, reading);
  else keep(path, path, reading);
}

/** Reads a link to a file inside of the folders as if it were that file. */
function keepTarget(path: string, reading: Reading): void {
  const real = guarded(path, reading, () => fs.realpathSync(path));
  if (!reading.tops.some((top) => isWithin(top, real)))
    throw reading.refuse(path, `is a link to ${real}, which is outside`);
  if (fs.statSync(real).isDirectory()) throw reading.refuse(path, "is a link to a folder");
  keep(path, real, reading);
}

function keep(path: string, real: string, reading: Reading): void {
  const file = guarded(path, reading, () => readRegular(real));
  if (file === undefined) throw reading.refuse(path, "is neither a file nor a folder");
  const name = relative(reading.root, path).split(sep).join("/");
  reading.bytes += file.bytes.length;
  reading.files.set(name, file.bytes);
  if (file.isExecutable) reading.executables.add(name);
  if (reading.files.size > MOST_FILES) throw reading.refuse(dirname(path), `holds more than ${MOST_FILES} files`);
  if (reading.bytes > MOST_BYTES) throw reading.refuse(dirname(path), "holds more than 64 MiB");
}

/** Checks and reads the same open file, so that it cannot be replaced in between. Never waits for a FIFO. */
function readRegular(path: string): { bytes: Buffer; isExecutable: boolean } | undefined {
  const file = openRegular(path);
  if (!file) return undefined;
  const { fd, stat } = file;
  try {
    if (stat.size > MOST_BYTES) return undefined;
    return { bytes: fs.readFileSync(fd), isExecutable: (stat.mode & 0o100) !== 0 };
  } finally {
    fs.closeSync(fd);
  }
}

function guarded<T>(path: string, { refuse }: Pick<Reading, "refuse">, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const reason = `cannot be read (${(thrown as NodeJS.ErrnoException).code ?? String(thrown)})`;
    throw refuse(path, reason, { cause: thrown });
  }
}
