import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { Definition } from "./definitions.ts";

/** Milliseconds for which the record of a server that is not used any more is kept. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/**
 * Path of the private file with data about a server. It depends on the name and on the program or URL, so that another server under the
 * same name has another file.
 */
export function recordPath({ name, way }: Pick<Definition, "name" | "way">, kind = ""): string {
  return join(folder(), `${name}-${sha256Of(JSON.stringify(way)).slice(0, 16)}${kind}.json`);
}

/** Whether a file was written or touched within the last `ms` milliseconds. */
export function isYoung(path: string, ms: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A time in the future does not count: the clock was wrong when the file was written.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < ms;
}

/** Writes a file that only its owner can read. Throws file system errors. */
export function writeRecord(path: string, content: object): void {
  makePrivate(userDir(), folder());
  replaceFile(path, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Deletes records of this kind that were neither written nor touched for a month. A server whose arguments change each time, such as one that
 * an editor adds, has another record each time.
 */
export function removeUnused(kind: string): void {
  for (const name of readdirSync(folder()).filter((each) => each.endsWith(`${kind}.json`))) {
    const path = join(folder(), name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > UNUSED_MS) removeIfPresent(path);
  }
}

const folder = () => join(userDir(), "mcp");
