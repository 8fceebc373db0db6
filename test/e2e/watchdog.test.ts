import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { eventually } from "../eventually.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { isAlive } from "../processes.ts";
import { terminal } from "./pty.ts";
import { type Running, records, scratch, writersIn } from "./scorel.ts";

const spins = "for (;;) {}";
/** Also blocks the thread, but leaves the processor to other tests. */
const waits = "for (const cell = new Int32Array(new SharedArrayBuffer(4)); ; ) Atomics.wait(cell, 0, 0, 20);";
const plugin = (members: string) => `export default { id: "wild", name: "x", version: "1", ${members} };`;
const note = (part: string) =>
  plugin(`events: { note: { schema: require("zod").z.object({}), ${part} } },
onEvent: (event, ctx) => event.type === "turn_start" ? ctx.session.append("note", {}) : undefined`);
/**
 * The places where an extension can loop, each with its source (the loop is on line 2) and the place that is reported.
 */
const places: [string, string, string][] = [
  ["in a hook", plugin(`hooks: () => ({ beforeToolCall() {\n${spins} } })`), "beforeToolCall"],
  ["in a hook, later", plugin(`hooks: () => ({ async beforeToolCall() { await null;\n${waits} } })`), "beforeToolCall"],
  [
    "in a listener",
    plugin(`onEvent(event) { if (event.type === "tool_execution_start")\n${waits} }`),
    "onEvent tool_execution_start",
  ],
  [
    "in a tool",
    plugin(`tools: () => [{ name: "spin", description: "x", parameters: { type: "object", properties: {} }, execute() {\n${waits} } }]`),
    "tool spin",
  ],
  [
    "in what a tool touches",
    plugin(`tools: () => [{ name: "spin", description: "x", parameters: { type: "object", properties: {} }, execute() {}, access() {\n${waits} } }]`),
    "access of tool spin",
  ],
  [
    "in a projection",
    plugin(`projections: { p: { over: "log", init: () => 0, update() {\n${waits} } } }, onEvent: (_event, ctx) => ctx.session.projection("p")`),
    "projection p",
  ],
  ["in a display form", note(`convertToDisplay() {\n${waits} }`), "convertToDisplay of note"],
  ["in what a model reads", note(`convertToLlm() {\n${waits} }`), "convertToLlm of note"],
  ["in activate", plugin(`activate() {\n${waits} }`), "activate"],
  ["in activate, later", plugin(`async activate() { await null;\n${waits} }`), "activate"],
  ["in a contribution", plugin(`tools() {\n${waits} }`), "tools"],
  ["in deactivate", plugin(`deactivate() {\n${waits} }`), "deactivate"],
]; // biome-ignore format: rows
/**
 * Where the watchdog first examines the thread while it runs other code. On a busy machine, the second examination is
 * late.
 */
const afterOtherWork: [string, string, string] = [
  "in a hook, after other work",
  plugin(
    `hooks: () => ({ beforeToolCall() { return Promise.resolve().then(Function("for (const end = Date.now() + 4000; Date.now() < end; );")).then(() => {\n${waits} }); } })`,
  ),
  "beforeToolCall",
];

/** A session with one turn, and a model that replies at once; the extension is added afterwards. */
async function place(source: string, { onTestFinished }: TestContext) {
  const s = scratch();
  onTestFinished(() => s[Symbol.dispose]());
  s.file("a.txt", "content of a\n");
  const calls = [
    toolCall("Read", { file_path: "a.txt" }),
    ...(source.includes('"spin"') ? [toolCall("spin", {})] : []),
  ];
  const server = await startModelServer([text("hello"), calls, text("done"), text("again")]);
  onTestFinished(() => server.close());
  s.useModel(server.baseUrl);
  await s.run(["-p", "hi"]);
  return { s, path: s.file("~/.scorel/extensions/wild.ts", source) };
}
/** Runs one more turn with the extension. */
async function turnBeside(source: string, test: TestContext) {
  const { s, path } = await place(source, test);
  return { s, path, started: s.start(["-p", "read it", "--continue", "--output", "events"]) };
}
const line = (pid: number, place: string, path: string) =>
  new RegExp(
    `plugin wild blocks the process: its code has been running for \\d+ s in ${place} \\(${path}:2\\); if it never returns, press Ctrl-C twice or end process ${pid}, and correct the file or move it away\n`,
  );

