import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SkillFileChange } from "./contract.ts";
import type { Sums } from "./tree.ts";

/** The largest text whose changes are shown. */
const LARGEST = 16 * 1024;
const MOST_LINES = 400;

/** A folder and the hashes of its files. */
export interface Summed {
  folder: string;
  sums: Sums;
}

/** The differences between two folders, sorted by path. */
export function changesBetween(before: Summed, now: Summed): SkillFileChange[] {
  const paths = [...new Set([...before.sums.keys(), ...now.sums.keys()])].sort();
  return paths.flatMap((path): SkillFileChange[] => {
    const [then, sum] = [before.sums.get(path), now.sums.get(path)];
    if (then === sum) return [];
    if (then === undefined) return [{ path, how: "added" }];
    if (sum === undefined) return [{ path, how: "removed" }];
    const diff = diffOf(textAt(join(before.folder, path)), textAt(join(now.folder, path)));
    return [{ path, how: "changed", ...(diff !== undefined && { diff }) }];
  });
}

/** A text file that is small enough to show; undefined for any other. */
export function textAt(path: string): string | undefined {
  if (!existsSync(path) || statSync(path).size > LARGEST) return undefined;
  const bytes = readFileSync(path);
  return bytes.includes(0) ? undefined : bytes.toString("utf8");
}

function diffOf(before: string | undefined, after: string | undefined): string | undefined {
  const [old, now] = [before?.split("\n"), after?.split("\n")];
  if (!old || !now || old.length > MOST_LINES || now.length > MOST_LINES) return undefined;
  return lineDiff(old, now).join("\n");
}

/** Removed and added lines, along a longest common subsequence. */
function lineDiff(old: readonly string[], now: readonly string[]): string[] {
  const common = commonLengths(old, now);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const goes = j >= now.length || (i < old.length && at(common, i + 1, j) >= at(common, i, j + 1));
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++;
      j++;
    } else if (goes) lines.push(`-${old[i++]}`);
    else lines.push(`+${now[j++]}`);
  }
  return lines;
}

/** A table of how many lines the tails have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = table[i] as number[];
      row[j] = old[i] === now[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), row[j + 1] as number);
    }
  return table;
}

const at = (table: readonly number[][], i: number, j: number) => table[i]?.[j] ?? 0;
