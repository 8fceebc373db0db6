import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@scorel/kernel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireLock } from "../../plugins/host/storage/lock.ts";
import { ownIdentity } from "../../plugins/kit/process/identity.ts";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { scanLog } from "../../plugins/logs/scan.ts";
import { scratch } from "../e2e/scorel.ts";
import { testHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";
import { type SecondProcess, secondProcess } from "../second-process.ts";

const session = testHeader.sessionId;
const ROUNDS = 100;

let folder: string;
let log: string;
let lock: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "scorel-race-"));
  log = join(folder, `${session}.jsonl`);
  lock = join(folder, `${session}.lock`);
  const store = createJsonlStore(log, { create: testHeader });
  const kernel = await createKernel({ entries: [{ plugin: notes, origin: "test" }], store });
  await kernel.session.append("note", { text: "0" });
  await kernel.stop();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function racer(): Promise<SecondProcess> {
  const process = await secondProcess(new URL("racer.ts", import.meta.url), folder, []);
  await process.line();
  return process;
}
interface Answer {
  wrote?: number;
  code?: string;
  message?: string;
}
async function say(process: SecondProcess, line: string): Promise<Answer> {
  process.child.stdin?.write(`${line}\n`);
  return JSON.parse(await process.line()) as Answer;
}
const writers = () => scanLog(log).events.map((event) => (event as unknown as { text: string }).text);

describe("two processes that open one session at once", () => {
  it.each([
    ["free", () => {}],
    ["left by a process that died", leaveDeadLock],
  ])(
    `become one writer and one that is told who the writer is, ${ROUNDS} times, when the lock is %s`,
    async (_what, prepare) => {
      await using one = await racer();
      await using two = await racer();
      const wrote = ["0"];
      for (let round = 0; round < ROUNDS; round++) {
        prepare();
        const answers = await Promise.all([say(one, log), say(two, log)]);
        const winner = answers.find((answer) => answer.wrote !== undefined)?.wrote as number;
        wrote.push(String(winner));
        expect({ round, answers }).toEqual({
          round,
          answers: [one, two].map(({ pid }) =>
            pid === winner ? { wrote: pid } : { code: "HOST_SESSION_LOCKED", message: namesHolder(winner) },
          ),
        });
        await Promise.all([say(one, "close"), say(two, "close")]);
      }
      expect(writers()).toEqual(wrote);
      expect(scanLog(log).problems).toEqual([]);
      expect(readdirSync(folder).filter((name) => name.includes(".lock"))).toEqual([]);
    },
  );

  const namesHolder = (pid: number) =>
    expect.stringMatching(new RegExp(`in use by process ${pid}, started \\d{4}-.*Z`));

  function leaveDeadLock(): void {
    const dead = { ...ownIdentity(), pid: 2 ** 30, since: "2026-01-01T00:00:00.000Z", nonce: "nonce000000000001" };
    writeFileSync(lock, JSON.stringify(dead));
  }
});

describe("a suspended process that holds a session", () => {
  it("keeps the session, is reported as running, and continues when it is resumed", async () => {
    await using holder = await racer();
    await say(holder, log);
    process.kill(holder.pid, "SIGSTOP");
    await stopped(holder.pid);
    expect(() => acquireLock(lock, session)).toThrow(
      expect.objectContaining({
        code: "HOST_SESSION_LOCKED",
        data: expect.objectContaining({ pid: holder.pid, ...(existsSync("/proc") && { suspended: true }) }),
      }),
    );
    process.kill(holder.pid, "SIGCONT");
    expect(await say(holder, "close")).toEqual({ closed: true });
    acquireLock(lock, session).release();
  });

  it("is named by the command, which does not take its session", async () => {
    using s = scratch();
    const demo = ["--model", "offline/demo"];
    const holder = s.start(["-p", "run sleep 2", "--output", "events", ...demo]);
    await holder.line((line) => line.includes('"tool_execution_start"'));
    process.kill(holder.pid, "SIGSTOP");
    const refused = await s.run(["-p", "run echo two", "--continue", ...demo]);
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`process ${holder.pid}, started .*which is suspended.*kill -CONT`)),
    });
    process.kill(holder.pid, "SIGCONT");
    expect((await holder.finished).code).toBe(0);
    expect((await s.run(["-p", "run echo two", "--continue", ...demo])).code).toBe(0);
  });

  /** Resolves when the system reports that the process is stopped. */
  async function stopped(pid: number): Promise<void> {
    while (existsSync("/proc/self") && !/\) T/.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
      await new Promise((resolve) => setImmediate(resolve));
  }
});
