import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Copies, copyOf } from "./copy.ts";
import { sha256Of } from "./hash.ts";
import type { Tree } from "./tree.ts";

/** A file that differs from an earlier version. */
export interface FileChange {
  path: string;
  how: "added" | "changed" | "removed";
  /** Removed (`-`) and added (`+`) lines; only for a small text. */
  diff?: string;
}

/** The checksums of an earlier tree: its hash, and the sha256 of each file by path. */
export interface Sums {
  hash?: string;
  files?: Readonly<Record<string, string>>;
}

/** Texts with more bytes or lines are listed without a diff. */
const MAX_BYTES = 16 * 1024;
const MAX_LINES = 400;

/**
 * The files of a tree that differ from an earlier tree. For the diffs, reads the earlier tree's private copy, which is of the kind `of`.
 * Undefined when there is no earlier tree, or nothing differs.
 */
export function changesIn(tree: Tree, entry: Sums | undefined, of: Copies = "trusted"): FileChange[] | undefined {
  const before = entry?.files;
  if (!entry?.hash || !before || entry.hash === tree.hash) return undefined;
  const { hash } = entry;
  const paths = [...new Set([...Object.keys(before), ...tree.files.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const now = tree.files.get(path);
    const then = Object.hasOwn(before, path) ? before[path] : undefined;
    if (now && then === sha256Of(now)) return [];
    const how = then === undefined ? "added" : now ? "changed" : "removed";
    const diff = how === "changed" && now ? diffOf(oldBytes(copyOf(hash, of), path, then), now) : undefined;
    return [{ path, how, ...(diff !== undefined && { diff }) }];
  });
}

/** The text of a file; undefined when it is binary or too large to show. */
export function textOf(bytes: Buffer | undefined): string | undefined {
  if (!bytes || bytes.length > MAX_BYTES || bytes.includes(0)) return undefined;
  return bytes.toString("utf8");
}

/** The old content of a file, from the private copy; undefined when the copy is missing or was changed. */
function oldBytes(copy: string, path: string, sha256: string | undefined): Buffer | undefined {
  const file = join(copy, path);
  if (!/^[\da-f]{64}$/.test(basename(copy)) || !existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return sha256Of(bytes) === sha256 ? bytes : undefined;
}

function diffOf(before: Buffer | undefined, after: Buffer): string | undefined {
  const [old, now] = [textOf(before)?.split("\n"), textOf(after)?.split("\n")];
  if (!old || !now || old.length > MAX_LINES || now.length > MAX_LINES) return undefined;
  return lineDiff(old, now).join("\n");
}

/** Removed and added lines, by the longest common subsequence. */
function lineDiff(old: readonly string[], now: readonly string[]): string[] {
  const common = commonLengths(old, now);
  const lengthAt = (i: number, j: number) => common[i]?.[j] ?? 0;
  const lines: string[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++;
      j++;
    } else if (j >= now.length || (i < old.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1)))
      lines.push(`-${old[i++]}`);
    else lines.push(`+${now[j++]}`);
  }
  return lines;
}

/** For each pair of line numbers, the length of the longest common subsequence of the lines from there to the end. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const [row, below] = [table[i] as number[], table[i + 1] as number[]];
      row[j] = old[i] === now[j] ? (below[j + 1] as number) + 1 : Math.max(below[j] as number, row[j + 1] as number);
    }
  return table;
}
