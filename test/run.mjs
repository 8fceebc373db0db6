/**
 * Runs steps one after another, and fails unless every test of every suite ran and passed.
 * - `node test/run.mjs` runs the fast tier, which needs only Node and git.
 * - `--full` also runs tests that are slow or need optional programs.
 * - Names select steps: `node test/run.mjs unit e2e`.
 * - `--changed [commit]` runs the tests that changes since a commit can affect (default: HEAD~1).
 * - `slow --minutes 8` runs a part of the slow suites that takes about that long: test files that were changed in the last hours of
 *   commits, then others, which differ with the seed. It prints how many files are left out; `--full` runs all.
 * - `slow --record` saves how long each file took (test/slow-seconds.json), which decides the order and that part.
 *
 * Temporary files of the fast tier are kept in memory where the system has a folder for that, since tests make and remove many
 * thousands of small folders, which takes some disks a hundred times as long.
 *
 * Tests for which a program or a right is missing are listed as not run; SCOREL_TEST_REQUIRED="zsh root" makes those that need
 * zsh or root fail instead (test/optional.ts).
 *
 * SCOREL_TEST_AGAIN=1 runs the files of a few failed tests once more, alone: a test that then passes is reported as unsteady,
 * and does not fail the run. Without this, on a shared machine, one test of 7,000 that depends on the load would block any
 * change. Tests of random faults are not repeated, since only one run in many finds such a fault.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { partOf, saveSeconds } from "./slow-part.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitestProgram = join(root, "node_modules/vitest/vitest.mjs");
const withConfig = ["--config", "test/vitest.config.ts"];

const fast = ["setup", "check", "build", "unit", "smoke"];
const full = [...fast, "slow"];
const changed = ["check", "reached", "build", "smoke"];
/** The number of files with failed tests that are run again. More failures have one cause, which is not the load. */
const A_FEW = 8;
/** A file system in memory, which most distributions of Linux have. */
const MEMORY = "/dev/shm";
/** Tests of processes often wait for disks, time limits and each other, so more files than processors run at a time. */
const oneMore = { workers: availableParallelism() + 1 };
const steps = {
  setup: () => step("npm", ["run", "--silent", "setup"]),
  check: () => independentStep("npm", ["run", "--silent", "check"]),
  build: () => independentStep("npm", ["run", "--silent", "build"]),
  unit: () => suite("unit", ["unit", "own-process"]),
  smoke: () => suite("smoke", ["smoke"], oneMore),
  deep: () => suite("deep"),
  e2e: () => suite("e2e", ["e2e"], oneMore),
  programs: () => suite("programs", ["programs"], oneMore),
  fault: () => suite("fault", ["fault"], oneMore),
  // All suites at once: while tests of one wait, others use the processors, and no suite ends with a few slow files.
  slow: () => slow(),
  reached: () =>
    suite("reached", ["unit", "own-process", "deep"], { more: [`--changed=${since}`, "--passWithNoTests"] }),
};

const { values: options, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: "boolean" },
    changed: { type: "boolean" },
    minutes: { type: "string" },
    record: { type: "boolean" },
  },
});
const since = asked[0] ?? "HEAD~1";
const names = options.full ? full : options.changed ? changed : asked.length > 0 ? asked : fast;
if (options.minutes !== undefined && !(Number(options.minutes) > 0))
  throw new Error(`--minutes needs a number greater than 0, not "${options.minutes}"`);
const unknown = names.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0)
  throw new Error(`no such suite: ${unknown.join(", ")} (there are ${Object.keys(steps).join(", ")})`);

/** The seed of all random inputs, to reproduce failures. */
const seed = process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31));
/** Folder of the results of suites. */
const results = mkdtempSync(join(tmpdir(), "scorel-results-"));
const rows = [];
try {
  for (const stage of stagesOf(names)) {
    console.log(`\n== ${stage.join(", ")}`);
    rows.push(...(await Promise.all(stage.map(timed))));
    if (stage.includes("setup") && rows.at(-1).failed > 0) break;
  }
} finally {
  rmSync(results, { recursive: true, force: true });
}
report();

