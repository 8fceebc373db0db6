/**
 * Times whole commands against an empty Node process, both measured in turn in the same run, and prints the ratios.
 * Rows live in test/bench/*.bench.mjs, each a default-exported list of `{ work, argv, aim, runs?, env? }`.
 * `npm run bench -- help` keeps the rows whose name contains the word. A report, never a verdict: the exit code is 0.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const empty = [process.execPath, "-e", "0"];
const word = process.argv[2] ?? "";

if (!existsSync(join(root, "dist/bin.js"))) throw new Error("nothing to measure: run `npm run build` first");

const home = mkdtempSync(join(tmpdir(), "scorel-bench-"));
try {
  const rows = (await readRows()).filter(({ work }) => work.includes(word));
  print(rows.map(measure));
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function readRows() {
  const files = readdirSync(here).filter((name) => name.endsWith(".bench.mjs"));
  const lists = await Promise.all(files.sort().map((file) => import(pathToFileURL(join(here, file)).href)));
  return lists.flatMap((list) => list.default);
}

/** One unmeasured run of each warms the disk cache; then they alternate, so that load from outside hits both alike. */
function measure({ work, argv, aim, runs = 15, env = {} }) {
  const time = { work: [], base: [] };
  for (let run = -1; run < runs; run++) {
    const base = milliseconds(empty, {});
    const value = milliseconds(argv, env);
    if (run >= 0) {
      time.base.push(base);
      time.work.push(value);
    }
  }
  const value = median(time.work);
  const baseline = median(time.base);
  return { work, value, baseline, ratio: value / baseline, aim };
}

function milliseconds([command, ...args], env) {
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, { cwd: home, env: { ...process.env, HOME: home, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: exit ${status}\n${stderr}`);
  return performance.now() - start;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function print(results) {
  const cells = results.map(({ work, value, baseline, ratio, aim }) => [
    work,
    `${value.toFixed(1)} ms`,
    `${baseline.toFixed(1)} ms`,
    ratio.toFixed(2),
    `≤ ${aim}`,
    ratio <= aim ? "met" : "missed",
  ]);
  const table = [["work", "value", "baseline", "ratio", "aim", "verdict"], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join(" | ")
        .trimEnd(),
    );
}
