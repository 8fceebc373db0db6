import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../values/coded-error.ts";
import { isFolderAt } from "./readable.ts";

/**
 * Creates a folder and the missing folders above it, which only this user can enter unless another mode is given. An existing folder keeps
 * its mode. Used instead of Node's option `recursive`, with which `mkdir` never returns where a file system answers ENOENT in an existing
 * folder, such as /proc or folders of an automounter.
 */
export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (isFolderAt(path)) return;
    const above = dirname(path);
    if (codeOf(thrown) !== "ENOENT" || above === path || isFolderAt(above)) throw thrown;
    makeFolder(above, mode);
    makeFolder(path, mode);
  }
}
