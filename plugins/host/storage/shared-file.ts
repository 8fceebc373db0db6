import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, ScorelError } from "@scorel/kernel";
import { takeLock } from "@scorel/kit/files/lock";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { errors } from "../errors.ts";

/** Milliseconds to wait for another process that changes the file. */
const PATIENCE = 10_000;

/** Replaces a file that several processes change. See `SharedFiles.changeFile`. */
export async function changeFile(path: string, change: (text: string | undefined) => string): Promise<void> {
  try {
    makePrivateFolder(dirname(path));
    const lock = await takeLock(`${path}.lock`, PATIENCE);
    if (!lock) throw errors.HOST_FILE_BUSY({ path });
    try {
      replaceFile(behind(path), change(readIfPresent(path)), { durable: true });
    } finally {
      lock.release();
    }
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.HOST_HOME({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

/** Resolves a symbolic link, so that its target is replaced instead of the link. */
function behind(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return path;
    throw thrown;
  }
}
