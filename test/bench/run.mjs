/**
 * Times whole commands against what the work cannot do without, both measured in turn in the same run, and prints the ratios.
 * Rows live in test/bench/*.bench.mjs, each a default-exported list of `{ work, args, against?, aim?, limit?, was?, megabytes?,
 * runs?, first?, check? }`: `args` and `against` are what Node is called with (by default against an empty script), `aim` is the ratio
 * to stay below and `limit` the value, `megabytes` measures peak memory instead of time and `cpu` processor time, each with its limit, `first` runs once before, and `check`
 * says whether the output is right. A row `{ script }` names a script that measures for itself, in TypeScript or not, and
 * prints rows `[{ work, value, unit, baseline?, aim?, limit?, memory?, was? }]`, or tables of its own (table.mjs); it finds the model
 * server in BENCH_MODEL, the script that it names as `beside`, ready to run, in BENCH_BESIDE, and the words that were asked for in
 * BENCH_WORDS.
 *
 * `npm run bench -- help` keeps the rows whose name, or whose script's, contains the word. `-- --node 24` measures another
 * version of Node as well. `-- --profile DIR one tool` writes CPU profiles of those commands instead.
 * A report, never a verdict: the exit code is 0, unless something could not be measured.
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

/** Modules in plain JavaScript are imported from where they lie: some look for files beside themselves. */
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

/** A row is asked for by what it measures; the rows of a script by the script's name. */
function nameOf({ work, script }) {
  return work ?? script;
}

async function readRows() {
  const files = readdirSync(here).filter((name) => name.endsWith(".bench.mjs"));
  const lists = await Promise.all(files.sort().map((file) => import(pathToFileURL(join(here, file)).href)));
  return lists.flatMap((list) => list.default);
}

/** Each row with one Node after the other, so that both meet the machine in about the same state. */
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

/** What breaks is told and leaves the other rows their figures. */
async function attempt({ work, script }, measured) {
  try {
    return await measured();
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
    return [{ work: work ?? script, failed: true }];
  }
}

/** The work and what it is held against have a home each: neither finds what the other wrote. */
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

/** What the script starts, it starts with the same Node. */
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

/** TypeScript is bundled first, as Node 20 runs none: into a folder of its own, where lazy imports stay lazy. */
async function bundled(script) {
  if (!script.endsWith(".ts")) return join(here, script);
  // As deep as plugins lie, so that these find what is beside them.
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
      // Files beside the script are found from where it came from.
      // It finds its program beside itself.
      external: ["@vscode/ripgrep"],
      define: { "import.meta.dirname": JSON.stringify(here) },
      plugins: [besideScript],
    });
  return outfile;
}

/** Runs each Node command once under V8's sampler; the files open in any viewer of .cpuprofile. */
function profile({ work, args, first, check, megabytes: isMemory }, model, folder) {
  if (!args || isMemory !== undefined) return;
  const { home, remove } = createHome(model);
  const into = resolve(folder, work.replace(/\W+/g, "-"));
  const sampled = ["--cpu-prof", "--cpu-prof-interval=100", `--cpu-prof-dir=${into}`, ...args];
  try {
    if (first) run(process.execPath, first, { home });
    // What is compiled once and then kept is no cost of the command.
    run(process.execPath, sampled, { home, check });
    rmSync(into, { recursive: true, force: true });
    run(process.execPath, sampled, { home, check });
    console.log(`${work}: ${into}`);
  } finally {
    remove();
  }
}
