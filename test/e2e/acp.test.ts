import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, hang, startModelServer, status, text, thinking, toolCall } from "../model-server.ts";
import { editor } from "./acp-editor.ts";
import { records, scratch } from "./scorel.ts";

/** The smallest PNG. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it("an editor gets the answer, the model's thinking, and each call with its changes", async () => {
  using s = scratch();
  s.file("cart.js", "let total = 1;\nexport { total };\n");
  await using model = await startModelServer([
    [thinking("Look first."), text("I look. ", 3), toolCall("Read", { file_path: "cart.js" })],
    toolCall("Edit", { file_path: "cart.js", old_string: "1", new_string: "2" }),
    toolCall("Bash", { command: "cat cart.js" }),
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  expect(e.introduced).toMatchObject({ protocolVersion: 1, agentInfo: { name: "scorel" } });
  const session = await e.open();
  expect(await e.prompt(session, "repair it")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toBe("I look. Done.");
  const path = join(s.project, "cart.js");
  const calls = e.updates
    .map(({ update }) => update)
    .filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
  const [read] = calls;
  expect(read).toMatchObject({ kind: "read", status: "pending", title: "Read cart.js", locations: [{ path }] });
  const ended = calls.filter((call) => "status" in call && call.status === "completed");
  expect(ended).toMatchObject([
    { content: [{ type: "content" }] },
    {
      content: [
        { type: "diff", path, oldText: expect.stringContaining("= 1;"), newText: expect.stringContaining("= 2;") },
      ],
    },
    { title: "$ cat cart.js", content: [{ content: { text: expect.stringMatching(/^```\nlet total = 2;/) } }] },
  ]);
  expect(e.updates).toContainEqual({
    sessionId: session,
    update: expect.objectContaining({
      sessionUpdate: "agent_thought_chunk",
      content: { type: "text", text: "Look first." },
    }),
  });
  expect((await e.leave()).code).toBe(0);
});

it("a call that needs permission is asked about with what it changes, and each answer does what it says", async () => {
  using s = scratch();
  const write = (name: string) => toolCall("Write", { file_path: name, content: "new\n" });
  await using model = await startModelServer([
    [write("a.txt")],
    [write("b.txt")],
    [toolCall("Bash", { command: "touch c.txt" })],
    [toolCall("Bash", { command: "touch d.txt" })],
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  const answers = ["m", null, "n"];
  await using e = await editor(s, { choose: () => answers.shift() ?? null });
  const session = await e.open();
  await e.prompt(session, "go");
  expect(e.asked.map(({ toolCall: call }) => call.title)).toEqual(["Write a.txt", "$ touch c.txt", "$ touch d.txt"]);
  const [first] = e.asked;
  expect(first?.options.map(({ kind }) => kind)).toEqual([
    "allow_once",
    "allow_always",
    "allow_always",
    "allow_always",
    "reject_once",
  ]);
  expect(first?.toolCall.content).toEqual([
    { type: "diff", path: join(s.project, "a.txt"), oldText: "", newText: "new" },
  ]);
  const made = ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => existsSync(join(s.project, name)));
  expect(made).toEqual([true, true, false, false]);
  const failed = e.updates.filter(({ update }) => "status" in update && update.status === "failed");
  expect(failed).toHaveLength(2);
});

it("a prompt can contain images, links to files and texts of the editor", async () => {
  using s = scratch();
  s.file("notes (old).md", "canary-of-the-notes");
  await using model = await startModelServer([text("Seen."), text("Seen.")]);
  s.useModel(model.baseUrl, 'input = ["text", "image"]\n');
  await using e = await editor(s);
  const session = await e.open();
  const uri = `file://${encodeURI(join(s.project, "notes (old).md"))}`;
  await e.prompt(session, [
    { type: "text", text: "Compare" },
    { type: "resource_link", uri, name: "notes" },
    { type: "text", text: " with this @secret.txt." },
    { type: "resource", resource: { uri: "file:///tmp/buffer.ts", text: "unsaved @other.txt" } },
    { type: "image", data: PNG, mimeType: "image/png" },
  ]);
  const sent = JSON.stringify(model.requests[0]?.body.messages);
  for (const part of ["canary-of-the-notes", "/tmp/buffer.ts", "unsaved @other.txt", `base64,${PNG}`])
    expect(sent).toContain(part);
  expect(sent).not.toContain("other.txt: ");
  await expect(e.prompt(session, [{ type: "image", data: "bm9wZQ==", mimeType: "image/png" }])).rejects.toThrow(
    /image\/png.*cannot be sent/,
  );
  await expect(e.prompt(session, " ")).rejects.toThrow("The prompt is empty");
});

it("session/cancel ends the turn, also one with a running command, and the session continues", async () => {
  using s = scratch();
  await using model = await startModelServer([toolCall("Bash", { command: "sleep 600" }), text("Still here.")]);
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  const session = await e.open();
  const answered = e.prompt(session, "go");
  await e.update((update) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress");
  await e.agent.notify("session/cancel", { sessionId: session });
  expect(await answered).toEqual({ stopReason: "cancelled" });
  expect(await e.prompt(session, "there?")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toBe("Still here.");
});

it("session/cancel withdraws a question, and a prompt that is queued behind another one", async () => {
  using s = scratch();
  const never = new Promise<string>(() => {});
  await using model = await startModelServer([toolCall("Bash", { command: "touch a.txt" }), text("Later.")]);
  s.useModel(model.baseUrl);
  await using e = await editor(s, { choose: () => never });
  const session = await e.open();
  const first = e.prompt(session, "go");
  await eventually(() => expect(e.asked).toHaveLength(1));
  const second = e.prompt(session, "and then?");
  await eventually(() => expect(records(s.logs()[0] as string).some(({ type }) => type === "queue_update")).toBe(true));
  await e.agent.notify("session/cancel", { sessionId: session });
  expect(await Promise.all([first, second])).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
  await eventually(() => expect(e.withdrawn).toHaveLength(1));
  expect(model.requests).toHaveLength(1);
});

it("a failed turn is an error with its reason, and a truncated answer is reported", async () => {
  using s = scratch();
  await using model = await startModelServer([
    status(401, { error: { message: "no such key" } }),
    [text("Half"), { do: "finish", reason: "length" }],
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  const session = await e.open();
  await expect(e.prompt(session, "go")).rejects.toThrow(/no such key/);
  expect(await e.prompt(session, "again")).toEqual({ stopReason: "max_tokens" });
});

it("nothing of a project is used before a person trusts it, and the question is asked once", async () => {
  using s = scratch();
  s.file("AGENTS.md", "");
  s.file(
    ".scorel/extensions/mark.ts",
    `require("node:fs").writeFileSync(${JSON.stringify(join(s.home, "ran"))}, "");
export default { id: "mark", name: "mark", version: "1.0.0", needs: [] };
`,
  );
  await using model = await startModelServer(() => text("Hello."));
  s.useModel(model.baseUrl);
  const ran = () => existsSync(join(s.home, "ran"));
  {
    await using e = await editor(s, {
      choose: ({ options }) => options.find(({ kind }) => kind === "allow_once")?.optionId ?? null,
    });
    const session = await e.open();
    await e.prompt(session, "hi");
    await e.prompt(await e.open(), "hi");
    expect([e.asked.length, e.asked[0]?.toolCall.title, ran()]).toEqual([1, "Trust this project?", false]);
    expect(JSON.stringify(e.asked[0]?.toolCall.content)).toContain("mark.ts");
  }
  await using e = await editor(s, { choose: () => "trust" });
  const session = await e.open();
  expect(ran()).toBe(false);
  await e.prompt(session, "hi");
  expect(ran()).toBe(true);
  await e.prompt(await e.open(), "hi");
  expect(e.asked).toHaveLength(1);
});

it("several sessions answer at the same time, each its own prompt", async () => {
  using s = scratch();
  const both = gate();
  const seen = new Set<string>();
  await using model = await startModelServer(({ body }) => {
    const word = body.messages.at(-1).content as string;
    seen.add(word);
    if (seen.size === 2) both.open();
    return [text(`This is ${word}.`), delayUntil(both.promise)];
  });
  s.useModel(model.baseUrl);
  await using e = await editor(s);
  const [a, b] = [await e.open(), await e.open()];
  await Promise.all([e.prompt(a, "one"), e.prompt(b, "two")]);
  expect([e.said(a), e.said(b)]).toEqual(["This is one.", "This is two."]);
});

it("when the editor is closed, its turn ends and the command with it", async () => {
  using s = scratch();
  await using model = await startModelServer([[text("Begun"), hang()]]);
  s.useModel(model.baseUrl);
  const e = await editor(s);
  const session = await e.open();
  const answered = e.prompt(session, "go");
  await e.update((update) => update.sessionUpdate === "agent_message_chunk");
  const { code, stderr } = await e.leave();
  expect({ code, stderr, answered: await answered }).toEqual({
    code: 0,
    stderr: "",
    answered: { stopReason: "cancelled" },
  });
  const log = readFileSync(s.logs()[0] as string, "utf8");
  expect(log).toContain("Begun");
  expect(await model.requests[0]?.over).toBe("gone");
});

it("a session needs a directory and a known id, and the agent needs an editor", async () => {
  using s = scratch();
  s.useModel("http://127.0.0.1:9/v1");
  await using e = await editor(s);
  await expect(e.open("src")).rejects.toThrow('absolute path of a directory, not "src"');
  await expect(e.open(join(s.project, "missing"))).rejects.toThrow(/missing/);
  await expect(e.prompt("nobody", "hi")).rejects.toMatchObject({ code: -32002 });
});
