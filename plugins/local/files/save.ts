import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { codeOf, newId } from "@scorel/kernel";
import { isInPlaceOnly } from "@scorel/kit/files/in-place";
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
    if (stats) await takeRights(handle, stats);
    // Otherwise the name might be on disk before the content, and the file empty after a power loss.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function takeRights(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  if (process.getuid?.() !== uid || process.getgid?.() !== gid) await handle.chown(uid, gid);
  await handle.chmod(mode & 0o7777);
}

async function writeInPlace(path: Buffer, bytes: Uint8Array): Promise<void> {
  const handle = await openInPlace(path);
  try {
    await overwrite(handle, bytes);
  } finally {
    await handle.close();
  }
}

/** Opens a file for writing, and for reading if that is allowed: without it, what is overwritten cannot be restored. */
async function openInPlace(path: Buffer): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (codeOf(thrown) !== "EACCES") throw thrown;
    return await open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  }
}

/** The methods of `FileHandle` that `overwrite` uses. */
export interface OpenFile {
  stat(): Promise<{ size: number }>;
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
}

/**
 * Replaces the content of an open file. If that fails, restores the old content as far as possible: a disk that copies on writing may have
 * no room even for what replaces old bytes.
 */
export async function overwrite(handle: OpenFile, bytes: Uint8Array): Promise<void> {
  const { size } = await handle.stat();
  const old = await startOf(handle, Math.min(size, bytes.length));
  try {
    // The part beyond the old end is written first: if the disk has no room for it, no old byte has been overwritten.
    await writeAt(handle, bytes.subarray(size), size);
    await writeAt(handle, bytes.subarray(0, size), 0);
    await handle.truncate(bytes.length);
  } catch (thrown) {
    // The error of the write says why the file was not saved; one of the restoration would hide it. Truncating first makes room.
    await handle.truncate(size).catch(() => {});
    await writeAt(handle, old, 0).catch(() => {});
    throw thrown;
  }
}

/** The first bytes of a file; none if it may not be read. */
async function startOf(handle: OpenFile, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  try {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await handle.read(bytes, done, length - done, done);
      if (bytesRead === 0) return bytes.subarray(0, done);
      done += bytesRead;
    }
    return bytes;
  } catch (thrown) {
    if (codeOf(thrown) === "EBADF") return Buffer.alloc(0); // Opened for writing only.
    throw thrown;
  }
}

async function writeAt(handle: OpenFile, bytes: Uint8Array, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, from + done)).bytesWritten;
}

/** Whether to write in place: when the file is a mount, the folder allows no new files, or the owner could not be kept. */
function mayWriteInPlace(thrown: unknown, stats: Stats | undefined): boolean {
  return stats?.nlink === 1 && isInPlaceOnly(thrown);
}
