import * as fs from "node:fs";
import { behindLink } from "@scorel/kit/files/behind-link";
import { isInPlaceOnly, writeInPlace } from "@scorel/kit/files/in-place";
import { replaceFile } from "@scorel/kit/files/private";

/**
 * Replaces the text of a file. Keeps its permissions, and a link to it, also one to a file that does not exist yet. After a failure, such as
 * a full disk, the file has its old text. Throws file system errors.
 */
export function replace(path: string, text: string): void {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  const target = behindLink(path);
  try {
    replaceFile(target, text, { mode: stat ? stat.mode & 0o777 : 0o600 });
  } catch (thrown) {
    if (!stat || !isInPlaceOnly(thrown)) throw thrown;
    writeInPlace(target, Buffer.from(text));
  }
}

/** Removes a file, not a link to it; empties it if it cannot be removed. Throws file system errors. */
export function remove(path: string): void {
  const target = behindLink(path);
  try {
    fs.rmSync(target);
  } catch (thrown) {
    if (!isInPlaceOnly(thrown)) throw thrown;
    writeInPlace(target, Buffer.alloc(0));
  }
}
