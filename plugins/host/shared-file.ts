import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { takeLock } from "@scorel/kit/files/lock";
import { makePrivateFolder, readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { errors } from "./errors.ts";

/** How long to wait for whoever changes the file now, in milliseconds. */
const PATIENCE = 10_000;

/** Replaces a file that several processes change, one after the other: see `HostService.changeFile`. */
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
    throw errors.HOST_HOME({ path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  }
}

/** A link that its user has made stays one. */
function behind(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return path;
    throw thrown;
  }
}
