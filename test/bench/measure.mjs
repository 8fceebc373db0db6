/** Runs whole commands and measures their time and memory. All measurements of commands use these functions. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const preload = fileURLToPath(new URL("resources.cjs", import.meta.url));

/** The built command. */
export const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/** A home with the model at `baseUrl` and a small file to read; `remove` deletes it. */
export function createHome(baseUrl, { api = "openai-completions", id = "plain" } = {}) {
  const home = mkdtempSync(join(tmpdir(), "scorel-bench-"));
  const model = { type: "custom", api, provider: "local", id, baseUrl };
  const lines = Object.entries(model).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  mkdirSync(join(home, ".scorel"), { mode: 0o700 });
  writeFileSync(
    join(home, ".scorel/config.toml"),
    ["[model]", ...lines, "contextWindow = 1000000", "maxTokens = 100000", "[agent]", "callsPerReply = 10000", ""].join(
      "\n",
    ),
  );
  writeFileSync(join(home, "note.txt"), "A line.\n");
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** Runs a command in a home; returns its stdout. Throws if it fails or `check` rejects its stdout. */
export function run(node, args, { home, check = () => true, env = {} }) {
  const options = { cwd: home, env: environment(home, env), encoding: "utf8", maxBuffer: 2 ** 28 };
  const { status, stdout, stderr, error } = spawnSync(node, args, options);
  if (status === 0 && check(stdout)) return stdout;
  throw error ?? new Error(`${node} ${args.join(" ")}: exit ${status}\n${stderr}\n${stdout.slice(0, 1_000)}`);
}

/**
 * The environment of a measured command: only the variables that a program needs to run, since others would affect the
 * time. With BENCH_INHERIT, all variables.
 */
export function environment(home, env = {}) {
  const inherited = process.env.BENCH_INHERIT ? process.env : { PATH: process.env.PATH, TMPDIR: tmpdir() };
  return { ...inherited, HOME: home, ...env };
}

export function milliseconds(node, args, options) {
  const start = performance.now();
  run(node, args, options);
  return performance.now() - start;
}

/** Milliseconds of processor time of all threads together, which depends less on other load than elapsed time. */
export function processorMilliseconds(node, args, options) {
  const file = join(options.home, "processor-time");
  run(node, args, { ...options, env: { NODE_OPTIONS: `--require=${preload}`, BENCH_CPU: file } });
  return Number(readFileSync(file, "utf8")) / 1e3;
}

/** Peak resident memory in megabytes. */
export function megabytes(node, args, options) {
  return remembering(options.home, (env) => run(node, args, { ...options, env }));
}

/** Peak resident memory in megabytes of the command that `start` runs with the given environment. */
export function remembering(home, start) {
  const file = join(home, "peak-memory");
  const read = () => Number(readFileSync(file, "utf8")) / 1e6;
  const ended = start({ NODE_OPTIONS: `--require=${preload}`, BENCH_MEMORY: file });
  return ended instanceof Promise ? ended.then(read) : read();
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Medians of several measurements by name, which alternate, so that other load on the machine affects all alike. One
 * unmeasured round warms the disk and the caches.
 */
export function inTurn(runs, measures) {
  const samples = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let run = -1; run < runs; run++)
    for (const [name, measure] of Object.entries(measures)) {
      const value = measure();
      if (run >= 0) samples[name].push(value);
    }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}
