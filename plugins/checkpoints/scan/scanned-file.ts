import * as fs from "node:fs";
import { join } from "node:path";
import type { FileState } from "../contract.ts";
import type { Keeper } from "../record/keeper.ts";
import { hasPlainParents, observe, type PlainParents } from "../record/observe.ts";
import { absent, same } from "../record/state.ts";

/** Changes within this many milliseconds of each other may leave the same file times. */
export const TICK_MS = 50;

/** Where a session scans files, and with which limits. */
export interface ScanContext {
  root: string;
  home: string;
  keeper: Keeper;
  maxFiles: number;
  /** Up to this many files are examined directly; for more, git is asked which have changed. */
  fewFiles: number;
  /** The limit of a scan in milliseconds of CPU time. */
  maxScanMs: number;
  signal: AbortSignal;
}

/** Identifies a version of a file without reading it: inode, size and times. */
export interface Mark {
  /** The inode number modulo 2^32, as in git's index. */
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** A file as seen by a scan. A file whose content git has is not read until it changes. */
export interface ScannedFile extends Mark {
  mode: number;
  /** The creation time in milliseconds since the epoch. */
  born: number;
  /** Whether it was read so soon after its last change that an equal mark proves nothing. */
  young: boolean;
  content: FileState | { kind: "git"; oid: string; size: number };
}

/** A file as git's index has it. */
export interface Tracked extends Mark {
  oid: string;
  executable: boolean;
  /** Whether a file with this mark certainly has the object's content. */
  trusted: boolean;
}

/** Whether two marks identify the same version of a file. */
export function hasMark(a: Mark, b: Mark): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino;
}

/** Converts an inode number to the form of a mark. */
export function inodeOf(ino: number): number {
  return ino % 2 ** 32;
}

/** Reads a path and stores its content; undefined without a file. */
export function observeNow({ root, keeper }: ScanContext, path: string): ScannedFile | undefined {
  const stat = statOf(root, path);
  return stat && scannedFileOf(stat, read(root, path, keeper));
}

/**
 * The state of a path: `last` itself if unchanged, and without reading the file if git's index has its content. A content that
 * is read is held for the session.
 */
export function scanFile(
  { root, keeper }: ScanContext,
  parents: PlainParents,
  path: string,
  tracked: Tracked | undefined,
  last: ScannedFile | undefined,
): ScannedFile | undefined {
  const stat = statOf(root, path);
  if (!stat) return undefined;
  // An object that the index no longer names may be gone, together with the whole repository.
  const isHeld = last?.content.kind !== "git" || tracked !== undefined;
  if (last && isHeld && isUnchangedSince(last, stat) && !last.young && !fitsNow(last, keeper)) return last;
  if (tracked?.trusted && matchesIndex(tracked, stat) && !isRecent(stat.ctimeMs))
    return scannedFileOf(stat, { kind: "git", oid: tracked.oid, size: stat.size });
  if (!parents.has(path)) return scannedFileOf(stat, absent);
  const content = observe(`${root}/${path}`, keeper.limits.maxFileBytes, (bytes, mode) => keeper.hold(bytes, mode));
  return scannedFileOf(stat, content);
}

/** The stored content of a project path; nothing behind a link belongs to the project. */
export function read(root: string, path: string, keeper: Keeper): FileState {
  if (!hasPlainParents(root, path)) return absent;
  return observe(join(root, path), keeper.limits.maxFileBytes, (bytes, mode) => keeper.keep(bytes, mode));
}

/** Whether two scans saw different files at a path. */
export function differ(before: ScannedFile | undefined, after: ScannedFile | undefined): boolean {
  if (before === after) return false;
  if (!before || !after || !hasMark(before, after) || before.mode !== after.mode) return true;
  return before.content.kind !== "git" && after.content.kind !== "git" && !same(before.content, after.content);
}

/** Whether a change is so recent that file times may not show the next one. */
export function isRecent(changedMs: number): boolean {
  return Date.now() - changedMs < TICK_MS;
}

function isUnchangedSince(last: ScannedFile, stat: fs.Stats): boolean {
  return (
    last.mtimeMs === stat.mtimeMs &&
    last.ctimeMs === stat.ctimeMs &&
    last.size === stat.size &&
    last.ino === inodeOf(stat.ino) &&
    last.mode === (stat.mode & 0o7777)
  );
}

function matchesIndex(tracked: Tracked, stat: fs.Stats): boolean {
  const { size, mtimeMs, ctimeMs } = stat;
  const executable = (stat.mode & 0o100) !== 0;
  return tracked.executable === executable && hasMark(tracked, { ino: inodeOf(stat.ino), size, mtimeMs, ctimeMs });
}

/** Whether a content that exceeded an earlier turn's limit fits into this turn's. */
function fitsNow({ content }: ScannedFile, keeper: Keeper): boolean {
  return content.kind === "uncovered" && keeper.fits(content.size);
}

function scannedFileOf(stat: fs.Stats, content: ScannedFile["content"]): ScannedFile {
  const { size, mtimeMs, ctimeMs, birthtimeMs, mode } = stat;
  // Some file systems do not record creation times.
  const born = birthtimeMs > 0 ? Math.min(birthtimeMs, ctimeMs) : ctimeMs;
  return {
    ino: inodeOf(stat.ino),
    size,
    mtimeMs,
    ctimeMs,
    mode: mode & 0o7777,
    born,
    young: isRecent(ctimeMs),
    content,
  };
}

function statOf(root: string, path: string): fs.Stats | undefined {
  try {
    const stat = fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    return stat?.isFile() || stat?.isSymbolicLink() ? stat : undefined;
  } catch {
    return undefined; // A parent is not a folder or cannot be entered.
  }
}
