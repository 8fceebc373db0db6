import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../values/coded-error.ts";
import { isFolderAt } from "./readable.ts";

/**
 * Creates a folder and the missing folders above it, which only this user can enter. An existing folder keeps its mode. Used instead of
 * Node's option `recursive`, with which `mkdir` never returns where a file system answers ENOENT in an existing folder, such as /proc or
 * folders of an automounter.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (isFolderAt(path)) return;
    const above = dirname(path);
    if (codeOf(thrown) !== "ENOENT" || above === path || isFolderAt(above)) throw thrown;
    makeFolder(above);
    makeFolder(path);
  }
}
