/**
 * Times whole commands against an empty Node process, both measured in turn in the same run, and prints the ratios.
 * Rows live in test/bench/*.bench.mjs, each a default-exported list of `{ work, argv, aim?, megabytes?, runs?, first?, check? }`:
 * `aim` is the ratio to stay below, `megabytes` measures peak memory instead of time, `first` runs once before, and
 * `check` says whether the output is right. A row `{ script }` names a script that measures for itself, in TypeScript or not,
 * and prints rows `[{ work, value, unit, baseline?, aim?, limit? }]`. `npm run bench -- help` keeps the rows whose name, or
 * whose script's, contains the word.
 * `-- --profile DIR one tool` writes CPU profiles of those commands instead.
 * A report, never a verdict: the exit code is 0.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const empty = [process.execPath, "-e", "0"];
const { values: flags, positionals } = parseArgs({ options: { profile: { type: "string" } }, allowPositionals: true });
const word = positionals[0] ?? "";

if (!existsSync(join(root, "dist/bin.js"))) throw new Error("nothing to measure: run `npm run build` first");

const home = mkdtempSync(join(tmpdir(), "scorel-bench-"));
const server = spawn(process.execPath, [join(here, "model-server.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
try {
  furnish(String((await once(server.stdout, "data"))[0]).trim());
  const rows = (await readRows()).filter(({ work, script }) => (work ?? script).includes(word));
  if (flags.profile) profile(rows, flags.profile);
  const results = [];
  for (const row of flags.profile ? [] : rows)
    results.push(...(row.script ? await runScript(row.script) : [measure(row)]));
  if (!flags.profile) print(results);
} finally {
  server.stdin.end();
  rmSync(home, { recursive: true, force: true });
}

async function readRows() {
  const files = readdirSync(here).filter((name) => name.endsWith(".bench.mjs"));
  const lists = await Promise.all(files.sort().map((file) => import(pathToFileURL(join(here, file)).href)));
  return lists.flatMap((list) => list.default);
}

/** A home with the model at `baseUrl`, and a small file to read. */
function furnish(baseUrl) {
  const model = { type: "custom", api: "openai-completions", provider: "local", id: "plain", baseUrl };
  const lines = Object.entries(model).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  mkdirSync(join(home, ".scorel"));
  writeFileSync(
    join(home, ".scorel/config.toml"),
    ["[model]", ...lines, "contextWindow = 1000000", "maxTokens = 100000", ""].join("\n"),
  );
  writeFileSync(join(home, "note.txt"), "A line.\n");
}

/** One unmeasured run of each warms the disk cache; then they alternate, so that load from outside hits both alike. */
function measure({ work, argv, aim, megabytes, runs = 15, first, check }) {
  const unit = megabytes === undefined ? milliseconds : memory;
  const samples = { work: [], base: [] };
  if (first) milliseconds(first);
  for (let run = -1; run < runs; run++) {
    const base = unit(empty);
    const value = unit(argv, check);
    if (run >= 0) {
      samples.base.push(base);
      samples.work.push(value);
    }
  }
  const value = median(samples.work);
  const baseline = median(samples.base);
  return { work, value, baseline, aim, limit: megabytes, unit: megabytes === undefined ? "ms" : "MB" };
}

/** TypeScript is bundled first, as Node 20 runs none. */
async function runScript(script) {
  let file = join(here, script);
  if (script.endsWith(".ts")) {
    const outfile = join(home, "script.mjs");
    const banner = {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    };
    await build({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      banner,
    });
    file = outfile;
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${script}: exit ${status}\n${stderr}`);
  return JSON.parse(stdout);
}

/** Runs each Node command once under V8's sampler; the files open in any viewer of .cpuprofile. */
function profile(rows, folder) {
  for (const { work, argv, first, check, megabytes } of rows) {
    if (argv?.[0] !== process.execPath || megabytes !== undefined) continue;
    if (first) run(first);
    const into = resolve(folder, work.replace(/\W+/g, "-"));
    run([argv[0], "--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${into}`, ...argv.slice(1)], check);
    console.log(`${work}: ${into}`);
  }
}

function milliseconds(argv, check) {
  const start = performance.now();
  run(argv, check);
  return performance.now() - start;
}

function memory(argv, check) {
  const file = join(home, "peak-memory");
  run(argv, check, { NODE_OPTIONS: `--require=${join(here, "peak-memory.cjs")}`, BENCH_MEMORY: file });
  return Number(readFileSync(file, "utf8")) / 1e6;
}

function run([command, ...args], check = () => true, env = {}) {
  const options = { cwd: home, env: { ...process.env, HOME: home, ...env }, encoding: "utf8", maxBuffer: 2 ** 26 };
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0 && check(stdout)) return;
  throw new Error(`${command} ${args.join(" ")}: exit ${status}\n${stderr}\n${stdout.slice(0, 1_000)}`);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function print(results) {
  const table = [["work", "value", "baseline", "ratio", "aim", "verdict"], ...results.map(cellsOf)];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join(" | ")
        .trimEnd(),
    );
}

function cellsOf({ work, value, baseline, unit = "ms", aim, limit }) {
  const quantity = (amount) => (amount === undefined ? "" : `${Number(amount.toPrecision(4))} ${unit}`);
  const ratio = baseline === undefined ? undefined : value / baseline;
  const reached = limit === undefined ? ratio : value;
  const goal = limit ?? aim;
  const verdict = goal === undefined ? "reported" : reached <= goal ? "met" : "missed";
  const goalCell = goal === undefined ? "none" : `≤ ${goal}${limit === undefined ? "" : ` ${unit}`}`;
  return [work, quantity(value), quantity(baseline), ratio?.toFixed(2) ?? "", goalCell, verdict];
}
