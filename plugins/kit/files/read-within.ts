import { closeSync, existsSync, readlinkSync, readSync, realpathSync, statSync } from "node:fs";
import { codeOf } from "../values/coded-error.ts";
import { sha256Of } from "./hash.ts";
import { openRegular } from "./open.ts";
import { isWithin } from "./paths.ts";

/** Where Linux shows the path of an open file. */
const DESCRIPTORS = "/proc/self/fd";
const exact = existsSync(DESCRIPTORS);

/** A file's text, or why it was not read. */
export type ReadText = { text: string; digest: string } | { reason: string };

/**
 * Reads a text file of at most `limit` bytes that is inside `root` (a real path) and owned by this user or root. All checks use
 * the open file, so that it cannot be replaced in between. Never blocks on a pipe.
 */
export function readWithin(path: string, root: string, limit: number): ReadText {
  try {
    const real = realpathSync.native(path);
    if (!isWithin(root, real)) return { reason: `it is a link to ${real}, which is outside of ${root}` };
    return readRegular(real, root, limit);
  } catch (thrown) {
    const code = codeOf(thrown);
    return { reason: code === "ENOENT" ? "it does not exist" : code === "ELOOP" ? "a link in a circle" : code };
  }
}

function readRegular(real: string, root: string, limit: number): ReadText {
  const file = openRegular(real);
  if (!file) return { reason: "it is not a regular file" };
  const { fd, stat } = file;
  try {
    if (!isWithin(root, pathOf(fd, real, stat))) return { reason: "it was replaced while it was read" };
    if (process.getuid !== undefined && stat.uid !== 0 && stat.uid !== process.getuid())
      return { reason: `it belongs to another user (${stat.uid})` };
    const bytes = stat.size > limit ? undefined : readUpTo(fd, stat.size + 1);
    // The extra byte reveals a file that grew meanwhile.
    if (bytes === undefined || bytes.length > stat.size) return { reason: `it is larger than ${limit / 1024} KiB` };
    const text = decoded(bytes);
    return text === undefined ? { reason: "it is not UTF-8 text" } : { text, digest: sha256Of(bytes) };
  } finally {
    closeSync(fd);
  }
}

/** The current path of an open file, even if it was moved; "" when unknown. */
function pathOf(fd: number, path: string, { dev, ino }: { dev: number; ino: number }): string {
  if (exact) return readlinkSync(`${DESCRIPTORS}/${fd}`);
  const [real, now] = [realpathSync.native(path), statSync(path)];
  return now.dev === dev && now.ino === ino ? real : "";
}

function readUpTo(fd: number, most: number): Buffer {
  const bytes = Buffer.alloc(most);
  let length = 0;
  for (let read = -1; read !== 0 && length < most; length += read)
    read = readSync(fd, bytes, length, most - length, null);
  return bytes.subarray(0, length);
}

function decoded(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
