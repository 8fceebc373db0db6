import { constants, type Stats } from "node:fs";
import { access, chmod, chown, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import type { Place } from "./paths.ts";

/**
 * Puts bytes in a file's place in one step, keeping mode and owner. The file gets a new inode: other hard
 * links to it keep the old content, so that a package store or a git directory is not written through one.
 */
export async function saveFile(place: Place, bytes: Buffer, before: { stats: Stats } | undefined): Promise<void> {
  if (before) await access(place.raw, constants.W_OK);
  const beside = temporaryName(place.raw);
  try {
    await writeNew(beside, bytes, before?.stats);
    await rename(beside, place.raw);
  } catch (thrown) {
    await rm(beside, { force: true });
    if (!mayWriteInPlace(thrown, before?.stats)) throw thrown;
    await writeFile(place.raw, bytes);
  }
}

async function writeNew(path: string | Buffer, bytes: Buffer, stats: Stats | undefined): Promise<void> {
  const handle = await open(path, "wx", stats ? stats.mode & 0o7777 : 0o666);
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
  if (!stats) return;
  if (process.getuid?.() !== stats.uid || process.getgid?.() !== stats.gid) await chown(path, stats.uid, stats.gid);
  await chmod(path, stats.mode & 0o7777);
}

/** A folder that takes no new files, or an owner that cannot be kept, leaves only the file itself to write. */
function mayWriteInPlace(thrown: unknown, stats: Stats | undefined): boolean {
  return stats?.nlink === 1 && ["EACCES", "EPERM", "EROFS"].includes(codeOf(thrown));
}

function temporaryName(path: string | Buffer): string | Buffer {
  const name = `.scorel-${newId()}.tmp`;
  if (typeof path === "string") return join(dirname(path), name);
  return Buffer.concat([path.subarray(0, path.lastIndexOf("/") + 1), Buffer.from(name)]);
}
