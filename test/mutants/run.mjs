/**
 * Measures how many faults the tests would notice: puts a random sample of small faults into the sources, one at a
 * time, and runs the tests with each. `npm run mutants kernel 200 SEED` prints the share that was noticed, and every
 * mutant that was not. `npm run mutants kernel 200 SEED FILE` tries those that an earlier run printed to FILE again, if
 * their lines are still the same. Works in a copy of the repository, so that an interrupted run leaves the sources
 * unchanged.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { mutationsIn } from "./mutations.mjs";

/**
 * The sources of each area, and the tests to run for a mutant in them, in rings: first the tests of the area, and if
 * they notice nothing, tests of other plugins that use it, one ring after another. A name stands for all files whose
 * path contains it.
 */
const AREAS = {
  kernel: {
    sources: ["kernel"],
    rings: [
      ["test/kernel/"],
      [
        ...[
          "agent/one-call",
          "agent/queue.",
          "commands/registry",
          "compaction/manual",
          "extensions/containment/returned",
        ],
        ...[
          "extensions/shape",
          "history/moves",
          "host/operations",
          "logs/contract",
          "logs/jsonl-store",
          "requests/",
          "tools.",
        ],
      ].map(ofPlugin),
      ["extensions/containment/failures", "extensions/containment/uncaught", "compaction/long-path"].map(ofPlugin),
    ],
  },
  permissions: {
    sources: ["plugins/permissions"],
    // Without bash, corpus and covered, which take a minute, since they run allowed commands or thousands of cases.
    rings: [
      ["change", "judged", "kept", "near", "rule", "swapped"].map(ofPermissions),
      ["coverage", "forbid", "free", "git", "guard", "oracle", "reading", "tables"].map(ofPermissions),
    ],
  },
  agent: {
    sources: ["plugins/agent"],
    rings: [
      [
        ...["calls", "convert", "facade", "failure", "guard", "inputs", "one-call", "orders", "overflow", "pi-loop"],
        ...["queue", "repair", "system-prompt"],
      ].map((name) => ofPlugin(`agent/${name}.`)),
      ["faulty-replies", "hazards", "many-calls", "retries"].map((name) => ofPlugin(`agent/${name}.`)),
    ],
  },
  logs: {
    sources: ["plugins/logs"],
    rings: [
      ["logs/contract", "logs/jsonl-store", "logs/search"].map(ofPlugin),
      ["logs/line-sums", "logs/index-file"].map(ofPlugin),
    ],
  },
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const [area = "kernel", count = "200", seed = String(Date.now() % 2 ** 31), earlier] = process.argv.slice(2);
const { sources, rings } = AREAS[area] ?? { sources: [`plugins/${area}`], rings: [[`test/plugins/${area}`]] };
/**
 * How many times longer than without a mutant the tests may take. A mutant that makes them take longer counts as
 * noticed.
 */
const LIMIT = 10;

const copy = mkdtempSync(join(tmpdir(), "scorel-mutants-"));
/** The process that runs the tests. It is replaced after a mutant that exceeded the limit. */
let tests;
let limitMs = 2 ** 31 - 1;
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    stopTests();
    rmSync(copy, { recursive: true, force: true });
    process.exit(1);
  });
try {
  copySources();
  await measure();
} finally {
  stopTests();
  rmSync(copy, { recursive: true, force: true });
}

/** Copies the workspace's packages. Installed packages are too large to copy, so the copy links to them. */
function copySources() {
  const leftOut = [".git", "dist", "node_modules/.pnpm"].map((path) => join(root, path));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !leftOut.includes(path) });
  symlinkSync(join(root, "node_modules/.pnpm"), join(copy, "node_modules/.pnpm"));
}

async function measure() {
  const all = sources.flatMap(filesIn).flatMap((file) => {
    const source = readFileSync(join(copy, file), "utf8");
    return mutationsIn(source, file).map((mutation) => ({ file, source, ...mutation }));
  });
  const sample = earlier === undefined ? sampleOf(all) : listedIn(readFileSync(earlier, "utf8"), all);
  const begun = performance.now();
  const broken = await failureWith(undefined);
  limitMs = LIMIT * (performance.now() - begun);
  if (broken) throw new Error(`the tests of ${area} fail without any mutant: ${broken}`);
  let noticed = 0;
  for (const mutation of sample) {
    const { file, source, start, end, text } = mutation;
    const mutated = source.slice(0, start) + text + source.slice(end);
    if (await failureWith({ file, source, mutated })) noticed++;
    else console.log(titleOf(mutation));
  }
  const share = ((100 * noticed) / sample.length).toFixed(1);
  console.log(`${area}: ${noticed} of ${sample.length} noticed (${share} %), seed ${seed}`);
}

function sampleOf(all) {
  const random = randomFrom(Number(seed));
  return Array.from({ length: Math.min(Number(count), all.length) }, () => takeOne(all, random));
}

function listedIn(text, all) {
  const lines = new Set(text.split("\n"));
  return all.filter((mutation) => lines.has(titleOf(mutation).split("\n")[0]));
}

function titleOf({ file, source, start, what }) {
  return `${file}:${lineAt(source, start)}: ${what}`;
}

/** The name of a test that fails with this mutant; null if none does. Without a mutant, runs the unchanged sources. */
async function failureWith(mutant) {
  tests ??= await startTests();
  const child = tests;
  const waiting = new AbortController();
  const { signal } = waiting;
  child.send(mutant ?? null);
  const [answer] = await Promise.race([
    once(child, "message", { signal }),
    once(child, "exit", { signal }),
    setTimeout(limitMs, [], { signal }),
  ]);
  waiting.abort();
  if (answer?.failed !== undefined) return answer.failed;
  stopTests();
  if (mutant) writeFileSync(join(copy, mutant.file), mutant.source);
  return "they did not end";
}

async function startTests() {
  const child = fork(join(copy, "test/mutants/tests.mjs"), [JSON.stringify(rings)], {
    cwd: copy,
    env: { ...process.env, SEED: seed, HOME: copy },
    // A separate process group, so that it can be killed together with its child processes.
    detached: true,
  });
  const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (first !== "ready") throw new Error(`the tests of ${area} cannot be started`);
  return child;
}

function stopTests() {
  if (tests?.pid !== undefined && tests.exitCode === null) process.kill(-tests.pid, "SIGKILL");
  tests = undefined;
}

function filesIn(path) {
  if (path.endsWith(".ts")) return [path];
  return readdirSync(join(copy, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules") return [];
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(inside);
    return /(?<!\.d)\.ts$/.test(entry.name) ? [inside] : [];
  });
}

function ofPlugin(name) {
  return `test/plugins/${name}`;
}

function ofPermissions(name) {
  return ofPlugin(`permissions/${name}.`);
}

function takeOne(from, random) {
  return from.splice(Math.floor(random() * from.length), 1)[0];
}

function lineAt(source, offset) {
  return source.slice(0, offset).split("\n").length;
}

/** Pseudorandom numbers from 0 to 1 for a seed (mulberry32). */
function randomFrom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
