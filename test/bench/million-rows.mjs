/**
 * Processor time (of all threads) and memory of commands on a session of a million messages in one path, about 440 MB,
 * and on one of 64,000. The sessions have no index; the log is in the system's cache.
 */
import { closeSync, copyFileSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { bin, createHome, median, processorMilliseconds, remembering, run } from "./measure.mjs";

const RUNS = 3;
const SHORT = 64_000;
const sessionId = "bench00000000001";
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
const { home, remove } = createHome(process.env.BENCH_MODEL);
const folder = join(home, ".scorel/sessions");

function line(record) {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}

/** In turn a question, a reply with a tool call, and the result. */
function recordOf(n) {
  const text = `${n} ${"A line of a conversation. ".repeat(1 + (n % 5))}`;
  const content = [{ type: "text", text }];
  const call = { type: "toolCall", id: `call${n + 1}`, name: "Bash", arguments: { command: "true" } };
  const said = { api: "x", provider: "x", model: "x", usage, stopReason: "toolUse", timestamp: n };
  const message = [
    { role: "user", content: text, timestamp: n },
    { role: "assistant", content: [...content, call], ...said },
    { role: "tool_result", toolCallId: `call${n}`, toolName: "Bash", content, isError: false, timestamp: n },
  ][n % 3];
  const place = {
    id: `e${String(n).padStart(15, "0")}`,
    parentId: n === 0 ? null : `e${String(n - 1).padStart(15, "0")}`,
  };
  return { type: "message", ...place, seq: n + 1, sessionId, clientId: "bench", ts: n, message };
}

function write(path, count) {
  const fd = openSync(path, "w");
  const meta = { cwd: home, root: home };
  let lines = line({ version: 1, sessionId, deviceId: "bench", createdAt: 0, epoch: "bench", checksum: "crc32", meta });
  for (let n = 0; n < count; n++) {
    lines += line(recordOf(n));
    if (lines.length < 2 ** 22) continue;
    writeSync(fd, lines);
    lines = "";
  }
  writeSync(fd, lines);
  closeSync(fd);
}

/** The median time of runs that each find only the log, without an index, and the peak memory of one more run. */
function measured(log, args) {
  const fresh = () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    copyFileSync(log, join(folder, `${sessionId}.jsonl`));
  };
  const times = Array.from({ length: RUNS }, () => {
    fresh();
    return processorMilliseconds(process.execPath, [bin, ...args], { home });
  });
  fresh();
  const memory = remembering(home, (env) => run(process.execPath, [bin, ...args], { home, env }));
  return { value: median(times), memory };
}

try {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const long = join(home, "long");
  const short = join(home, "short");
  write(long, 1_000_000);
  write(short, SHORT);
  const row = (work, limit, was, log, args) => ({ work, unit: "ms", limit, was, ...measured(log, args) });
  const million = "a million messages, no index";
  console.log(
    JSON.stringify([
      row(`processor time, ${million}: open for writing`, 2000, "2.7 s", long, [
        "session",
        "rename",
        sessionId,
        "A name",
      ]),
      row(`processor time, ${million}: show --tail 20`, 300, "2.0 s", long, [
        "session",
        "show",
        sessionId,
        "--tail",
        "20",
      ]),
      row(`processor time, ${million}: a turn`, 3000, "66 s, 2.7 GB", long, [
        "--yes",
        "--session",
        sessionId,
        "-p",
        "go on",
      ]),
      row("processor time, 64,000 messages: session tree", 1000, "2.7 s", short, ["session", "tree", sessionId]),
    ]),
  );
} finally {
  remove();
}
