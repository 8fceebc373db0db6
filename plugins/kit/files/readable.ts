import { statSync } from "node:fs";
import { codeOf } from "../values/coded-error.ts";

const UNREADABLE = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES", "EPERM"];

/**
 * Returns the result of `read`, or undefined if the path does not exist, this user has no permission, a link leads back to itself, or a name
 * is too long. For code that reads many files and skips those that it cannot read. Throws other file system errors.
 */
export function ifReadable<R>(read: () => R): R | undefined {
  try {
    return read();
  } catch (thrown) {
    if (!UNREADABLE.includes(codeOf(thrown))) throw thrown;
    return undefined;
  }
}

/** Whether a path leads to a file. False for what cannot be read. */
export function isFileAt(path: string): boolean {
  return ifReadable(() => statSync(path))?.isFile() ?? false;
}

/** Whether a path leads to a folder. False for what cannot be read. */
export function isFolderAt(path: string): boolean {
  return ifReadable(() => statSync(path))?.isDirectory() ?? false;
}