/** Groups the steps that run at the same time: checking types uses one processor, and so does most of the build. */
function stagesOf(names) {
  const [first, second, ...others] = names;
  if (first === undefined) return [];
  const isPair = [first, second].sort().join() === "build,check";
  return isPair ? [[first, second], ...stagesOf(others)] : [[first], ...stagesOf(names.slice(1))];
}

async function timed(name) {
  const start = performance.now();
  const result = await steps[name]();
  return { name, seconds: (performance.now() - start) / 1000, ...result };
}

/**
 * Makes a folder for the HOME of a suite. Returns it with the variables that tell tests about it. Suites that do not use bubblewrap, which
 * gives programs another /dev, have their temporary files there, too, if it can be in memory.
 */
function madeScratch(projects) {
  const mayBeConfined = projects.some((project) => !["unit", "own-process", "smoke"].includes(project));
  const isInMemory = !mayBeConfined && hasSpace(MEMORY, 2 * 1024 ** 3);
  // A short name, because paths of sockets are limited.
  const folder = mkdtempSync(join(isInMemory ? MEMORY : tmpdir(), "s-"));
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  mkdirSync(home);
  return { folder, variables: { HOME: home, USERPROFILE: home, ...(isInMemory && { TMPDIR: folder }) } };
}

function hasSpace(folder, bytes) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  }
}

/** Runs a command that is no suite. It counts no tests, and as one failure if it fails. */
function step(command, args) {
  const { status, signal } = run(command, args, process.env);
  return ended(status, signal);
}

function ended(status, signal) {
  return status === 0 ? { passed: 0, failed: 0 } : { passed: 0, failed: 1, note: `exit ${status ?? signal}` };
}

/** Like `step`, but lets other steps run meanwhile. Prints the output at the end, so that outputs are not mixed. */
async function independentStep(command, args) {
  const child = spawn(command, args, { cwd: root, shell: process.platform === "win32" });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [status, signal] = await once(child, "close");
  process.stdout.write(Buffer.concat(output));
  return ended(status, signal);
}

/** Runs the slow suites: all of them, or a part that takes about `--minutes`. */
function slow() {
  const projects = ["deep", "e2e", "programs", "fault"];
  if (options.minutes === undefined) {
    const result = suite("slow", projects, oneMore);
    if (options.record) record(readResult(join(results, "slow.json")));
    return result;
  }
  const files = filesOf(projects);
  const part = partOf(files, {
    seconds: Number(options.minutes) * 60 * oneMore.workers,
    seed,
    changed: new Set(changedLately()),
  });
  console.log(`${part.length} of ${files.length} files, chosen with SEED=${seed}`);
  const result = suite("slow", projects, { ...oneMore, more: part });
  const note = [result.note, `${files.length - part.length} files not chosen`].filter(Boolean).join(", ");
  return { ...result, note };
}

/** Saves how many seconds each file took. Files of two suites, such as those of the runner, count once for each. */
function record(result) {
  const seconds = {};
  for (const { name, startTime, endTime } of result?.testResults ?? []) {
    const file = relative(root, name);
    seconds[file] = (seconds[file] ?? 0) + (endTime - startTime) / 1000;
  }
  saveSeconds(seconds);
}

/** The test files of projects, as paths from the root. */
function filesOf(projects) {
  const file = join(results, "files.json");
  const selected = projects.flatMap((project) => ["--project", project]);
  const { status } = run(
    process.execPath,
    [vitestProgram, "list", ...withConfig, ...selected, "--filesOnly", `--json=${file}`],
    process.env,
  );
  if (status !== 0) throw new Error(`vitest cannot list the files of ${projects.join(", ")}: exit ${status}`);
  return [...new Set(JSON.parse(readFileSync(file, "utf8")).map((entry) => relative(root, entry.file)))];
}

/** Files that the commits of the last four hours before HEAD changed, which are those of one piece of work. */
function changedLately() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const head = Number(git("log", "-1", "--format=%ct").trim());
  return git("log", `--since=${head - 4 * 3600}`, "--name-only", "--format=")
    .split("\n")
    .filter(Boolean);
}

