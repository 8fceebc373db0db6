import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../files/make-folder.ts";

const KEPT_MS = 60 * 24 * 3600 * 1000;

const folderIn = (userDir: string) => join(userDir, "cache", "ended");

/**
 * Records, with an empty file in ~/.scorel/cache/ended, that all commands which a killed process ran under this name have ended, so
 * that later changes of files are not attributed to its tools.
 */
export function noteEnd(userDir: string, name: string): void {
  const folder = folderIn(userDir);
  makeFolder(folder);
  for (const old of readdirSync(folder)) {
    const stats = statSync(join(folder, old), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > KEPT_MS) rmSync(join(folder, old), { force: true });
  }
  writeFileSync(join(folder, name), "", { mode: 0o600 });
}

/** The recorded time in milliseconds; undefined if there is none. */
export function endOf(userDir: string, name: string): number | undefined {
  return statSync(join(folderIn(userDir), name), { throwIfNoEntry: false })?.mtimeMs;
}
