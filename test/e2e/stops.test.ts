import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { eventually } from "../eventually.ts";
import {
  delayUntil,
  gate,
  type ModelServer,
  type Part,
  type RecordedRequest,
  startModelServer,
  text,
  toolCall,
  usage,
} from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { isAlive, startedProcesses } from "../processes.ts";
import { terminal } from "./pty.ts";
import { type Running, type Scratch, scratch, writersIn } from "./scorel.ts";

const left = startedProcesses();
/** A call that no rule allows; it runs only if there are no guards. */
const forbidden = toolCall("Bash", { command: "touch F" });
const bash = (command: string, more: object = {}) => toolCall("Bash", { command, ...more });
/** Appends its pid to the file `pids`, and keeps running. */
const staying = "echo $$ >> pids; exec sleep 1000";
const isSummary = ({ text: sent }: RecordedRequest) => sent.includes("Write a summary of the conversation above");
const isDelta = (line: string) => line.includes('"text_delta"');

/** The work that is running when the signal arrives. */
interface Phase {
  /** The replies of the model; `end` is opened only after the test. */
  reply: (end: Promise<void>, request: RecordedRequest) => Part[];
  /** The number of commands that have written their pids to `pids` by then. */
  commands?: number;
  /** Resolves when the phase has begun; needed if `commands` does not show this. */
  begun?: (running: Running, server: ModelServer) => Promise<unknown>;
  prepare?: (s: Scratch) => unknown;
  config?: string;
  /** Whether the run continues the session that `prepare` created. */
  resumes?: boolean;
}

/** An extension that waits in this hook and reports that it does. */
const waitingIn =
  (hook: string, more = "") =>
  (s: Scratch) =>
    s.file(
      "~/.scorel/extensions/slow.ts",
      `export default { id: "slow", name: "x", version: "1", hooks: () => ({
      ${hook}: { limit: false, ${more} handler: () => (console.log("waits"), new Promise((done) => setTimeout(done, 1e8))) },
    }) };`,
    );
const waits = (running: Running) => running.said("waits");

const phases: Record<string, Phase> = {
  "a command": { reply: () => [bash(staying)], commands: 1 },
  "a command and what left its group": { reply: () => [bash(`setsid sh -c '${staying}' & ${staying}`)], commands: 2 },
  "a reply": {
    reply: (end) => [text("so far"), delayUntil(end), forbidden],
    begun: (running) => running.line(isDelta),
  },
  "a command in the background": {
    reply: (end, { body }) =>
      body.messages.at(-1).role === "tool"
        ? [text("it runs"), delayUntil(end), forbidden]
        : [bash(staying, { background: true })],
    begun: (running) => running.line(isDelta),
    commands: 1,
  },
  "a hook": { reply: () => [bash("true")], prepare: waitingIn("beforeToolCall"), begun: waits },
  "a guard": { reply: () => [bash("true")], prepare: waitingIn("approveToolCall", "critical: true,"), begun: waits },
  "a guard that keeps the process busy": {
    reply: () => [bash("echo ran > F")],
    prepare: (s) =>
      s.file(
        "~/.scorel/extensions/busy.ts",
        `export default { id: "busy", name: "x", version: "1", hooks: () => ({ approveToolCall() {
          console.log("waits");
          for (const end = Date.now() + 1500; Date.now() < end; );
        } }) };`,
      ),
    begun: waits,
  },
  "a summary of the conversation": {
    reply: (end, request) =>
      isSummary(request)
        ? [text("so far"), delayUntil(end)]
        : [text("word ".repeat(20_000)), usage({ input: 2_000, output: 25_000 })],
    prepare: (s) => s.run(["-p", "one"]),
    resumes: true,
    config: "[compaction]\nthreshold = 15000\nkeep = 100\n",
    begun: async (_, server) => {
      for (let at = 0; !isSummary(await server.request(at)); at++);
    },
  },
  "a skill's program": {
    reply: (end, { body }) =>
      body.messages.at(-1).role === "tool"
        ? [text("it asks"), delayUntil(end), forbidden]
        : [toolCall("skill_run", { skill: "stay", command: "sh stay.sh", interactive: true })],
    prepare(s) {
      s.file("~/.scorel/skills/stay/SKILL.md", "---\nname: stay\ndescription: Stays\n---\n\nRun stay.sh.\n");
      s.file("~/.scorel/skills/stay/stay.sh", `cd '${s.project}'; ${staying}`);
    },
    config: '[sandbox]\nexecutor = "local"\n',
    begun: (running) => running.line(isDelta),
    commands: 1,
  },
};

