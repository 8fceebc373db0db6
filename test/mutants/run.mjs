/**
 * Measures what the tests would notice: puts a seeded sample of small faults into the sources, one after another, and runs the
 * tests against each. `npm run mutants kernel 200 SEED` prints the share that was noticed, and every mutant that was not.
 * Works in a copy of the repository, so that a run that is ended leaves the sources as they were.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutationsIn } from "./mutations.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [area = "kernel", count = "200", seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
const folder = area === "kernel" ? "kernel" : `plugins/${area}`;
/** Longer than any of these tests takes; a mutant that never ends is noticed, too. */
const LIMIT_MS = 120_000;

const copy = mkdtempSync(join(tmpdir(), "scorel-mutants-"));
try {
  copySources();
  measure();
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** The packages of the workspace are found in the copy; those of others are too large to copy, and stay where they are. */
function copySources() {
  const leftOut = [".git", "dist", "node_modules/.pnpm"].map((path) => join(root, path));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !leftOut.includes(path) });
  symlinkSync(join(root, "node_modules/.pnpm"), join(copy, "node_modules/.pnpm"));
}

function measure() {
  const all = sourcesIn(folder).flatMap((file) => {
    const source = readFileSync(join(copy, file), "utf8");
    return mutationsIn(source, file).map((mutation) => ({ file, source, ...mutation }));
  });
  const random = randomFrom(Number(seed));
  const sample = Array.from({ length: Math.min(Number(count), all.length) }, () => takeOne(all, random));
  if (!passes()) throw new Error(`the tests of ${area} fail without any mutant`);
  const survivors = sample.filter(survives);
  for (const { file, source, start, what } of survivors) console.log(`${file}:${lineAt(source, start)}: ${what}`);
  const noticed = sample.length - survivors.length;
  console.log(
    `${area}: ${noticed} of ${sample.length} noticed (${((100 * noticed) / sample.length).toFixed(1)} %), seed ${seed}`,
  );
}

function survives({ file, source, start, end, text }) {
  writeFileSync(join(copy, file), source.slice(0, start) + text + source.slice(end));
  try {
    return passes();
  } finally {
    writeFileSync(join(copy, file), source);
  }
}

/** Whether the tests of the area pass, the quick ones first. */
function passes() {
  const tests = area === "kernel" ? "test/kernel" : `test/plugins/${area}`;
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const suites = [["unit", "own-process"], ["deep"]];
  return suites.every((names) => {
    const projects = names.flatMap((name) => ["--project", name]);
    const args = [
      vitest,
      "run",
      "--config",
      "test/vitest.config.ts",
      ...projects,
      "--bail=1",
      "--passWithNoTests",
      tests,
    ];
    const env = { ...process.env, SEED: seed, HOME: copy };
    return spawnSync(process.execPath, args, { cwd: copy, env, timeout: LIMIT_MS, killSignal: "SIGKILL" }).status === 0;
  });
}

function sourcesIn(path) {
  return readdirSync(join(copy, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules") return [];
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory()) return sourcesIn(inside);
    return /(?<!\.d)\.ts$/.test(entry.name) ? [inside] : [];
  });
}

function takeOne(from, random) {
  return from.splice(Math.floor(random() * from.length), 1)[0];
}

function lineAt(source, offset) {
  return source.slice(0, offset).split("\n").length;
}

/** Numbers from 0 to 1 that follow from a seed (the mulberry32 generator). */
function randomFrom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
