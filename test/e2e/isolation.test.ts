import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const extension = (member: string, before = "") => `
import { z } from "zod";
${before}
const boom = () => { throw new Error("boom in the extension"); };
export default { id: "broken", name: "Broken", version: "1.0.0", needs: ["agent"], ${member} };
`;
const row = "note: { schema: z.object({ text: z.string() })";
const appendsNote =
  'onEvent(event, ctx) { if (event.type === "turn_start") return ctx.session.append("note", { text: "hi" }); }';

/** Where an extension can throw -> its source, and the place that the report names. */
const positions: [string, string, string][] = [
  ["while it is loaded", extension("", "throw new Error('boom in the extension');"), "broken.ts:3"],
  ["as a function", 'export default () => { throw new Error("boom in the extension"); };', "broken.ts"],
  ["in activate", extension("activate: boom"), "start"],
  ["in activate, later", extension("activate: async () => { await null; boom(); }"), "start"],
  ["in tools", extension("tools: boom"), "tools"],
  ["in hooks", extension("hooks: boom"), "start"],
  ["in beforeToolCall", extension("hooks: () => ({ beforeToolCall: boom })"), "beforeToolCall"],
  ["in afterToolCall", extension("hooks: () => ({ afterToolCall: boom })"), "afterToolCall"],
  ["in transformContext", extension("hooks: () => ({ transformContext: boom })"), "transformContext"],
  ["in convertToLlm", extension("hooks: () => ({ convertToLlm: boom })"), "convertToLlm"],
  ["in onEvent", extension("onEvent: boom"), "onEvent"],
  ["in a listener of the agent", extension("activate(ctx) { ctx.agent.subscribe(boom); }"), "agent.subscribe"],
  ["in deactivate", extension("deactivate: boom"), "dispose"],
  [
    "in a display form",
    extension(`events: { ${row}, convertToDisplay: boom } }, ${appendsNote}`),
    "convertToDisplay of note",
  ],
  ["in a conversion", extension(`events: { ${row}, convertToLlm: boom } }, ${appendsNote}`), "convertToLlm of note"],
  [
    "in a projection",
    extension(`projections: { counted: { over: "log", init: () => 0, update: boom } }`),
    "projection counted",
  ],
];

describe("an extension that throws", () => {
  it.each(positions)("%s is reported, and the turn succeeds", async (_where, source, place) => {
    using s = scratch();
    s.file("a.txt", "content of a\n");
    s.file("~/.scorel/extensions/broken.ts", source);
    await using server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), text("done")]);
    s.useModel(server.baseUrl);
    const run = await s.run(["-p", "read it", "--output", "json"]);
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ text: "done", stopReason: "stop" });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("content of a");
    expect(run.stderr).toContain("broken");
    expect(run.stderr).toContain(place);
    expect(run.stderr).toContain("boom in the extension");
  });
});

it("in a tool causes an error result for the model", async () => {
  using s = scratch();
  const tool = '{ name: "fail", label: "fail", description: "Fails", parameters: z.object({}), execute: boom }';
  s.file("~/.scorel/extensions/broken.ts", extension(`tools: () => [${tool}]`));
  await using server = await startModelServer([toolCall("fail", {}), text("done")]);
  s.useModel(server.baseUrl);
  expect(await s.run(["-p", "fail"])).toMatchObject({ code: 0, stdout: "done\n" });
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "boom in the extension" });
});

it("in a slash command, or while commands are collected, leaves the conversation running", async () => {
  using s = scratch();
  s.file("~/.scorel/extensions/broken.ts", extension("commands: boom"));
  s.file(
    "~/.scorel/extensions/works.ts",
    extension("commands: () => ({ fail: { run: boom } })").replaceAll("broken", "works"),
  );
  await using server = await startModelServer([text("hello")]);
  s.useModel(server.baseUrl);
  const chat = await s.run(["chat"], { input: "/fail\nhi\n" });
  expect(chat).toMatchObject({ code: 0, stderr: "" });
  expect(chat.stdout).toContain('warning: Plugin "broken" failed in commands: boom in the extension');
  expect(chat.stdout).toContain("boom in the extension\n");
  expect(chat.stdout).toContain("hello\n");
});
