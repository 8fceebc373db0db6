import { constants, type Stats } from "node:fs";
import { access, lstat, open, rename, rm } from "node:fs/promises";
import { codeOf, newId } from "@scorel/kernel";
import { type Folder, openFolder, split } from "./folder.ts";
import { stale } from "./stale.ts";

/**
 * Replaces a file atomically, keeping its mode and owner; with `create`, a missing file and missing folders are created. The file
 * gets a new inode, so that other hard links, such as those of a package store, keep the old content. Throws ESTALE if a link is
 * in the way.
 */
export async function saveFile(raw: string | Buffer, bytes: Uint8Array, create: boolean): Promise<void> {
  const whole = Buffer.from(raw);
  const [path, name] = split(whole);
  try {
    await using folder = await openFolder(path, create);
    const stats = await statOf(folder.at(name), create);
    if (stats?.isSymbolicLink()) throw stale(whole.toString());
    await replace(folder, name, bytes, stats);
  } catch (thrown) {
    // The error names the file, not the temporary one.
    if (typeof thrown === "object" && thrown && "syscall" in thrown) Object.assign(thrown, { path: whole.toString() });
    throw thrown;
  }
}

async function statOf(path: Buffer, create: boolean): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (create && codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function replace(folder: Folder, name: Buffer, bytes: Uint8Array, stats: Stats | undefined): Promise<void> {
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

async function writeNew(path: Buffer, bytes: Uint8Array, stats: Stats | undefined): Promise<void> {
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

async function writeInPlace(path: Buffer, bytes: Uint8Array): Promise<void> {
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
