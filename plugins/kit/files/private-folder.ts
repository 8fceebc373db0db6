import { chmodSync, lstatSync, type Stats, statSync } from "node:fs";
import { errors } from "../errors.ts";
import { codeOf } from "../values/coded-error.ts";
import { makeFolder } from "./make-folder.ts";
import { weaknessOf } from "./weakness.ts";

/** Throws EXTENSION_FOLDER when another user could have put code into a folder. A missing folder is accepted. */
export function assertPrivate(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const weakness = stats && weaknessOf(path, stats);
  if (weakness) throw errors.EXTENSION_FOLDER({ path, ...weakness });
}

/** Creates a folder with its parents, or changes the mode of an existing one, so that only this user can enter it. */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  if ((statSync(path).mode & 0o077) !== 0) restrict(path);
}

/** Creates folders, with their parents, that only this user can enter; checks those that exist. */
export function makePrivate(...paths: readonly string[]): void {
  for (const path of paths) {
    makeFolder(path);
    assertPrivate(path);
    closeToOthers(path);
  }
}

/** Removes access for other users from a folder that they can read but not write. */
export function closeToOthers(path: string): void {
  const { mode, uid } = lstatSync(path);
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) restrict(path);
}

/** Lets only this user enter a folder. One on a read-only file system stays as it is: nothing can be put into it either. */
function restrict(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (thrown) {
    if (codeOf(thrown) !== "EROFS") throw thrown;
  }
}

/** Why a file of the user cannot be trusted; undefined when it can. */
export function flawOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return "it is not a regular file";
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user) return "it belongs to another user";
  return stats.mode & 0o022 ? "other users can write it" : undefined;
}
