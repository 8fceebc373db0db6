import * as fs from "node:fs";
import { join } from "node:path";
import type { FileState } from "./contract.ts";
import type { Keeper } from "./keeper.ts";
import { hasPlainParents, observe, type PlainParents } from "./observe.ts";
import { absent, same } from "./state.ts";

/** Changes that follow each other faster than a file system's clock may leave a file's times as they were. */
export const TICK_MS = 50;

/** Where a session looks at files, and within which limits. */
export interface Ground {
  root: string;
  home: string;
  keeper: Keeper;
  maxFiles: number;
  /** Up to so many files are each looked at; of more, git is asked which have changed. */
  fewFiles: number;
  /** Milliseconds of CPU time that one look may take. */
  maxScanMs: number;
  signal: AbortSignal;
}

/** Identifies a version of a file without reading it: inode, size and times. */
export interface Mark {
  /** Of 32 bits, as git's index has it. */
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** A file as a look saw it; one that git's object store still has is not read before it changes. */
export interface Seen extends Mark {
  mode: number;
  /** Milliseconds since the epoch; no file is older than its inode. */
  born: number;
  /** Read so soon after its last change that an equal mark proves nothing. */
  young: boolean;
  content: FileState | { kind: "git"; oid: string; size: number };
}

/** A file as git's index knows it. */
export interface Tracked extends Mark {
  oid: string;
  executable: boolean;
  /** While the file has this mark, its content is that of the object. */
  trusted: boolean;
}

export function hasMark(a: Mark, b: Mark): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino;
}

/** An inode number as marks have it. */
export function inodeOf(ino: number): number {
  return ino % 2 ** 32;
}

/** What is at a path now; undefined when there is no file. Its content is kept. */
export function seeNow({ root, keeper }: Ground, path: string): Seen | undefined {
  const stat = statOf(root, path);
  return stat && seenAs(stat, read(root, path, keeper));
}

/**
 * What is at a path now: `last` itself when nothing has changed, and without reading what git's index vouches for. A content
 * that is read is held.
 */
export function look(
  { root, keeper }: Ground,
  parents: PlainParents,
  path: string,
  tracked: Tracked | undefined,
  last: Seen | undefined,
): Seen | undefined {
  const stat = statOf(root, path);
  if (!stat) return undefined;
  if (last && isStill(last, stat) && !last.young && !isLeftOut(last, keeper)) return last;
  if (tracked?.trusted && isLike(tracked, stat) && !isYoung(stat.ctimeMs))
    return seenAs(stat, { kind: "git", oid: tracked.oid, size: stat.size });
  if (!parents.has(path)) return seenAs(stat, absent);
  const content = observe(`${root}/${path}`, keeper.limits.maxFileBytes, (bytes, mode) => keeper.hold(bytes, mode));
  return seenAs(stat, content);
}

/** The content of a path of the project, kept; through a link there is nothing of the project's. */
export function read(root: string, path: string, keeper: Keeper): FileState {
  if (!hasPlainParents(root, path)) return absent;
  return observe(join(root, path), keeper.limits.maxFileBytes, (bytes, mode) => keeper.keep(bytes, mode));
}

/** Whether two looks at a path have seen different files. */
export function differ(before: Seen | undefined, after: Seen | undefined): boolean {
  if (before === after) return false;
  if (!before || !after || !hasMark(before, after) || before.mode !== after.mode) return true;
  return before.content.kind !== "git" && after.content.kind !== "git" && !same(before.content, after.content);
}

/** Whether this was changed so recently that its times may not show the next change. */
export function isYoung(changedMs: number): boolean {
  return Date.now() - changedMs < TICK_MS;
}

function isStill(last: Seen, stat: fs.Stats): boolean {
  return (
    last.mtimeMs === stat.mtimeMs &&
    last.ctimeMs === stat.ctimeMs &&
    last.size === stat.size &&
    last.ino === inodeOf(stat.ino) &&
    last.mode === (stat.mode & 0o7777)
  );
}

function isLike(tracked: Tracked, stat: fs.Stats): boolean {
  const { size, mtimeMs, ctimeMs } = stat;
  const executable = (stat.mode & 0o100) !== 0;
  return tracked.executable === executable && hasMark(tracked, { ino: inodeOf(stat.ino), size, mtimeMs, ctimeMs });
}

/** It was too much for an earlier turn, and is not for this one. */
function isLeftOut({ content }: Seen, keeper: Keeper): boolean {
  return content.kind === "uncovered" && keeper.fits(content.size);
}

function seenAs(stat: fs.Stats, content: Seen["content"]): Seen {
  const { size, mtimeMs, ctimeMs, birthtimeMs, mode } = stat;
  // Some file systems do not say when a file was made.
  const born = birthtimeMs > 0 ? Math.min(birthtimeMs, ctimeMs) : ctimeMs;
  return {
    ino: inodeOf(stat.ino),
    size,
    mtimeMs,
    ctimeMs,
    mode: mode & 0o7777,
    born,
    young: isYoung(ctimeMs),
    content,
  };
}

function statOf(root: string, path: string): fs.Stats | undefined {
  try {
    const stat = fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    return stat?.isFile() || stat?.isSymbolicLink() ? stat : undefined;
  } catch {
    return undefined; // A parent that became a file, or is closed: nothing to be seen here.
  }
}
