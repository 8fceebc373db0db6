import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

/** A file with a plugin whose member is on line 2. */
const extension = (member: string) => `export default { id: "wild", name: "Wild", version: "1.0.0",
${member}
};
`;
/** Runs `body` in a layer that runs once in each turn. */
const inHook = (body: string) => extension(`hooks: () => ({ beforeToolCall: async () => { ${body} } })`);

/** Runs a turn with one tool call and the extension; returns the output. */
async function turnWith(source: string, { output = "json", id = "wild" } = {}) {
  using s = scratch();
  s.file("a.txt", "content of a\n");
  const path = s.file(`~/.scorel/extensions/${id}.ts`, source);
  await using server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), text("done")]);
  s.useModel(server.baseUrl);
  const run = await s.run(["-p", "read it", "--output", output]);
  const said = JSON.stringify(server.requests[1]?.body.messages);
  return { ...run, said, stderr: run.stderr.replaceAll(path, `${id}.ts`) };
}
async function wholeTurnWith(source: string): Promise<string> {
  const run = await turnWith(source);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ text: "done", stopReason: "stop" });
  expect(run.said).toContain("content of a");
  return run.stderr;
}
const failed = (where: string, message: string, line = 2) =>
  `warning: Plugin "wild" failed in ${where}: ${message} (wild.ts:${line})`;
const later = "await new Promise((done) => setTimeout(done, 50));";

describe("an extension that tries to control the process", () => {
  it.each([
    ["process.exit()", "process.exit(7)"],
    ["process.reallyExit()", "process.reallyExit(7)"],
    ["process.abort()", "process.abort()"],
    ["process.chdir()", 'process.chdir("/")'],
    ["process.kill() of this process", 'process.kill(process.pid, "SIGKILL")'],
  ])("may not use %s, and is named with file and line", async (call, code) => {
    const stderr = await wholeTurnWith(inHook(code));
    expect(stderr).toContain(`warning: Plugin "wild" failed in beforeToolCall: ${call} is refused`);
    expect(stderr).toContain("(wild.ts:2)");
  });

  it("may not call process.exit() while it is loaded, and is left out", async () => {
    const stderr = await wholeTurnWith(`process.exit(7);\n${extension("")}`);
    expect(stderr).toContain('warning: Extension "wild" is left out: process.exit() is refused');
    expect(stderr).toContain("wild.ts:1");
  });

  it("may not call it from code whose stack contains no file", async () => {
    const stderr = await wholeTurnWith(inHook(`setTimeout(process.exit, 1, 7); ${later}`));
    expect(stderr).toContain("one of the extensions wild failed in a timer or callback: process.exit() is refused");
  });

  it("cannot keep the command from ending with its own exit code", async () => {
    const run = await turnWith(extension('activate() { process.on("exit", () => { throw new Error("stay"); }); }'));
    expect([run.code, JSON.parse(run.stdout).text]).toEqual([0, "done"]);
  });
});

describe("an uncaught error", () => {
  it.each([
    ["a throw in a timer", 'setTimeout(() => { throw new Error("tick"); }, 1)', "a timer or callback", "tick"],
    ["a dropped promise", 'void Promise.reject(new Error("lost"))', "a promise that nobody awaits", "lost"],
  ])("%s is reported with its extension, and the turn goes on", async (_what, code, where, message) => {
    expect(await wholeTurnWith(inHook(`${code}; ${later}`))).toContain(failed(where, message));
  });

  it.each([
    ["null", "setTimeout(() => { throw null; }, 1)", "thrown value: null"],
    ["an event that nobody hears", 'require("node:fs").createReadStream("/nowhere")', "ENOENT"],
  ])("%s is reported without a line, and the turn goes on", async (_what, code, message) => {
    const stderr = await wholeTurnWith(inHook(`${code}; ${later}`));
    expect(stderr).toContain("one of the extensions wild failed in a timer or callback:");
    expect(stderr).toContain(message);
  });

  it("is reported with its extension even after its session was closed", async () => {
    const source = extension(
      'deactivate() { setTimeout(() => { throw new Error("left"); }, 0); return new Promise((done) => setTimeout(done, 20)); }',
    );
    expect(await wholeTurnWith(source)).toContain("left (wild.ts:2)");
  });
});

describe("output of an extension", () => {
  const prints = [
    'console.log("one\\ntwo")',
    "console.info({ a: 1 })",
    "console.table([1])",
    'process.stdout.write("raw")',
  ];
  it.each(prints)("%s goes to stderr with the extension's name, and stdout stays valid JSON", async (code) => {
    const stderr = await wholeTurnWith(inHook(code));
    expect(stderr).toContain("[wild] ");
  });

  it("does not break the lines of --output events", async () => {
    const run = await turnWith(extension('onEvent(event) { console.log(event.type); process.stdout.write("{"); }'), {
      output: "events",
    });
    const types = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect([run.code, types]).toEqual([0, expect.arrayContaining(["message", "runtime_end"])]);
    expect(run.stderr).toContain("[wild] runtime_start\n");
  });
});

describe("an extension that changes built-in prototypes", () => {
  it.each([
    ["Object", "Object.prototype.isError = true"],
    ["Array", "Array.prototype.isError = true"],
    ["Function", "Function.prototype.isError = true"],
    ["Object, by a name in data", "const { __proto__: p } = {}; p.isError = true"],
  ])("fails: %s", async (_what, code) => {
    expect(await wholeTurnWith(inHook(code))).toContain(
      failed("beforeToolCall", "Cannot add property isError, object is not extensible"),
    );
  });
});
