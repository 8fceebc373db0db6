import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { startModelServer, text, thinking, toolCall, usage } from "../model-server.ts";
import { editor, type TestEditor } from "./acp-editor.ts";
import { modelTable, type Scratch, scratch } from "./scorel.ts";

const kinds = (e: TestEditor, session: string) =>
  e.updates.filter(({ sessionId }) => sessionId === session).map(({ update }) => update.sessionUpdate);

/** Creates a session with a question, thinking, a plan, an edit, and an answer; returns its id. */
async function talked(s: Scratch): Promise<string> {
  s.file("a.txt", "one\n");
  await using model = await startModelServer([
    [thinking("Hm."), text("I edit. "), toolCall("Read", { file_path: "a.txt" })],
    toolCall("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
    toolCall("TodoWrite", { todos: [{ content: "Edit", status: "completed" }] }),
    [text("Done."), usage({ input: 1000, output: 50 })],
  ]);
  s.useModel(model.baseUrl, "cost = { input = 1, output = 2 }\n");
  await using e = await editor(s);
  const session = await e.open();
  await e.prompt(session, "edit a.txt");
  await e.update((update) => update.sessionUpdate === "usage_update" && update.used > 1000);
  return session;
}

it("a stored session is listed, and loaded with all of its messages and calls", async () => {
  using s = scratch();
  const session = await talked(s);
  await using e = await editor(s);
  const { sessions } = await e.agent.request("session/list", { cwd: s.project });
  expect(sessions).toEqual([
    { sessionId: session, cwd: s.project, title: "edit a.txt", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  const loaded = await e.agent.request("session/load", { sessionId: session, cwd: s.project, mcpServers: [] });
  expect(loaded.modes?.currentModeId).toBe("ask");
  expect(kinds(e, session)).toEqual([
    "user_message_chunk",
    "agent_thought_chunk",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "tool_call",
    "tool_call_update",
    "plan",
    "agent_message_chunk",
  ]);
  expect(e.said(session)).toBe("I edit. Done.");
  const updates = e.updates.map(({ update }) => update);
  expect(updates[6]).toMatchObject({
    status: "completed",
    content: [{ type: "diff", oldText: "one", newText: "two" }],
  });
  expect(updates[7]).toMatchObject({ entries: [{ content: "Edit", status: "completed", priority: "medium" }] });
  expect(await e.update(({ sessionUpdate }) => sessionUpdate === "usage_update")).toMatchObject({
    size: 128_000,
    cost: { currency: "USD", amount: expect.closeTo(0.00116, 5) },
  });
});

it("rewound messages are not loaded, and a resumed session is not sent again", async () => {
  using s = scratch();
  const session = await talked(s);
  await using model = await startModelServer([text("Again.")]);
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  const known = { sessionId: session, cwd: s.project, mcpServers: [] };
  await e.agent.request("session/resume", known);
  expect(await e.prompt(session, "/undo")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toContain("edit a.txt");
  await e.prompt(session, "edit it again");
  expect(kinds(e, session)).not.toContain("user_message_chunk");
  await e.agent.request("session/close", { sessionId: session });
  const before = e.updates.length;
  await e.agent.request("session/load", known);
  const said = e.updates.slice(before).map(({ update }) => ("content" in update ? update.content : undefined));
  expect(said.filter(Boolean)).toMatchObject([{ text: "edit it again" }, { text: "Again." }]);
  await expect(e.agent.request("session/load", known)).rejects.toThrow(/is already open here/);
});

it("a session is deleted, and one that does not exist is not found", async () => {
  using s = scratch();
  const session = await talked(s);
  await using e = await editor(s);
  const load = (sessionId: string) => e.agent.request("session/load", { sessionId, cwd: s.project, mcpServers: [] });
  await expect(load(session.slice(0, 6))).rejects.toMatchObject({ code: -32002 });
  await load(session);
  await e.agent.request("session/delete", { sessionId: session });
  expect((await e.agent.request("session/list", {})).sessions).toEqual([]);
  await expect(load(session)).rejects.toMatchObject({ code: -32002 });
  await expect(e.agent.request("session/list", { cursor: "x" })).rejects.toThrow('"x" is not a cursor');
});

it("modes, models and thinking are options, and the editor is told of every change", async () => {
  using s = scratch();
  await using model = await startModelServer([text("Hello.")]);
  s.useModel(
    model.baseUrl,
    `reasoning = true\n[models.second]\n${modelTable(model.baseUrl).replace("[model]\n", "").replace("scripted-model", "second-model")}`,
  );
  await using e = await editor(s);
  const { sessionId, modes, configOptions } = await e.agent.request("session/new", { cwd: s.project, mcpServers: [] });
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(["ask", "edits", "full", "plan"]);
  expect(configOptions?.map(({ id, category, currentValue }) => [id, category, currentValue])).toEqual([
    ["mode", "mode", "ask"],
    ["model", "model", "scripted/scripted-model"],
    ["thinking", "thought_level", "off"],
  ]);
  const set = (configId: string, value: string) =>
    e.agent.request("session/set_config_option", { sessionId, configId, value });
  expect((await set("thinking", "high")).configOptions.at(-1)?.currentValue).toBe("high");
  await e.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  await e.update((update) => update.sessionUpdate === "current_mode_update" && update.currentModeId === "plan");
  const changed = await set("model", "scripted/second-model");
  expect(changed.configOptions.map(({ currentValue }) => currentValue)).toEqual(["plan", "scripted/second-model"]);
  await e.prompt(sessionId, "/permission edits");
  await e.update((update) => update.sessionUpdate === "current_mode_update" && update.currentModeId === "edits");
  await e.prompt(sessionId, "hi");
  expect(model.requests[0]?.body.model).toBe("second-model");
  await expect(set("colour", "red")).rejects.toThrow('There is no option "colour"');
  await expect(set("mode", "anything")).rejects.toThrow('has no value "anything"');
});

it("slash commands are offered and run when they are typed, and a failing one says why", async () => {
  using s = scratch();
  s.file("~/.scorel/commands/greet.md", "---\ndescription: Greets\n---\nGreet $ARGUMENTS.\n");
  await using model = await startModelServer([text("Make room.")]);
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  const session = await e.open();
  const offered = await e.update(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
  const { availableCommands } = offered as Extract<typeof offered, { sessionUpdate: "available_commands_update" }>;
  const names = availableCommands.map(({ name }) => name);
  expect(names).toContain("cost");
  expect(names).not.toContain("exit");
  await e.prompt(session, "/name The greeting");
  await e.update((update) => update.sessionUpdate === "session_info_update" && update.title === "The greeting");
  expect(await e.prompt(session, "/permission sideways")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toContain("sideways");
  expect(model.requests).toHaveLength(0);
  const before = e.said(session).length;
  expect(await e.prompt(session, "/tmp is full")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session).slice(before)).toBe(
    "There is no slash command /tmp in this session, so the model gets it as text.\n\nMake room.",
  );
  expect(model.requests[0]?.body.messages.at(-1).content).toBe("/tmp is full");
});

it("two editors share a session: each sees the other's messages, and either answers a question", async () => {
  using s = scratch();
  await using model = await startModelServer([
    [text("I make it. "), toolCall("Bash", { command: "touch a.txt" })],
    text("Done."),
    text("Hi."),
  ]);
  s.useModel(model.baseUrl);
  const never = new Promise<string>(() => {});
  await using first = await editor(s, { choose: () => never });
  const session = await first.open();
  const answered = first.prompt(session, "go");
  await eventually(() => expect(first.asked).toHaveLength(1));
  await using second = await editor(s);
  await second.agent.request("session/load", { sessionId: session, cwd: s.project, mcpServers: [] });
  expect(await answered).toEqual({ stopReason: "end_turn" });
  await eventually(() => expect([first.withdrawn.length, second.said(session)]).toEqual([1, "I make it. Done."]));
  expect(existsSync(join(s.project, "a.txt"))).toBe(true);
  await second.prompt(session, "hello from there");
  const said = await first.update((update) => update.sessionUpdate === "user_message_chunk");
  expect(said).toMatchObject({ content: { text: "hello from there" } });
  expect(first.said(session)).toBe("I make it. Done.Hi.");
});

it("a plugin's question for text is a form, or else gets its default", async () => {
  using s = scratch();
  s.file(
    "~/.scorel/extensions/asker.ts",
    `export default { id: "asker", name: "asker", version: "1.0.0", needs: ["ui"],
  commands: (ctx: any) => ({ ask: { run: async () => "Named " + (await ctx.ui.input("Name it", { default: "none" })) } }) };\n`,
  );
  s.useModel("http://127.0.0.1:9/v1");
  {
    await using e = await editor(s, { can: { elicitation: { form: {} } }, fill: () => ({ answer: "cart" }) });
    const session = await e.open();
    await e.prompt(session, "/ask");
    expect(e.said(session)).toBe("Named cart");
  }
  await using e = await editor(s, { choose: ({ options }) => options[0]?.optionId ?? null });
  const session = await e.open();
  await e.prompt(session, "/ask");
  expect([e.said(session), e.asked[0]?.toolCall.title]).toEqual(["Named none", "Name it"]);
});
