/**
 * Times of Glob and Grep, called as tools, in a project of 100,000 files, alternating with `rg --files` of the same
 * folder.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { workshop } from "../plugins/coding/workshop.ts";
// @ts-expect-error plain JavaScript, shared with the runner
import { median } from "./measure.mjs";

const RUNS = 5;
const FOLDERS = 1_000;
const IN_FOLDER = 100;
const ENDINGS = ["ts", "js", "md", "json"];

await using w = await workshop();
writeFiles(w.dir);
const taken = (name: string, args: object, first: string) => async () => {
  const began = performance.now();
  const text = await w.say(name, args);
  const ms = performance.now() - began;
  if (!text.startsWith(first)) throw new Error(`${name} answered ${text.slice(0, 200)}`);
  return ms;
};
const times = await inTurn({
  bare: () => milliseconds(rgPath, ["--no-config", "--files", "--null", "./"], w.dir),
  search: () => milliseconds(rgPath, ["--no-config", "--count", "-e", "needle", "./"], w.dir),
  some: taken("Glob", { pattern: "**/*.ts" }, "[files 1-200 of 25000;"),
  folder: taken("Glob", { pattern: "part-7/**/*.{ts,md}" }, "[files 1-200 of 1000;"),
  all: taken("Glob", { pattern: "**/*" }, "[files 1-200 of 100000;"),
  grep: taken("Grep", { pattern: "needle", glob: "*.ts" }, "[matches 1-100 of 250;"),
});
const row = (what: string, value: number, was: string, baseline = times.bare) => ({
  work: `100,000 files: ${what}`,
  value,
  baseline,
  aim: 2,
  unit: "ms",
  was,
});
console.log(
  JSON.stringify([
    row("Glob **/*.ts, against rg --files", times.some, "1047 ms, 4.8 ×"),
    row("Glob in one folder, against rg --files", times.folder, "787 ms, 3.6 ×"),
    row("Glob **/*, against rg --files", times.all, "2371 ms, 11 ×"),
    row("Grep in *.ts, against rg --count", times.grep, "1540 ms, 0.82 ×", times.search),
  ]),
);

/** Medians of alternating measurements. One unmeasured round warms the system's cache. */
async function inTurn<N extends string>(
  measures: Record<N, () => number | Promise<number>>,
): Promise<Record<N, number>> {
  const samples = new Map<string, number[]>();
  for (let run = -1; run < RUNS; run++)
    for (const [name, measure] of Object.entries<() => number | Promise<number>>(measures)) {
      const value = await measure();
      if (run >= 0) samples.set(name, [...(samples.get(name) ?? []), value]);
    }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)])) as Record<N, number>;
}

function milliseconds(program: string, args: readonly string[], cwd: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd, maxBuffer: 2 ** 26 });
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(String(stderr));
  return ms;
}

function writeFiles(cwd: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(cwd, `part-${folder % 50}`, `folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < IN_FOLDER; file++) {
      const ending = ENDINGS[file % ENDINGS.length];
      const text = file === 0 && folder % 4 === 0 ? "needle\n" : "a line\n";
      writeFileSync(join(path, `file-${file}.${ending}`), text);
    }
  }
}
