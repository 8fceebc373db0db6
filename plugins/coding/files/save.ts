import { constants, type Stats } from "node:fs";
import { access, open, rename, rm } from "node:fs/promises";
import { codeOf, newId } from "@scorel/kernel";
import { type Folder, openFolder, split } from "./folder.ts";
import type { Place } from "./paths.ts";

/**
 * Replaces a file atomically, keeping its mode and owner; missing folders are created for a new file. The file gets a new
 * inode, so that other hard links, such as those of a package store, keep the old content. Throws FILE_MOVED if its folder was
 * replaced after the check.
 */
export async function saveFile(place: Place, bytes: Buffer, before: { stats: Stats } | undefined): Promise<void> {
  const [path, name] = split(Buffer.from(place.raw));
  try {
    await using folder = await openFolder(path, !before);
    await replace(folder, name, bytes, before?.stats);
  } catch (thrown) {
    // The error names the file, not the temporary one.
    if (typeof thrown === "object" && thrown && "syscall" in thrown) Object.assign(thrown, { path: place.shown });
    throw thrown;
  }
}

async function replace(folder: Folder, name: Buffer, bytes: Buffer, stats: Stats | undefined): Promise<void> {
  const path = folder.at(name);
  if (stats) await access(path, constants.W_OK);
  const beside = folder.at(Buffer.from(`.scorel-${newId()}.tmp`));
  try {
    await writeNew(beside, bytes, stats);
    await rename(beside, path);
  } catch (thrown) {
    await rm(beside, { force: true });
    if (!mayWriteInPlace(thrown, stats)) throw thrown;
    await writeInPlace(path, bytes);
  }
}

async function writeNew(path: Buffer, bytes: Buffer, stats: Stats | undefined): Promise<void> {
  const handle = await open(path, "wx", stats ? stats.mode & 0o7777 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (!stats) return;
    if (process.getuid?.() !== stats.uid || process.getgid?.() !== stats.gid) await handle.chown(stats.uid, stats.gid);
    await handle.chmod(stats.mode & 0o7777);
  } finally {
    await handle.close();
  }
}

async function writeInPlace(path: Buffer, bytes: Buffer): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await handle.truncate();
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/** Whether to write in place: when the folder allows no new files, or the owner could not be kept. */
function mayWriteInPlace(thrown: unknown, stats: Stats | undefined): boolean {
  return stats?.nlink === 1 && ["EACCES", "EPERM", "EROFS"].includes(codeOf(thrown));
}
