/**
 * Measures whole commands, each compared with a baseline that alternates with it in the same run, and prints the values and
 * ratios. The rows are in test/bench/*.bench.mjs; the default export of each file is a list of
 * `{ work, args, against?, aim?, limit?, was?, megabytes?, cpu?, runs?, first?, check? }`:
 * - `args` and `against`: the arguments of Node for the work and for the baseline (default: an empty script)
 * - `aim`: the highest ratio; `limit`: the highest value in milliseconds
 * - `megabytes`: measures peak memory instead of time; `cpu`: measures processor time. Both are limits, too
 * - `first`: arguments of a command that runs once before
 * - `check`: whether the output is right
 *
 * A row `{ script, beside? }` names a script, in TypeScript or JavaScript, that does its own measurements and prints rows
 * `[{ work, value, unit, baseline?, aim?, limit?, memory?, was? }]` or tables (see table.mjs). Its environment has the address
 * of the model server in BENCH_MODEL, the path of the built script `beside` in BENCH_BESIDE, and the words of the command line
 * in BENCH_WORDS.
 *
 * `npm run bench -- help` runs only the rows whose name, or whose script's name, contains the word. `-- --node 24` measures
 * with another version of Node, too. `-- --profile DIR one tool` writes CPU profiles of those commands instead.
 * Missed limits are only reported: the exit code is 0 unless something could not be measured.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { bin, createHome, inTurn, megabytes, milliseconds, processorMilliseconds, run } from "./measure.mjs";
import { nodeBinary } from "./node-versions.mjs";
import { print } from "./table.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const { values: flags, positionals } = parseArgs({
  options: {
    profile: { type: "string" },
    node: { type: "string", multiple: true, default: [] },
    "inherit-env": { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const words = positionals.join(" ");
if (flags["inherit-env"]) process.env.BENCH_INHERIT = "1";

if (!existsSync(bin)) throw new Error("nothing to measure: run `npm run build` first");

/** Imports JavaScript modules from their own folder instead of bundling them, since some look for files beside their own. */
const besideScript = {
  name: "beside-script",
  setup(hooks) {
    hooks.onResolve({ filter: /^\.\/.*\.mjs$/ }, ({ path, importer }) =>
      dirname(importer) === dirname(fileURLToPath(import.meta.url))
        ? { path: pathToFileURL(join(here, path)).href, external: true }
        : undefined,
    );
  },
};

const all = await readRows();
const rows = all.filter((row) => nameOf(row).includes(words));
if (rows.length === 0) {
  console.error(
    `No row is named "${words}". The rows and scripts are:\n${all.map((row) => `  ${nameOf(row)}`).join("\n")}`,
  );
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), "scorel-bench-"));
for (const name of ["skills", "node_modules"]) symlinkSync(join(here, "../..", name), join(scratch, name));
const nodes = [process.execPath, ...flags.node.map(nodeBinary)];
const server = spawn(process.execPath, [join(here, "model-server.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
try {
  const model = String((await once(server.stdout, "data"))[0]).trim();
  if (flags.profile) for (const row of rows) profile(row, model, flags.profile);
  else print(await results(rows, model));
} finally {
  server.stdin.end();
  rmSync(scratch, { recursive: true, force: true });
}

/** The name by which the command line selects a row: its work, or the name of its script. */
function nameOf({ work, script }) {
  return work ?? script;
}

async function readRows() {
  const files = readdirSync(here).filter((name) => name.endsWith(".bench.mjs"));
  const lists = await Promise.all(files.sort().map((file) => import(pathToFileURL(join(here, file)).href)));
  return lists.flatMap((list) => list.default);
}

/** Measures each row with all versions of Node in turn, so that the machine is in about the same state for all of them. */
async function results(rows, model) {
  const versions = nodes.map((node) => spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim());
  const found = versions.map((version) => ({ version, rows: [] }));
  for (const row of rows)
    for (const [at, node] of nodes.entries())
      found[at].rows.push(
        ...(await attempt(row, () => (row.script ? runScript(node, row, model) : [measure(node, row, model)]))),
      );
  return found;
}

/** Runs a measurement. Reports a failure, so that the other rows are still measured. */
async function attempt({ work, script }, measured) {
  try {
    return await measured();
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
    return [{ work: work ?? script, failed: true }];
  }
}

/** Measures the work and its baseline in separate homes, so that neither finds files of the other. */
function measure(node, row, model) {
  const { work, args, against = ["-e", "0"], aim, limit, was, megabytes: atMost, cpu, runs = 15, first, check } = row;
  const [own, other] = [createHome(model), createHome(model)];
  try {
    if (first) run(node, first, own);
    const both = (unit) => ({
      value: () => unit(node, args, { home: own.home, check }),
      baseline: () => unit(node, against, { home: other.home }),
    });
    const peak = inTurn(atMost === undefined ? 2 : runs, both(megabytes));
    if (atMost !== undefined) return { work, ...peak, limit: atMost, unit: "MB", was };
    const times = inTurn(runs, both(cpu === undefined ? milliseconds : processorMilliseconds));
    return { work, ...times, aim, limit: cpu ?? limit, was, memory: peak.value, memoryBaseline: peak.baseline };
  } finally {
    own.remove();
    other.remove();
  }
}

/** Runs a script with this Node, which it also uses for the commands that it starts. */
async function runScript(node, { script, beside }, model) {
  const env = {
    ...process.env,
    BENCH_MODEL: model,
    BENCH_WORDS: words,
    ...(beside && { BENCH_BESIDE: await bundled(beside) }),
  };
  const options = { encoding: "utf8", env, maxBuffer: 2 ** 26 };
  const { status, stdout, stderr } = spawnSync(node, [await bundled(script)], options);
  if (status !== 0) throw new Error(`${script}: exit ${status}\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * The path of a script that Node can run. TypeScript is bundled into a separate folder, since Node 20 cannot run it; lazy
 * imports stay lazy.
 */
async function bundled(script) {
  if (!script.endsWith(".ts")) return join(here, script);
  // At the same depth as plugins, so that they find files relative to their own.
  const outdir = join(scratch, "plugins", script.replace(/\.ts$/, ""));
  const outfile = join(outdir, script.replace(/\.ts$/, ".mjs"));
  const banner =
    'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';
  const options = {
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  };
  if (!existsSync(outfile))
    await build({
      ...options,
      entryPoints: [join(here, script)],
      outdir,
      outExtension: { ".js": ".mjs" },
      banner: { js: banner },
      // This package looks for its program beside its own file.
      external: ["@vscode/ripgrep"],
      // Scripts look for files beside their source.
      define: { "import.meta.dirname": JSON.stringify(here) },
      plugins: [besideScript],
    });
  return outfile;
}

/** Runs the command of a row with V8's profiler, and writes a .cpuprofile file. */
function profile({ work, args, first, check, megabytes: isMemory }, model, folder) {
  if (!args || isMemory !== undefined) return;
  const { home, remove } = createHome(model);
  const into = resolve(folder, work.replace(/\W+/g, "-"));
  const sampled = ["--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${into}`, ...args];
  try {
    if (first) run(process.execPath, first, { home });
    // The first run is discarded, since it compiles code that later commands find in the cache.
    run(process.execPath, sampled, { home, check });
    rmSync(into, { recursive: true, force: true });
    run(process.execPath, sampled, { home, check });
    console.log(`${work}: ${into}`);
  } finally {
    remove();
  }
}
