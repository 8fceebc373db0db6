import * as fs from "node:fs";
import { codeOf } from "../values/coded-error.ts";

const { O_RDWR, O_NOFOLLOW } = fs.constants;

/** Whether a file may still be written that cannot be replaced: a file mounted into a container, or one in a folder that is read-only. */
export function isInPlaceOnly(thrown: unknown): boolean {
  return ["EBUSY", "EACCES", "EPERM", "EROFS"].includes(codeOf(thrown));
}

/**
 * Overwrites a file that cannot be replaced. After a failure, such as a full disk, its old content is written back. With `mode`, sets its
 * permissions if they differ. Throws file system errors, also for a link.
 */
export function writeInPlace(path: string, content: Uint8Array, mode?: number): void {
  const file = fs.openSync(path, O_RDWR | O_NOFOLLOW);
  try {
    const before = fs.readFileSync(file);
    try {
      writeWhole(file, content);
      if (mode !== undefined && (fs.fstatSync(file).mode & 0o7777) !== mode) fs.fchmodSync(file, mode);
    } catch (thrown) {
      restore(file, before);
      throw thrown;
    }
  } finally {
    fs.closeSync(file);
  }
}

/** Writes the old content back. A failure of that is ignored: the caller throws the error of the first write, which is the cause. */
function restore(file: number, before: Uint8Array): void {
  try {
    writeWhole(file, before);
  } catch {}
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(file, bytes, done, bytes.length - done, done);
  fs.ftruncateSync(file, bytes.length);
}
