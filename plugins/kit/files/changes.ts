import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Copies, copyOf } from "./copy.ts";
import { sha256Of } from "./hash.ts";
import type { Tree } from "./tree.ts";

/** A file that differs from what it was. */
export interface FileChange {
  path: string;
  how: "added" | "changed" | "removed";
  /** Lines that went (`-`) and came (`+`), of a small text. */
  diff?: string;
}

/** The sums of an earlier tree: its hash, and the sha256 of each file by path. */
export interface Sums {
  hash?: string;
  files?: Readonly<Record<string, string>>;
}

/** Larger texts are named only. */
const LARGEST = 16 * 1024;
const MOST_LINES = 400;

/** What differs from what was kept before, `of` which the copies are; undefined when nothing was, or nothing differs. */
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

/** A text of people, small enough to be shown. */
export function textOf(bytes: Buffer | undefined): string | undefined {
  if (!bytes || bytes.length > LARGEST || bytes.includes(0)) return undefined;
  return bytes.toString("utf8");
}

/** From the copy that was kept, if it still holds what was trusted. */
function oldBytes(copy: string, path: string, sha256: string | undefined): Buffer | undefined {
  const file = join(copy, path);
  if (!/^[\da-f]{64}$/.test(basename(copy)) || !existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return sha256Of(bytes) === sha256 ? bytes : undefined;
}

function diffOf(before: Buffer | undefined, after: Buffer): string | undefined {
  const [old, now] = [textOf(before)?.split("\n"), textOf(after)?.split("\n")];
  if (!old || !now || old.length > MOST_LINES || now.length > MOST_LINES) return undefined;
  return lineDiff(old, now).join("\n");
}

/** The lines that went and came, along a longest common subsequence. */
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

/** How many lines two tails have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const [row, below] = [table[i] as number[], table[i + 1] as number[]];
      row[j] = old[i] === now[j] ? (below[j + 1] as number) + 1 : Math.max(below[j] as number, row[j + 1] as number);
    }
  return table;
}
