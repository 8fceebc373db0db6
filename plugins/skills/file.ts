import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { isWithin } from "@scorel/kit/files/paths";

/** A SKILL.md of more bytes is none. The largest public one has 74 KB. */
export const LARGEST_SKILL = 256 * 1024;
/** A doc of more bytes is for searching, not for a prompt. */
export const LARGEST_DOC = 256 * 1024;

/** Linux says here where an open file lies. */
const DESCRIPTORS = "/proc/self/fd";
const exact = existsSync(DESCRIPTORS);

/** What a file holds, or why it is not read. */
export type ReadText = { text: string; digest: string } | { reason: string };

/**
 * Reads a text of at most `limit` bytes whose real path lies in `root`, which is a real path, and that belongs to this user
 * or to root. Judged through the open file, so that nothing can be put in its place in between; never waits for a pipe.
 */
export function readText(path: string, root: string, limit: number): ReadText {
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
  const fd = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { reason: "it is no regular file" };
    if (!isWithin(root, pathOf(fd, real, stat))) return { reason: "it was exchanged while it was read" };
    if (process.getuid !== undefined && stat.uid !== 0 && stat.uid !== process.getuid())
      return { reason: `it belongs to another user (${stat.uid})` };
    const bytes = stat.size > limit ? undefined : readUpTo(fd, stat.size + 1);
    // A file that grows meanwhile is seen by its one byte too many.
    if (bytes === undefined || bytes.length > stat.size) return { reason: `it is larger than ${limit / 1024} KiB` };
    const text = decoded(bytes);
    return text === undefined ? { reason: "it is no text in UTF-8" } : { text, digest: sha256Of(bytes) };
  } finally {
    closeSync(fd);
  }
}

/** Where an open file lies, whatever its path means by now; "" where it can no longer be told. */
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
