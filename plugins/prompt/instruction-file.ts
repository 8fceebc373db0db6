import { closeSync, lstatSync, readSync, realpathSync } from "node:fs";
import { basename, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { openRegular } from "@scorel/kit/files/open";

const LIMIT = 64 * 1024;
/** Allowed names for targets of links: text files that hold no secrets. */
const TEXT_NAME = /^(?!\.env).*\.(md|mdc|markdown|txt)$/i;

/** The content of an instruction file, or why it cannot be used. */
export type ReadFile = { real: string; text: string; sha256: string } | { reason: string };

/**
 * Reads an instruction file if it exists. It must be a regular UTF-8 file of at most 64 KiB, owned by this user or
 * root; a link must lead to a text file within `root`. Never blocks on a named pipe.
 */
export function readInstructionFile(path: string, root: string): ReadFile | undefined {
  try {
    const real = realpathSync(path);
    const reason = real === path ? undefined : flawOfLink(real, root);
    return reason === undefined ? readRegular(real) : { reason };
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return isLink(path) ? { reason: "a link to nothing" } : undefined;
    return { reason: code === "ELOOP" ? "a link in a circle" : `not readable (${code})` };
  }
}

function flawOfLink(real: string, root: string): string | undefined {
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return `a link to ${real}, which is not in ${root}`;
  return TEXT_NAME.test(basename(real)) ? undefined : `a link to ${real}, which is not a text of instructions`;
}

/** Checks the open file, so that it cannot be replaced between check and read. */
function readRegular(path: string): ReadFile {
  const file = openRegular(path);
  if (!file) return { reason: "not a regular file" };
  const { fd, stat } = file;
  try {
    if (!isTrusted(stat.uid)) return { reason: `it belongs to another user (${stat.uid})` };
    const bytes = stat.size > LIMIT ? undefined : readAll(fd);
    if (bytes === undefined || bytes.length > LIMIT) return { reason: "larger than 64 KiB" };
    const text = decode(bytes);
    if (text === undefined) return { reason: "not a text in UTF-8" };
    return { real: path, text, sha256: sha256Of(bytes) };
  } finally {
    closeSync(fd);
  }
}

function isTrusted(owner: number): boolean {
  return process.getuid === undefined || owner === 0 || owner === process.getuid();
}

/** Reads one byte more than allowed, to detect a file that has grown too large. */
function readAll(fd: number): Buffer {
  const bytes = Buffer.alloc(LIMIT + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, null);
  return bytes.subarray(0, length);
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
