import { spawnSync } from "node:child_process";
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { newId } from "@scorel/kernel";

const MILLION = 1_000_000;
const beside = process.env.BENCH_BESIDE ?? "";
const folder = mkdtempSync(join(tmpdir(), "scorel-bench-"));
const sessionId = "bench00000000001";
const header = { version: 1, sessionId, deviceId: "bench", createdAt: 0, epoch: "bench", checksum: "crc32", meta: {} };
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };

interface Opened {
  did: number;
  ms: number;
  again: number;
  events: number;
  memory: number;
}

/** A record of a conversation: in turn a user's message, a reply and a tool result. */
function recordOf(n: number, id: string, parentId: string | null): object {
  const text = `${n} ${"A line of a conversation. ".repeat(1 + (n % 5))}`;
  const content = [{ type: "text", text }];
  const message = [
    { role: "user", content: text, timestamp: n },
    { role: "assistant", content, api: "x", provider: "x", model: "x", usage, stopReason: "stop", timestamp: n },
    { role: "tool_result", toolCallId: `call${n}`, toolName: "Bash", content, isError: false, timestamp: n },
  ][n % 3];
  return { type: "message", id, parentId, seq: n + 1, sessionId, clientId: "bench", ts: n, message };
}

/** Writes a log and returns the id of an event in its middle. */
function write(path: string, count: number): string {
  const fd = openSync(path, "w");
  let lines = line(header);
  let parent: string | null = null;
  let middle = "";
  for (let n = 0; n < count; n++) {
    const id = newId();
    lines += line(recordOf(n, id, parent));
    parent = id;
    if (n === count / 2) middle = id;
    if (lines.length < 2 ** 22) continue;
    writeSync(fd, lines);
    lines = "";
  }
  writeSync(fd, lines);
  closeSync(fd);
  return middle;
}

function line(record: object): string {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}

/** Opens a log in a new process, so that runs share nothing but the system's cache of the file. */
function open(path: string, task: string, middle = ""): Opened {
  const { status, stdout, stderr } = spawnSync(process.execPath, [beside, path, task, middle], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Opened;
}

function median(path: string, task: string, middle?: string): Opened {
  const runs = Array.from({ length: 5 }, () => open(path, task, middle)).sort((a, b) => a.ms - b.ms);
  return runs[2] as Opened;
}

try {
  const long = join(folder, "long.jsonl");
  const middle = write(long, MILLION);
  const without = median(long, "tail");
  open(long, "index");
  const withIndex = median(long, "tail");
  const page = median(long, "page", middle);
  if (page.did !== 200) throw new Error("the page was not read");
  appendFileSync(long, Array.from({ length: 1000 }, (_, n) => line(recordOf(MILLION + n, newId(), null))).join(""));
  const behind = median(long, "tail");
  if (behind.events !== MILLION + 1000) throw new Error("the tail behind the index was not read");
  const short = join(folder, "short.jsonl");
  write(short, 10_000);
  const context = median(short, "context");
  const row = (work: string, { ms, memory }: Opened, limit?: number) => ({
    work,
    value: ms,
    unit: "ms",
    limit,
    memory,
  });
  console.log(
    JSON.stringify([
      row("a million events, open + tail of 200, with index", withIndex, 250),
      row("a million events, open + 200 after one in the middle, with index", page, 250),
      row("a million events, with index and 1,000 more", behind, 250),
      row("a million events, without index", without, 900),
      {
        work: "a million events, peak memory",
        value: Math.max(without.memory, withIndex.memory),
        unit: "MB",
        limit: 150,
      },
      row("context of 10,000 events, opened for it", context),
      { work: "context of 10,000 events, again", value: context.again, unit: "ms" },
    ]),
  );
} finally {
  rmSync(folder, { recursive: true });
}
