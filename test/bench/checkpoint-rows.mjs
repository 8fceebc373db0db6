/**
 * The cost of checkpoints in a round whose tool is a command that changes a file, for projects of several sizes: how
 * many rounds have no checkpoint, the CPU time of a round (Scorel and its child processes, git included), and the time
 * added between the end of a reply and the next request. The model takes 150 ms for a reply, less than any real one.
 * Prints rows as JSON.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const rounds = 20;
const passes = 3;
const speakingMs = 150;
const filesPerFolder = 20;
/** Milliseconds of one tick, in which the kernel counts CPU time. On Linux it is always 10. */
const tickMs = 10;

/** The figures `was` are those of a version that looked at every file in each round, for at most 300 ms. */
const cases = [
  {
    name: "git, 5,000 files",
    files: 5_000,
    isGit: true,
    missed: { was: "8 rounds" },
    cpu: { was: "118 ms" },
    gap: { limit: 5, was: "97 ms" },
  },
  {
    name: "git, 20,000 files",
    files: 20_000,
    isGit: true,
    missed: { was: "20 rounds" },
    cpu: { limit: 120, was: "205 ms" },
    gap: { limit: 10, was: "363 ms" },
  },
  {
    name: "git, 100,000 files",
    files: 100_000,
    isGit: true,
    missed: { was: "20 rounds" },
    cpu: { limit: 500, was: "638 ms" },
    gap: { was: "2232 ms" },
  },
  {
    name: "no git, 20,000 files",
    files: 20_000,
    isGit: false,
    missed: { was: "20 rounds" },
    cpu: { limit: 120, was: "173 ms" },
    gap: { limit: 10, was: "194 ms" },
  },
];

const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta, finish_reason = null) =>
  event({
    id: "b",
    object: "chat.completion.chunk",
    created: 1,
    model: "b",
    choices: [{ index: 0, delta, finish_reason }],
  });
const call = (round, command) => {
  const fn = { name: "Bash", arguments: JSON.stringify({ command }) };
  return `${chunk({ tool_calls: [{ index: 0, id: `call_${round}`, type: "function", function: fn }] })}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
};
const done = `${chunk({ content: "Done." })}${chunk({}, "stop")}data: [DONE]\n\n`;

const base = mkdtempSync(join(tmpdir(), "scorel-bench-"));
try {
  const rows = [];
  for (const it of cases) rows.push(...(await rowsOf(it)));
  console.log(JSON.stringify(rows));
} finally {
  rmSync(base, { recursive: true, force: true });
}

async function rowsOf({ name, files, isGit, missed, cpu, gap }) {
  const project = join(base, name.replace(/\W+/g, "-"));
  makeProject(project, files, isGit);
  const without = [];
  const watched = [];
  // The two alternate, so that other load on the machine affects both alike.
  for (let pass = 0; pass < passes; pass++) {
    without.push(await run(project, 'without = ["checkpoints"]\n'));
    watched.push(await run(project, ""));
  }
  rmSync(project, { recursive: true, force: true });
  const gapsOf = (runs) => median(runs.flatMap(({ gaps }) => gaps));
  const cpuOf = (runs) => Math.min(...runs.map(({ cpuMs }) => cpuMs)) / rounds;
  const most = Math.max(...watched.map(({ notCovered }) => notCovered));
  const work = (what) => `checkpoints, ${name}: ${what}`;
  return [
    { work: work(`of ${rounds} rounds not covered`), value: most, unit: "rounds", limit: 0, ...missed },
    { work: work("CPU of a round"), value: cpuOf(watched), baseline: cpuOf(without), unit: "ms", ...cpu },
    { work: work("added to the gap"), value: gapsOf(watched) - gapsOf(without), unit: "ms", ...gap },
  ];
}

function makeProject(project, files, isGit) {
  const folders = Math.ceil(files / filesPerFolder);
  const folderOf = (n) => join(project, `d${n % 40}`, `e${n}`);
  for (let n = 0; n < folders; n++) mkdirSync(folderOf(n), { recursive: true });
  for (let n = 0; n < files; n++) writeFileSync(join(folderOf(n % folders), `f${n}`), `${n}\n`.repeat(20));
  if (!isGit) return;
  const git = (...args) => execFileSync("git", ["-C", project, "-c", "user.name=b", "-c", "user.email=b@b", ...args]);
  git("init", "-q");
  git("add", "-A");
  git("-c", "gc.auto=0", "commit", "-qm", "first");
}

/** The number of rounds whose files were not looked at, according to the logs. */
function notCovered(sessions) {
  const logs = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
  const lines = logs.flatMap((name) => readFileSync(join(sessions, name), "utf8").split("\n"));
  return lines.filter((line) => line.includes('"notCovered":[{"path":"."')).length;
}

/**
 * Runs one turn. Returns the gaps between its replies and the next requests, its CPU time, and the number of rounds
 * that were not covered.
 */
async function run(project, config) {
  const arrived = [];
  const answered = [];
  const cpu = [];
  let child;
  const server = createServer(async (request, response) => {
    arrived.push(performance.now());
    cpu.push(cpuMsOf(child.pid));
    await request.resume().forEach(() => {});
    const round = answered.length;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ content: "Well." }));
    setTimeout(() => {
      const command = `echo ${round} > d1/e1/f1`;
      response.end(round < rounds ? call(round, command) : done, () => answered.push(performance.now()));
    }, speakingMs);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const home = mkdtempSync(join(base, "home-"));
    writeConfig(home, server.address().port, config);
    const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
    const env = { PATH: process.env.PATH, HOME: home };
    child = spawn(process.execPath, [bin, "--yes", "-p", "go"], { cwd: project, env, stdio: "ignore" });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`the command exited ${code}`);
    const gaps = answered.slice(0, rounds).map((at, round) => arrived[round + 1] - at);
    const missed = notCovered(join(home, ".scorel/sessions"));
    return { gaps, cpuMs: cpu[rounds] - cpu[0], notCovered: missed };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** CPU time of a process and of its children that have ended; NaN where the system has no /proc. */
function cpuMsOf(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  const fields = readFileSync(file, "latin1").split(") ").at(-1).split(" ");
  // utime, stime, cutime, cstime are fields 14 to 17; the first of these is field 3.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0);
}

function writeConfig(home, port, config) {
  mkdirSync(join(home, ".scorel"));
  const model = {
    type: "custom",
    api: "openai-completions",
    provider: "local",
    id: "rounds",
    baseUrl: `http://127.0.0.1:${port}/v1`,
  };
  const lines = Object.entries(model).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const table = [config, "[model]", ...lines, "contextWindow = 1000000", "maxTokens = 1000", ""];
  writeFileSync(join(home, ".scorel/config.toml"), table.join("\n"));
}