/** Checks that the report names the plugin and the place, and that the session continues without the plugin. */
async function isNamed([_where, source, place]: [string, string, string], test: TestContext) {
  const { s, path, started } = await turnBeside(source, test);
  await started.said(line(started.pid, place, path));
  started.child.kill("SIGKILL");
  await started.finished;
  const [log = ""] = s.logs();
  expect(readFileSync(log.replace(/\.jsonl$/, ".log"), "utf8")).toMatch(line(started.pid, place, path));
  expect((await s.run(["logs", basename(log, ".jsonl")])).stdout).toContain("error plugin wild blocks the process:");
  s.file("~/.scorel/extensions/wild.ts", plugin(""));
  const before = records(log);
  expect(await s.run(["-p", "and now", "--continue"])).toMatchObject({ code: 0 });
  expect(records(log).slice(0, before.length)).toEqual(before);
  expect(before.map(({ message }) => (message as { role?: string } | undefined)?.role)).toContain("assistant");
}

const named = "an extension that never returns %s is named, and no message is lost";
it.concurrent.for(places)(named, isNamed);
it.for([afterOtherWork])(named, isNamed);

it("an extension that never returns while it is loaded is named on stderr, since no session is open yet", async (test) => {
  const { s, path, started } = await turnBeside(`const code = () => {\n${waits} };\n code();\n${plugin("")}`, test);
  await started.said(line(started.pid, "code", path));
  started.child.kill("SIGKILL");
  await started.finished;
  expect(records(s.logs()[0] as string).map(({ type }) => type)).toContain("message");
});

/**
 * Sends a signal twice a second until the process ends. Several are needed for Ctrl-C, and the first ones may arrive
 * before the watchdog has started where no line of output tells that it has.
 */
async function sendUntilEnded({ child, finished }: Running, signal: NodeJS.Signals): Promise<void> {
  const sending = setInterval(() => child.kill(signal), 500);
  await finished;
  clearInterval(sending);
}

/** The places where an extension can loop forever, each with its source. */
const loops: [string, string][] = [
  ["while it is loaded", `console.log("loops");\n${waits}\nexport default {};`],
  ["in a hook", plugin(`hooks: () => ({ beforeToolCall() { console.log("loops");\n${waits} } })`)],
  ["in a promise", plugin(`hooks: () => ({ async beforeToolCall() { console.log("loops"); for (;;) await null; } })`)],
];
const ends: [string, number, NodeJS.Signals][] = [
  ["SIGTERM", 143, "SIGTERM"],
  ["a second Ctrl-C", 130, "SIGINT"],
  ["the end of its terminal", 129, "SIGHUP"],
];

describe.each(loops)("an extension that loops forever %s", (_where, source) => {
  it.concurrent.for(ends)("ends on %s", async ([_how, code, signal], test) => {
    const { started } = await turnBeside(source, test);
    // The watchdog handles signals by now, and has already interrupted the main thread once.
    await started.said("blocks the process");
    await sendUntilEnded(started, signal);
    expect(await started.finished).toMatchObject({ code, signal: null, stderr: expect.stringContaining("loops") });
  });
});

it("an extension that blocks where the debugger cannot interrupt it is killed", async (test) => {
  const stuck = `require("child_process").execFileSync("mkfifo", ["never"]); require("fs").readFileSync("never");`;
  const { started } = await turnBeside(plugin(`activate() { console.log("loops"); ${stuck} }`), test);
  await started.said("loops");
  await sendUntilEnded(started, "SIGTERM");
  expect(await started.finished).toMatchObject({ code: null, signal: "SIGKILL" });
});

describeWith("script", "in a conversation, an extension that loops forever", () => {
  const looping = plugin('hooks: () => ({ beforeToolCall() { console.log("loops");\nfor (;;) {} } })');

  it("ends on the second Ctrl-C", async (test) => {
    const { s } = await place(looping, test);
    await using t = terminal(s, ["--yes"]);
    await t.shows("> ");
    t.type("read it\r");
    await t.shows("loops");
    t.type("\x03\x03");
    expect(await t.code).toBe(130);
  });

  it("ends when its terminal is closed", async (test) => {
    const { s } = await place(looping, test);
    await using t = terminal(s, ["--yes"]);
    await t.shows("> ");
    t.type("read it\r");
    await t.shows("loops");
    const [pid = 0] = writersIn(s);
    await t[Symbol.asyncDispose]();
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });

  it("that continues after all receives the text that was typed meanwhile", async (test) => {
    const long = plugin(`hooks: () => ({ beforeToolCall() { console.log("loops");
for (const end = Date.now() + 5_000; Date.now() < end; ); } })`);
    const { s } = await place(long, test);
    await using t = terminal(s, ["--yes"]);
    await t.shows("> ");
    t.type("read it\r");
    await t.shows("loops");
    t.type("and this");
    await t.shows("blocks the process");
    await t.shows("> and this");
  });
});
