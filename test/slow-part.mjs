/** Chooses the part of the slow test files that a gate runs, and knows how long each takes. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const table = new URL("slow-seconds.json", import.meta.url);

/** Seconds that test files took in the last recorded run of all slow suites, by path from the root. */
export const secondsByFile = () => new Map(Object.entries(JSON.parse(readFileSync(table, "utf8"))));

/** Saves a record of seconds by file, the longest first. */
export function saveSeconds(seconds) {
  const rows = Object.entries(seconds).map(([file, value]) => [file, Math.max(1, Math.round(value))]);
  rows.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  writeFileSync(table, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

/**
 * The files to run in about `seconds`, which is the time of all workers together: first those that no recorded run contains and
 * those that changed, whatever they take, then others in an order that depends on the seed, so that each run has another part.
 */
export function partOf(files, { seconds, seed, changed, known = secondsByFile() }) {
  const first = files.filter((file) => changed.has(file) || !known.has(file));
  const others = files
    .filter((file) => !first.includes(file))
    .sort((a, b) => (order(seed, a) < order(seed, b) ? -1 : 1));
  let left = seconds - first.reduce((sum, file) => sum + (known.get(file) ?? 0), 0);
  const fitting = others.filter((file) => {
    if (known.get(file) > left) return false;
    left -= known.get(file);
    return true;
  });
  return [...first, ...fitting];
}

const order = (seed, file) => createHash("sha256").update(`${seed} ${file}`).digest("hex");
