/**
 * What checkpoints add to a round whose tool is a command, in a repository of 5,000 files: our time from the end of the
 * model's reply to the arrival of the next request, with them and without. The model takes 150 ms for a reply, which is
 * less than any real one does. Prints rows as JSON.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const files = 5_000;
const rounds = 20;
const speakingMs = 150;
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
const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const base = mkdtempSync(join(tmpdir(), "scorel-bench-"));
try {
  const project = join(base, "project");
  makeRepository(project);
  const rows = [];
  for (const [what, command] of [
    ["a command that changes nothing", () => "true"],
    ["a command that changes a file", (round) => `echo ${round} > d1/f1`],
  ]) {
    const gaps = { without: [], watched: [] };
    let missed = 0;
    // In turn, so that load from outside hits both alike.
    for (let pass = 0; pass < 3; pass++) {
      gaps.without.push(...(await run(project, 'without = ["checkpoints"]\n', command)).gaps);
      const watched = await run(project, "", command);
      gaps.watched.push(...watched.gaps);
      missed += watched.notCovered;
    }
    const added = middle(gaps.watched) - middle(gaps.without);
    rows.push({ work: `added by checkpoints in a round, ${files} files, ${what}`, value: added, unit: "ms", limit: 5 });
    rows.push({ work: `of these rounds (${3 * rounds}) not covered`, value: missed, unit: "rounds", limit: 0 });
  }
  console.log(JSON.stringify(rows));
} finally {
  rmSync(base, { recursive: true, force: true });
}

function makeRepository(project) {
  for (let n = 0; n < files; n++) {
    mkdirSync(join(project, `d${n % 100}`), { recursive: true });
    writeFileSync(join(project, `d${n % 100}`, `f${n}`), `${n}\n`.repeat(200));
  }
  const git = (...args) => execFileSync("git", ["-C", project, "-c", "user.name=b", "-c", "user.email=b@b", ...args]);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
}

/** In how many rounds the files were not looked at, by the log. */
function notCovered(sessions) {
  const logs = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
  const lines = logs.flatMap((name) => readFileSync(join(sessions, name), "utf8").split("\n"));
  return lines.filter((line) => line.includes('"notCovered":[{"path":"."')).length;
}

/** The gaps of one turn's rounds, in milliseconds, and how many rounds were not covered. */
async function run(project, config, command) {
  const arrived = [];
  const answered = [];
  const server = createServer(async (request, response) => {
    arrived.push(performance.now());
    await request.resume().forEach(() => {});
    const round = answered.length;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ content: "Well." }));
    setTimeout(() => {
      response.end(round < rounds ? call(round, command(round)) : done, () => answered.push(performance.now()));
    }, speakingMs);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const home = mkdtempSync(join(base, "home-"));
    furnish(home, server.address().port, config);
    const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
    const env = { PATH: process.env.PATH, HOME: home };
    const child = spawn(process.execPath, [bin, "--yes", "-p", "go"], { cwd: project, env, stdio: "ignore" });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`the command exited ${code}`);
    const gaps = answered.slice(0, rounds).map((at, round) => arrived[round + 1] - at);
    return { gaps, notCovered: notCovered(join(home, ".scorel/sessions")) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function furnish(home, port, config) {
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