/** A home whose model answers the second and later requests with a call that every guard denies. */
async function place(phase: Phase, { onTestFinished }: TestContext) {
  const s = scratch();
  onTestFinished(() => s[Symbol.dispose]());
  const end = gate();
  let stopped = false;
  const server = await startModelServer((request) => (stopped ? forbidden : phase.reply(end.promise, request)));
  onTestFinished(async () => {
    end.open();
    await server.close();
  });
  s.useModel(server.baseUrl, `[permissions]\nmode = "full"\ndeny = ["Bash(touch *)"]\n${phase.config ?? ""}`);
  await phase.prepare?.(s);
  const stop = (pid: number, signal: NodeJS.Signals) => {
    stopped = true;
    process.kill(pid, signal);
    return server.requests.length;
  };
  return { s, server, stop };
}

/**
 * Everything that must not happen after a stop: further requests, commands that keep running, effects of a denied call.
 */
function leftBy(s: Scratch, server: ModelServer, before: number, pids: readonly number[]) {
  return {
    requests: server.requests.length - before,
    alive: pids.filter(isAlive),
    touched: existsSync(join(s.project, "F")),
  };
}
const nothing = { requests: 0, alive: [], touched: false };

const SIGNALS = [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
] as const;

describe.each(Object.keys(phases))("during %s", (name) => {
  it.for(SIGNALS)("%s ends everything that runs, and no further request is sent", async ([signal, code], test) => {
    const phase = phases[name] as Phase;
    const { s, server, stop } = await place(phase, test);
    const running = s.start(["-p", "hi", ...(phase.resumes ? ["--continue"] : []), "--output", "events"], {
      guarded: true,
    });
    await phase.begun?.(running, server);
    const pids = phase.commands ? await left.pidsIn(join(s.project, "pids"), phase.commands) : [];
    const before = stop(running.pid, signal);
    const finished = await running.finished;
    expect({ code: finished.code, left: leftBy(s, server, before, pids) }).toEqual({ code, left: nothing });
  });
});

describeWith("script", "in a terminal", () => {
  const asking: Phase = { reply: () => [bash("echo x > made")], config: '[sandbox]\nexecutor = "local"\n' };

  it.for([...SIGNALS, ["its end", null]] as const)("%s ends a turn that asks a person", async ([signal], test) => {
    const { s, server, stop } = await place(asking, test);
    await using t = terminal(s, ["--permission", "ask"]);
    await t.shows("> ");
    t.type("hi\r");
    await t.shows("Run this command?");
    const [pid = 0] = writersIn(s);
    left.add(pid);
    const before = signal === "its end" ? server.requests.length : stop(pid, signal);
    if (signal === "its end") await t[Symbol.asyncDispose]();
    await eventually(() => expect(isAlive(pid)).toBe(false));
    expect(leftBy(s, server, before, [pid])).toEqual(nothing);
  });

  it("closing it ends a running command, and no further request is sent", async (test) => {
    const { s, server } = await place({ reply: () => [bash(staying)], commands: 1 }, test);
    await using t = terminal(s, ["--permission", "full"]);
    await t.shows("> ");
    t.type("hi\r");
    const pids = await left.pidsIn(join(s.project, "pids"), 1);
    const [pid = 0] = writersIn(s);
    left.add(pid);
    const before = server.requests.length;
    await t[Symbol.asyncDispose]();
    await eventually(() => expect(isAlive(pid)).toBe(false));
    expect(leftBy(s, server, before, pids)).toEqual(nothing);
  });
});
