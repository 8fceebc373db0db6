import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf } from "../values/coded-error.ts";

/**
 * The path that a symbolic link leads to, also if nothing exists there; other paths as they are. For files that are replaced as a whole, where
 * users may have put a link to a file of theirs. Throws file system errors, such as ELOOP for a link that leads back to itself.
 */
export function behindLink(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    return behindLink(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  }
}