function suite(name, projects = [name], { workers = availableParallelism(), more = [] } = {}) {
  const result = vitest(name, projects, workers, more);
  const files = new Set(result.failures?.map(({ file }) => file));
  const isRandom = [...files].some((file) => file.startsWith("test/fault/"));
  const mayRunAgain = process.env.SCOREL_TEST_AGAIN === "1" && !isRandom;
  if (!mayRunAgain || files.size === 0 || result.failed !== result.failures.length || files.size > A_FEW) return result;
  console.log(`\n== ${name} again: ${[...files].join(", ")}`);
  const again = vitest(`${name}-again`, projects, 1, [...files]);
  if (again.failed > 0) return result;
  const { passed, failed, failures, notRun } = result;
  return { passed: passed + failed, failed: 0, notRun, unsteady: failures, note: `${failed} unsteady` };
}

/** Runs test files, or all tests of projects, with a temporary HOME, so that a faulty test cannot change the user's files. */
function vitest(name, projects, workers, more) {
  const file = join(results, `${name}.json`);
  const selected = [...projects.flatMap((project) => ["--project", project]), ...more];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const scratch = madeScratch(projects);
  try {
    const { status, signal } = run(process.execPath, [vitestProgram, "run", ...withConfig, ...selected, ...reporters], {
      ...process.env,
      SEED: seed,
      SCOREL_TEST_WORKERS: String(workers),
      ...scratch.variables,
    });
    return verdict(readResult(file), status ?? signal);
  } finally {
    rmSync(scratch.folder, { recursive: true, force: true });
  }
}

function run(command, args, env) {
  return spawnSync(command, args, { cwd: root, env, stdio: "inherit", shell: process.platform === "win32" });
}

function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Counts the tests of a result. Skipped tests that do not state a missing program, an empty suite and an error outside of all
 * tests count as failures.
 */
function verdict(result, exit) {
  if (!result) return { passed: 0, failed: 1, note: `no result, exit ${exit}` };
  const { numTotalTests: total, numPassedTests: passed } = result;
  if (total === 0) return { passed, failed: options.changed ? 0 : 1, note: "no test ran" };
  const notRun = notRunIn(result);
  const skipped = result.numPendingTests + result.numTodoTests - notRun.length;
  const failed = total - passed - notRun.length;
  if (failed === 0 && exit !== 0) return { passed, failed: 1, notRun, note: `an error outside any test, exit ${exit}` };
  const note = skipped > 0 ? `${skipped} skipped` : "";
  return { passed, failed, note, notRun, failures: result.testResults.flatMap(failuresIn) };
}

/** The titles of skipped tests that state a missing program or right. */
function notRunIn({ testResults }) {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, title }) => status !== "passed" && status !== "failed" && title.includes(": not run, "))
    .map(({ fullName }) => fullName);
}

/** The failed tests of a file, with the beginning of their messages. */
function failuresIn({ name: file, message, assertionResults }) {
  const where = relative(root, file);
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0 && message) return [{ file: where, text: `${where}\n${beginningOf(message)}` }];
  return failed.map(({ fullName, failureMessages }) => ({
    file: where,
    text: `${where}: ${fullName}\n${beginningOf(failureMessages.join("\n"))}`,
  }));
}

function beginningOf(message) {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .filter((line) => !line.includes("node_modules"))
    .slice(0, 12);
  return lines.map((line) => `    ${line.slice(0, 400)}`).join("\n");
}

function report() {
  const missing = names.slice(rows.length).map((name) => ({ name, seconds: 0, passed: 0, failed: 1, note: "not run" }));
  const all = [...rows, ...missing];
  // Printed again at the end, because logs are often cut to their last lines.
  for (const { name, failures = [] } of all)
    for (const { text } of failures) console.log(`\nfailed in ${name}: ${text}`);
  for (const { name, unsteady = [] } of all)
    for (const { text } of unsteady)
      console.log(`\nunsteady in ${name} (failed, then passed when its file ran alone): ${text}`);
  for (const { name, notRun = [] } of all) for (const title of notRun) console.log(`\n${name}: ${title}`);
  console.log("");
  for (const { name, seconds, passed, failed, note = "" } of all) {
    const counts = passed + failed > 0 ? `${passed} passed, ${failed} failed` : "ok";
    console.log(`${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${counts}  ${note}`.trimEnd());
  }
  const sum = (key) => all.reduce((total, row) => total + row[key], 0);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
  console.log(`SEED=${seed} makes the same random inputs again`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
}
