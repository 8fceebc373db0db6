import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { isAlive, startedProcesses } from "../processes.ts";
import { terminal } from "./pty.ts";
import { type Running, type Scratch, scratch } from "./scorel.ts";

const left = startedProcesses();

/** Starts a turn in which the model has started background commands. It ends only when the server ends. */
async function busy(s: Scratch): Promise<{ running: Running; pids: number[] } & AsyncDisposable> {
  const end = gate();
  const commands = ["echo $$ >> pids; exec sleep 1000", "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & exit 0"];
  const calls = commands.map((command) => toolCall("Bash", { command, background: true }));
  const server = await startModelServer((_, index) =>
    index === 0 ? calls : index === 1 ? [text("so far"), delayUntil(end.promise)] : text("done"),
  );
  s.useModel(server.baseUrl);
  const running = s.start(["-p", "hi", "--output", "events"]);
  await running.line((line) => line.includes('"text_delta"'));
  const file = join(s.project, "pids");
  const read = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []);
  await eventually(() => expect(read()).toHaveLength(2));
  for (const pid of read()) left.add(pid);
  return {
    running,
    pids: read(),
    async [Symbol.asyncDispose]() {
      end.open();
      await server[Symbol.asyncDispose]();
    },
  };
}

it("SIGTERM ends background commands within five seconds", async () => {
  using s = scratch();
  await using turn = await busy(s);
  const before = performance.now();
  process.kill(turn.running.pid, "SIGTERM");
  expect(await turn.running.finished).toMatchObject({ code: 143 });
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(turn.pids.map(isAlive)).toEqual([false, false]);
});

it("after a kill -9, the next start ends background commands that were left running", async () => {
  using s = scratch();
  await using turn = await busy(s);
  process.kill(turn.running.pid, "SIGKILL");
  await turn.running.finished;
  expect(turn.pids.map(isAlive)).toEqual([true, true]);
  expect(await s.run(["-p", "hello"])).toMatchObject({ code: 0, stderr: "" });
  expect(turn.pids.map(isAlive)).toEqual([false, false]);
  expect(readdirSync(join(s.home, ".scorel/processes"))).toEqual([]);
});

it("after a kill -9, the next start ends foreground commands and programs of skills that were left running", async () => {
  using s = scratch();
  s.file("~/.scorel/skills/stay/SKILL.md", "---\nname: stay\ndescription: Stays\n---\n\nRun stay.sh.\n");
  s.file("~/.scorel/skills/stay/stay.sh", `cd '${s.project}'; echo $$ >> pids; exec sleep 1000`);
  const program = toolCall("skill_run", { skill: "stay", command: "sh stay.sh", interactive: true });
  const command = toolCall("Bash", { command: "(echo $BASHPID >> pids; exec sleep 1000) & echo $$ >> pids; wait" });
  await using server = await startModelServer((_, index) => [program, command][index] ?? text("done"));
  s.useModel(server.baseUrl, '[sandbox]\nexecutor = "local"\n');
  const running = s.start(["-p", "hi"]);
  const pids = await left.pidsIn(join(s.project, "pids"), 3);
  process.kill(running.pid, "SIGKILL");
  await running.finished;
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  expect(await s.run(["-p", "hello"])).toMatchObject({ code: 0, stderr: "" });
  expect(pids.map(isAlive)).toEqual([false, false, false]);
  expect(readdirSync(join(s.home, ".scorel/processes"))).toEqual([]);
});

describeWith("script", "a terminal", () => {
  it.each([
    ["in the application", true],
    ["line by line", false],
  ])("says %s which work ends with the session when a person leaves", async (_, full) => {
    using s = scratch();
    const call = toolCall("Bash", { command: "sleep 1000", background: true });
    await using server = await startModelServer([[call], [text("It runs.")]]);
    s.useModel(server.baseUrl);
    await using t = terminal(s, ["--yes", "Run it."], { full });
    await t.shows("It runs.");
    t.type("/tasks\r");
    await t.shows("1. $ sleep 1000");
    t.type("/exit\r");
    await t.shows("nded with the session: $ sleep 1000");
    expect(await t.code).toBe(0);
  });
});

it("-p says which background commands have ended with the run", async () => {
  using s = scratch();
  await using server = await startModelServer([
    toolCall("Bash", { command: "sleep 100; echo done", background: true }),
    text("It runs."),
  ]);
  s.useModel(server.baseUrl);
  expect(await s.run(["-p", "hi"])).toMatchObject({
    code: 0,
    stdout: "It runs.\n",
    stderr:
      "warning: This run has ended, and with it what was running in the background: $ sleep 100; echo done. To keep such work running, use a conversation.\n",
  });
});
