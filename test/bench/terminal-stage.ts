/**
 * Runs programs in a terminal of 120 columns and 40 rows, and measures their cost. Needs the program `script` and
 * Linux's /proc.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
// @ts-expect-error: a plain module without types
import { environment } from "./measure.mjs";

const PATIENCE_MS = 60_000;
/**
 * In capitals, unlike all other questions, so that no part of it is already on the screen and it is sent as a whole.
 */
export const FIRST_QUESTION = "THE FIRST MESSAGE OF ALL";

/** A piece of output. */
interface Chunk {
  at: number;
  text: string;
}

/** A program in a terminal. */
export class Terminal implements AsyncDisposable {
  readonly started = performance.now();
  /** Bytes of output so far. */
  bytes = 0;
  private readonly child: ChildProcess;
  private readonly notes: string;
  readonly ended: Promise<unknown>;
  private seen = "";
  private look: (chunk: Chunk) => void = () => {};

  constructor(home: string, command: readonly string[], more: Readonly<Record<string, string>> = {}) {
    this.notes = join(home, "terminal-pid");
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const run = `stty cols 120 rows 40; echo $$ > '${this.notes}'; exec ${quoted}`;
    const env = environment(home, { TERM: "xterm-256color", LANG: "C.UTF-8", ...more });
    this.child = spawn("script", ["-qefc", run, "/dev/null"], { cwd: home, env, stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.bytes += Buffer.byteLength(text);
      this.seen = (this.seen + text).slice(-20_000);
      this.look({ at: performance.now(), text });
    });
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Resolves with the time at which the output since the last call matched. */
  shows(wanted: RegExp): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`${wanted} was never shown, but ${JSON.stringify(this.seen.slice(-2_000))}`)),
        PATIENCE_MS,
      );
      this.look = ({ at }) => {
        if (!wanted.test(this.seen)) return;
        clearTimeout(late);
        this.look = () => {};
        this.seen = "";
        resolve(at);
      };
      this.look({ at: performance.now(), text: "" });
    });
  }

  /**
   * Milliseconds from a key press until its character is output. The output must not contain this character otherwise.
   */
  async echo(key: string): Promise<number> {
    this.seen = "";
    const from = performance.now();
    this.type(key);
    return (await this.shows(new RegExp(key))) - from;
  }

  /** Milliseconds of processor time so far, of all threads. */
  get processor(): number {
    const tasks = `/proc/${this.pid}/task`;
    const spent = readdirSync(tasks).map((id) =>
      Number(readFileSync(`${tasks}/${id}/schedstat`, "utf8").split(" ")[0]),
    );
    return spent.reduce((sum, each) => sum + each, 0) / 1e6;
  }

  /** Resident memory in megabytes. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return (Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) * 1024) / 1e6;
  }

  private get pid(): number {
    return Number(readFileSync(this.notes, "utf8"));
  }

  /** Waits for `ms` milliseconds; returns the processor time and output during this time. */
  async during(ms: number): Promise<{ processor: number; bytes: number; ms: number }> {
    const { processor, bytes } = this;
    const from = performance.now();
    await sleep(ms);
    return { processor: this.processor - processor, bytes: this.bytes - bytes, ms: performance.now() - from };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
    await this.ended;
  }
}

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...none, input: 100, output: 20, totalTokens: 120, cost: { ...none, total: 0.001 } };
const answer = [
  "The total adds up **price** times `count` of every item, and leaves out the first.\n",
  "| item | price |\n| --- | ---: |\n| tea | 4.20 |\n",
  "```js\nfor (const item of items) sum += item.price * item.count;\n```\n",
  "- one reason is the loop, which begins at 1\n- the other is a test that does not look\n",
].join("\n");

/**
 * Writes a session with this many turns, each a question, a tool call with its result, and a reply in Markdown. Returns
 * its id.
 */
export function writeSession(home: string, turns: number): string {
  const sessionId = `session${String(turns).padStart(9, "0")}`;
  const meta = { cwd: home, root: home, title: `${turns} turns` };
  const header = { version: 1, sessionId, deviceId: "device0000000001", createdAt: 0, epoch: "epoch00000000001", meta };
  const events = Array.from({ length: turns * 4 }, (_, at) => {
    const place = { id: `${sessionId}e${at}`, parentId: at === 0 ? null : `${sessionId}e${at - 1}`, seq: at + 1 };
    return { type: "message", ...place, sessionId, clientId: "bench", ts: at, message: messageOf(at) };
  });
  const directory = join(home, ".scorel/sessions");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lines = [{ ...header, checksum: "crc32" }, ...events].map(encode);
  writeFileSync(join(directory, `${sessionId}.jsonl`), lines.join(""));
  return sessionId;
}

function messageOf(at: number): object {
  const from = { api: "x", provider: "bench", model: "m", usage, timestamp: at };
  const content = (text: string) => [{ type: "text", text }];
  const call = { type: "toolCall", id: `c${at}`, name: "Bash", arguments: { command: "npm test" } };
  const question = at === 0 ? FIRST_QUESTION : `Question ${at}: why is the total wrong?`;
  if (at % 4 === 0) return { role: "user", content: question, timestamp: at };
  if (at % 4 === 1)
    return { role: "assistant", content: [...content("Let me look."), call], stopReason: "toolUse", ...from };
  if (at % 4 === 3) return { role: "assistant", content: content(answer), stopReason: "stop", ...from };
  const output = Array.from({ length: 30 }, (_, line) => `ok ${line} - a test that passes`).join("\n");
  const result = { toolCallId: `c${at - 1}`, toolName: "Bash", content: content(output), isError: false };
  return { role: "tool_result", ...result, timestamp: at };
}

function encode(record: object): string {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}
