import { existsSync, lstatSync, readdirSync, realpathSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isId, newId } from "../values/id.ts";

/** Files with all output of a command whose result shows only a part of it, in the temporary folder of its session. */

const NAME = /^output-[0-9A-Za-z]{16}\.txt$/;
/** Milliseconds after which a file that nobody has read or written is removed: a week. */
const UNUSED_MS = 7 * 24 * 60 * 60 * 1_000;

export function outputName(): string {
  return `output-${newId()}.txt`;
}

/** The folder with the temporary folders of this user's sessions, which are named by the sessions' ids. */
export function temporaryFolders(): string {
  const base = tmpdir();
  return join(existsSync(base) ? realpathSync(base) : base, `scorel-${process.getuid?.() ?? "user"}`);
}

/** Removes the files of a session. Throws file system errors. */
export function removeOutputs(sessionId: string): void {
  const root = temporaryFolders();
  if (!namesIn(root).includes(sessionId)) return;
  const folder = join(root, sessionId);
  for (const path of outputsIn(folder)) rmSync(path, { force: true });
  removeEmpty(folder);
}

/**
 * Removes files that nobody has read or written for a week, unless a process has them open or `isInUse` says that the session of their
 * folder has been in use `since` then. Nothing else is touched: a process with another home may have a session whose folder is empty.
 */
export async function removeOldOutputs(
  isInUse: (sessionId: string, since: number) => boolean,
  now = Date.now(),
): Promise<void> {
  const since = now - UNUSED_MS;
  const root = temporaryFolders();
  const folders = namesIn(root).flatMap((id) => (isId(id) && !isInUse(id, since) ? join(root, id) : []));
  const old = folders.flatMap(outputsIn).filter((path) => usedAt(path) <= since);
  if (old.length === 0) return;
  const open = await openFiles(root);
  for (const path of old) if (!open.has(path) && usedAt(path) <= since) rmSync(path, { force: true });
}

function outputsIn(folder: string): string[] {
  const paths = namesIn(folder).flatMap((name) => (NAME.test(name) ? join(folder, name) : []));
  return paths.filter((path) => statsOf(path)?.isFile());
}

/** When a file was last written or read, in milliseconds since the epoch. Some systems only record when it was written. */
function usedAt(path: string): number {
  const stats = statsOf(path);
  return stats ? Math.max(stats.mtimeMs, stats.atimeMs) : Number.POSITIVE_INFINITY;
}

/** The files below a folder that processes have open, on systems with /proc. Elsewhere, none. */
async function openFiles(folder: string): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for (const pid of await readdir("/proc").catch(() => []))
    if (/^\d+$/.test(pid))
      // Some processes have ended by now, and those of other users cannot be inspected.
      for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
        const path = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
        if (path.startsWith(`${folder}/`)) open.add(path);
      }
  return open;
}

/** Removes a folder of this user if it is empty. */
function removeEmpty(folder: string): void {
  if (namesIn(folder).length > 0) return;
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty: a command has just written into it.
  }
}

/** The names in a folder of this user; none if it is a link or belongs to another user. */
function namesIn(folder: string): string[] {
  return isOwn(statsOf(folder)) ? readdirSync(folder) : [];
}

function isOwn(stats: Stats | undefined): boolean {
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid());
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
