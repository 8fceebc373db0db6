import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { type Part, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { startedProcesses } from "../processes.ts";
import { fullScreen, typingOver } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const STOPPED = "Stopped: Scorel ended while this ran; its result is unknown.";
const NOT_RUN = "Not run: Scorel ended while it was asked whether this may run.";
const VOID = "Scorel stopped while it was asking you. Ask again if it is still needed.";
const started = startedProcesses();

/** A model that makes one call and repeats its result. */
async function modelThat(call: Part) {
  const s = scratch();
  const server = await startModelServer(({ body }) => {
    const said = body.messages.findLast(({ role }: { role: string }) => role === "tool");
    return said === undefined ? call : text(`It says: ${String(said.content).slice(0, 60)}`);
  });
  s.useModel(server.baseUrl);
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { server, [Symbol.asyncDispose]: dispose });
}

/** Kills the process that has the session open. */
function killOwner(s: Scratch): void {
  const folder = join(s.home, ".scorel/sessions");
  const lock = readdirSync(folder).find((name) => name.endsWith(".lock")) as string;
  process.kill((JSON.parse(readFileSync(join(folder, lock), "utf8")) as { pid: number }).pid, "SIGKILL");
}

const sleeping = toolCall("Bash", { command: "echo $$ >> pids; exec sleep 600" });
/** The output of read-only commands for the only session; its log must stay unchanged. */
async function read(s: Scratch): Promise<Record<"show" | "context" | "export", string>> {
  const [log] = s.logs() as [string];
  const before = readFileSync(log, "utf8");
  const run = async (command: string) => (await s.run(["session", command, basename(log, ".jsonl")])).stdout;
  const printed = { show: await run("show"), context: await run("context"), export: await run("export") };
  expect(readFileSync(log, "utf8")).toBe(before);
  return printed;
}
const results = (s: Scratch) =>
  s
    .logs()
    .flatMap((log) => records(log))
    .map(({ message }) => message as { role: string } | undefined)
    .filter((message) => message?.role === "tool_result");

describeWith("script", "a conversation whose process was killed", () => {
  it("shows the command that ran, wherever it is read, and the model reads the same", async () => {
    await using s = await modelThat(sleeping);
    {
      await using killed = fullScreen(s, ["--permission", "full"], { columns: 100 });
      await killed.shows("full · scripted-model");
      killed.type("do it\r");
      await started.pidsIn(join(s.project, "pids"), 1);
      killOwner(s);
      await killed.code;
    }
    expect(results(s)).toEqual([]);
    const unopened = await read(s);
    for (const text of Object.values(unopened)) expect(text.split(STOPPED)).toHaveLength(2);
    {
      await using t = fullScreen(s, ["--continue"], { columns: 100 });
      await t.shows(STOPPED);
      expect(t.screen.text()).toMatch(/✗ \$ echo \$\$ >> pids; exec sleep 600/);
      expect(t.screen.text()).not.toContain(VOID);
      t.type("go on\r");
      await t.shows("It says: Stopped: Scorel ended");
      t.type("/quit\r");
      await t.code;
    }
    expect(results(s)).toMatchObject([{ isError: true, content: [{ text: expect.stringContaining(STOPPED) }] }]);
    await using t = terminal(s, ["--continue"]);
    await t.shows("failed: $ echo $$ >> pids");
    await t.shows(STOPPED);
    for (const text of Object.values(await read(s))) expect(text).toContain(STOPPED);
    t.type("/quit\r");
    await t.code;
  });

  it("shows a command that runs in another process as running", async () => {
    await using s = await modelThat(sleeping);
    await using t = fullScreen(s, ["--permission", "full"], { columns: 100 });
    await t.shows("full · scripted-model");
    t.type("do it\r");
    await started.pidsIn(join(s.project, "pids"), 1);
    for (const text of Object.values(await read(s))) expect(text).not.toContain("Stopped: Scorel");
    t.type("\u001b");
    await t.shows("Interrupted.");
    t.type("\u0004");
    await t.code;
  });

  it("asks the open question again, and continues with its answer", async () => {
    await using s = await modelThat(toolCall("Bash", { command: "touch made" }));
    const host = s.start(["host", "serve", "--foreground"]);
    await host.line((line) => line.startsWith("socket: "));
    {
      await using asked = fullScreen(s, [], { columns: 100 });
      await asked.shows("ask · scripted-model");
      asked.type("do it\r");
      await asked.shows("always in this project");
      host.child.kill("SIGKILL");
      await host.finished;
      await asked.shows("no connection to the host");
    }
    const unopened = await read(s);
    for (const text of Object.values(unopened)) expect(text).toContain(NOT_RUN);
    for (const text of Object.values(unopened)) expect(text).not.toContain("void");
    await using t = fullScreen(s, ["--continue"], { columns: 100 });
    await t.shows("always in this project");
    expect(readdirSync(s.project)).not.toContain("made");
    await typingOver();
    t.type("y");
    await t.shows("It says: ");
    expect(readdirSync(s.project)).toContain("made");
    t.type("/quit\r");
    await t.code;
    expect(results(s)).toMatchObject([{ isError: false }]);
  });

  it("does so in a plain conversation", async () => {
    await using s = await modelThat(toolCall("Bash", { command: "touch made" }));
    {
      await using asked = terminal(s);
      await asked.shows("> ");
      asked.type("do it\r");
      await asked.shows("always in this project");
      killOwner(s);
      await asked.code;
    }
    await using t = terminal(s, ["--continue"]);
    await t.shows("always in this project");
    await t.shows("n] ");
    t.type("y\r");
    await t.shows("It says: ");
    expect(readdirSync(s.project)).toContain("made");
    t.type("/quit\r");
    await t.code;
    expect(results(s)).toMatchObject([{ isError: false }]);
  });
});
