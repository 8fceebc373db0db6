import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import type { StagedFile } from "./contract.ts";

/** The limits on depth and skipped folders that also apply to skills that were not installed. */
const DEEPEST = 6;
const SKIPPED = new Set([".git", "node_modules", ".venv"]);

/** Maps relative paths to sha256. */
export type Sums = ReadonlyMap<string, string>;

/** All files below an unpacked folder, sorted by path. */
export function filesIn(folder: string, prefix = ""): StagedFile[] {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  return entries
    .flatMap((entry) => {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) return filesIn(folder, `${path}/`);
      const { size, mode } = statSync(join(folder, path));
      return [{ path, bytes: size, isExecutable: (mode & 0o100) !== 0 }];
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Writes the hashes of a tree's files to `sums.json` next to its folder `files`, and returns the sha256 of that. */
export function sealTree(tree: string): { tree: string; files: StagedFile[]; sums: Sums } {
  const files = filesIn(join(tree, "files"));
  const sums = new Map(files.map(({ path }) => [path, sumOf(join(tree, "files", path))]));
  const text = JSON.stringify(Object.fromEntries(sums));
  writeFileSync(join(tree, "sums.json"), text, { mode: 0o600 });
  return { tree: sha256Of(text), files, sums };
}

/** The hashes of a sealed tree; undefined if they are missing or changed. */
export function sumsOf(tree: string, sha256: string): Sums | undefined {
  try {
    const text = readFileSync(join(tree, "sums.json"), "utf8");
    const isOurs = sha256Of(text) === sha256;
    return isOurs ? new Map(Object.entries(JSON.parse(text) as Record<string, string>)) : undefined;
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

/** Whether all files of a tree are as they were sealed. */
export function isIntact(tree: string, sha256: string): boolean {
  const sums = sumsOf(tree, sha256);
  if (!sums) return false;
  try {
    const files = filesIn(join(tree, "files"));
    return files.length === sums.size && files.every(({ path }) => sumOf(join(tree, "files", path)) === sums.get(path));
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "ELOOP"].includes(codeOf(thrown))) return false;
    throw thrown;
  }
}

/** The SKILL.md files in a tree, one per folder. */
export function skillFilesIn(sums: Sums): { path: string; sha256: string }[] {
  return [...sums].flatMap(([path, sha256]) => {
    const folders = path.split("/").slice(0, -1);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isHidden = folders.length > DEEPEST || folders.some((each) => SKIPPED.has(each));
    const isSecond = name === "skill.md" && sums.has([...folders, "SKILL.md"].join("/"));
    return (name === "SKILL.md" || name === "skill.md") && !isHidden && !isSecond ? [{ path, sha256 }] : [];
  });
}

/** The sha256 of a file in hex, read in pieces. Throws file system errors. */
export function sumOf(path: string): string {
  const hash = createHash("sha256");
  const fd = openSync(path, "r");
  try {
    const piece = Buffer.allocUnsafe(256 * 1024);
    for (let size = readSync(fd, piece); size > 0; size = readSync(fd, piece)) hash.update(piece.subarray(0, size));
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}
