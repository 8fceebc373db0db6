import { statSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { Definition } from "./definitions.ts";

/** The private file with what is known of a server. Another program or address under the same name has another one. */
export function recordPath({ name, way }: Pick<Definition, "name" | "way">, kind = ""): string {
  return join(userDir(), "mcp", `${name}-${sha256Of(JSON.stringify(way)).slice(0, 16)}${kind}.json`);
}

/** Whether such a file was written, or touched, within the last milliseconds. */
export function isYoung(path: string, ms: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A file with a time in the future was written when the clock was wrong.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < ms;
}

/** Writes such a file, which only its owner can read. Throws file system errors. */
export function writeRecord(path: string, content: object): void {
  makePrivate(userDir(), join(userDir(), "mcp"));
  replaceFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
