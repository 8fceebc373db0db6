import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { sizeText } from "@scorel/kit/text/size";
import type { FileState } from "../contract.ts";
import { absent } from "./state.ts";

/** The state of an absolute path, without following links; `keep` receives a file's bytes. */
export function observe(path: string, maxBytes: number, keep: (bytes: Buffer, mode: number) => FileState): FileState {
  try {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!stat || stat.isDirectory()) return absent;
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink()) return { kind: "symlink", target: fs.readlinkSync(path) };
    if (!stat.isFile()) return { kind: "uncovered", mode, size: 0, reason: "it is not a regular file" };
    if (stat.size > maxBytes) return { kind: "uncovered", mode, size: stat.size, reason: tooLarge(maxBytes) };
    return kept(readNoFollow(path), mode, keep);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return absent;
    return { kind: "uncovered", mode: 0, size: 0, reason: `it could not be read (${code})` };
  }
}

/** The state of a file with these bytes, which `keep` stores; "uncovered" if it fails. */
export function kept(bytes: Buffer, mode: number, keep: (bytes: Buffer, mode: number) => FileState): FileState {
  try {
    return keep(bytes, mode);
  } catch (thrown) {
    return { kind: "uncovered", mode, size: bytes.length, reason: `it could not be stored (${codeOf(thrown)})` };
  }
}

/** The state of a file with these bytes, without storing them. */
export function stateOf(bytes: Buffer, mode: number): Extract<FileState, { kind: "file" }> {
  const sha256 = sha256Of(bytes);
  const binary = bytes.subarray(0, 8_000).includes(0);
  return { kind: "file", mode, size: bytes.length, sha256, ...(binary && { binary }) };
}

/** Whether a path below `root` has no links among its parent folders. */
export function hasPlainParents(root: string, relative: string): boolean {
  try {
    const parent = dirname(join(root, relative));
    return fs.realpathSync.native(parent) === parent;
  } catch {
    return false; // No such folder, so nothing can be read through it.
  }
}

/** Like `hasPlainParents` with a cache, for many paths in few folders. */
export class PlainParents {
  private readonly root: string;
  private readonly answers = new Map<string, boolean>();

  constructor(root: string) {
    this.root = root;
  }

  has(relative: string): boolean {
    const folder = dirname(relative);
    const answer = this.answers.get(folder) ?? hasPlainParents(this.root, relative);
    this.answers.set(folder, answer);
    return answer;
  }

  forget(): void {
    this.answers.clear();
  }
}

/**
 * Whether a parent folder of the path is replaced by a file or a dangling link, so that no call can have written the
 * path.
 */
export function isBlocked(path: string): boolean {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    try {
      fs.lstatSync(above);
      return fs.statSync(above, { throwIfNoEntry: false })?.isDirectory() !== true;
    } catch (thrown) {
      if (!["ENOENT", "ENOTDIR"].includes(codeOf(thrown) ?? "")) return false;
    }
  }
  return false;
}

/** Why a file above this size is not covered. */
export function tooLarge(most: number): string {
  return `over ${sizeText(most)}`;
}

function readNoFollow(path: string): Buffer {
  // Opening a FIFO without O_NONBLOCK would block.
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
