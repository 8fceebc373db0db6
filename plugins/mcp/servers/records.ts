import { statSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { Definition } from "./definitions.ts";

/**
 * Path of the private file with data about a server. It depends on the name and on the program or URL, so that another server under the
 * same name has another file.
 */
export function recordPath({ name, way }: Pick<Definition, "name" | "way">, kind = ""): string {
  return join(userDir(), "mcp", `${name}-${sha256Of(JSON.stringify(way)).slice(0, 16)}${kind}.json`);
}

/** Whether a file was written or touched within the last `ms` milliseconds. */
export function isYoung(path: string, ms: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A time in the future does not count: the clock was wrong when the file was written.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < ms;
}

/** Writes a file that only its owner can read. Throws file system errors. */
export function writeRecord(path: string, content: object): void {
  makePrivate(userDir(), join(userDir(), "mcp"));
  replaceFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
