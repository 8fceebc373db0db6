import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { hang, startModelServer, text, toolCall } from "../model-server.ts";
import { agent } from "./mcp-agent.ts";
import { scratch } from "./scorel.ts";

const started = (answer: string) => JSON.parse(answer).session as string;

it("another agent starts a task, follows its progress, and reads its messages and results", async () => {
  using s = scratch();
  await using model = await startModelServer([
    toolCall("Read", { file_path: "a.txt" }),
    text("The file says hello.\u001b[2J"),
    text("Again."),
  ]);
  s.useModel(model.baseUrl);
  s.file("a.txt", "hello\n");
  await using a = await agent(s);
  expect(await a.tools()).toEqual([
    "start_task",
    "cancel_task",
    "follow_task",
    "list_sessions",
    "read_session",
    "list_artifacts",
    "read_artifact",
  ]);
  const follow = (await a.client.listTools()).tools.find(({ name }) => name === "follow_task");
  expect(follow).toMatchObject({
    description: expect.stringContaining("After 45 s, tells that it is still running"),
    inputSchema: { properties: { wait_seconds: { default: 45 } } },
  });
  const session = started(await a.call("start_task", { prompt: "What does a.txt say?" }));
  const told: string[] = [];
  // An agent may request a longer wait than its own limit for a call.
  const longer = { session, wait_seconds: 600 };
  const state = await a.call("follow_task", longer, { onprogress: ({ message = "" }) => void told.push(message) });
  expect(JSON.parse(state)).toEqual({ session, state: "completed", text: "The file says hello." });
  expect(told).toEqual(["Read a.txt"]);
  expect(JSON.parse(await a.call("list_sessions"))).toMatchObject({
    sessions: [{ session, title: "What does a.txt say?", state: "idle" }],
  });
  expect(await a.call("read_session", { session })).toMatch(
    /^\[user\]\nWhat does a\.txt say\?\n\n\[assistant\]\n.*\[assistant\]\nThe file says hello\.$/s,
  );
  expect(JSON.parse(await a.call("list_artifacts", { session }))).toEqual({ artifacts: [] });
  await a.call("start_task", { prompt: "And again?", session });
  expect(JSON.parse(await a.call("follow_task", { session }))).toMatchObject({ text: "Again." });
  expect((await a.leave()).code).toBe(0);

  await using later = await agent(s, ["--scope", "view"]);
  expect(await later.tools()).not.toContain("start_task");
  expect(JSON.parse(await later.call("follow_task", { session }))).toEqual({ session, state: "idle" });
  expect(await later.call("read_session", { session, messages: 1 })).toBe("[assistant]\nAgain.");
  await expect(later.call("start_task", { prompt: "x" })).rejects.toThrow("MCP_SERVER_TOOL");
});

it("without the scope approve nobody is asked, and with it the agent answers what holds once", async () => {
  using s = scratch();
  const bash = (name: string) => [toolCall("Bash", { command: `touch ${name}` })];
  await using model = await startModelServer([bash("a.txt"), text("Refused."), bash("b.txt"), text("Done.")]);
  s.useModel(model.baseUrl);
  await using limited = await agent(s);
  const first = started(await limited.call("start_task", { prompt: "go" }));
  expect(JSON.parse(await limited.call("follow_task", { session: first }))).toMatchObject({ text: "Refused." });
  await limited.leave();
  await using a = await agent(s, ["--scope", "view,prompt,approve"]);
  const session = started(await a.call("start_task", { prompt: "go" }));
  const { state, questions } = JSON.parse(await a.call("follow_task", { session }));
  expect([state, questions.length]).toEqual(["asking", 1]);
  expect(JSON.stringify(questions[0])).toContain("touch b.txt");
  const { question, answers } = questions[0] as { question: string; answers: { value: string }[] };
  const values = answers.map(({ value }) => value);
  expect(values).toEqual(expect.arrayContaining(["y", "n"]));
  await expect(a.call("answer_question", { session, question, answer: "a" })).rejects.toThrow("MCP_SERVER_LASTING");
  expect(JSON.parse(await a.call("answer_question", { session, question, answer: "y" }))).toEqual({ answered: true });
  expect(JSON.parse(await a.call("follow_task", { session }))).toMatchObject({ state: "completed", text: "Done." });
  expect(["a.txt", "b.txt"].map((name) => existsSync(join(s.project, name)))).toEqual([false, true]);
  await expect(a.call("answer_question", { session, question, answer: "y" })).rejects.toThrow("REQUEST_CLOSED");
});

it("only the server's folder can be worked in and seen, and wrong arguments are named", async () => {
  using s = scratch();
  await using model = await startModelServer([text("Elsewhere.")]);
  s.useModel(model.baseUrl);
  mkdirSync(join(s.project, "lib"));
  await s.run(["-p", "private words"]);
  await using a = await agent(s, [], { cwd: join(s.project, "lib") });
  const root = realpathSync(join(s.project, "lib"));
  await expect(a.call("start_task", { prompt: "x", cwd: s.project })).rejects.toThrow(`is not a folder in ${root}`);
  await expect(a.call("start_task", { prompt: "" })).rejects.toThrow(
    "MCP_SERVER_ARGUMENTS: Wrong arguments for start_task: prompt",
  );
  const id = s.logs().map((path) => /([\w-]+)\.jsonl$/.exec(path)?.[1] as string)[0];
  for (const tool of ["read_session", "follow_task", "cancel_task", "list_artifacts"])
    await expect(a.call(tool, { session: id })).rejects.toThrow("MCP_SERVER_SESSION");
  await expect(a.call("read_session", { session: "nothing" })).rejects.toThrow("MCP_SERVER_SESSION");
});

it("a wait that is cancelled leaves the task alone, and the task can be cancelled", async () => {
  using s = scratch();
  await using model = await startModelServer([[text("Half"), hang()]]);
  s.useModel(model.baseUrl);
  await using a = await agent(s);
  const session = started(await a.call("start_task", { prompt: "go" }));
  await eventually(() => expect(model.requests).toHaveLength(1));
  const control = new AbortController();
  const waiting = a.call("follow_task", { session }, { signal: control.signal });
  control.abort();
  await expect(waiting).rejects.toThrow();
  expect(JSON.parse(await a.call("follow_task", { session, wait_seconds: 0 }))).toEqual({
    session,
    state: "running",
    hint: expect.stringContaining("Call follow_task again"),
  });
  expect(JSON.parse(await a.call("cancel_task", { session }))).toEqual({ cancelled: true });
  expect(JSON.parse(await a.call("follow_task", { session }))).toMatchObject({ state: "cancelled" });
});

it("when the agent closes stdin, its tasks are cancelled and the command ends", async () => {
  using s = scratch();
  await using model = await startModelServer([[text("Half"), hang()]]);
  s.useModel(model.baseUrl);
  const a = await agent(s);
  await a.call("start_task", { prompt: "go" });
  await eventually(() => expect(model.requests).toHaveLength(1));
  expect((await a.leave()).code).toBe(0);
});

it("10,000 random lines are answered or ignored, and the next call works", async () => {
  using s = scratch();
  const running = s.start(["mcp", "serve"], { open: true });
  const { stdin } = running.child as { stdin: Writable };
  const random = (seed: number) => ((seed * 1_103_515_245 + 12_345) >>> 8) % 256;
  const lines = Array.from({ length: 10_000 }, (_, index) => lineFor(index, random));
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const first = JSON.stringify({ jsonrpc: "2.0", id: "first", method: "initialize", params });
  const last = JSON.stringify({ jsonrpc: "2.0", id: "last", method: "tools/list" });
  stdin.end([first, ...lines, last, ""].join("\n"));
  const { code, stdout } = await running.finished;
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: unknown; result?: { tools: unknown[] } });
  expect(code).toBe(0);
  expect(answers.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  expect(answers.find(({ id }) => id === "last")?.result?.tools).toHaveLength(7);
});

function lineFor(index: number, random: (seed: number) => number): string {
  const words = String.fromCharCode(
    ...Array.from({ length: index % 40 }, (_, at) => 32 + (random(index * 41 + at) % 95)),
  );
  const kinds = [
    words,
    JSON.stringify({ jsonrpc: "2.0", id: index, method: words }),
    JSON.stringify({ jsonrpc: "2.0", id: index, method: "tools/call", params: { name: words, arguments: { words } } }),
    JSON.stringify({ jsonrpc: "2.0", id: index, method: "tools/call", params: words }),
    JSON.stringify({ jsonrpc: "2.0", id: null, result: words }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: index - 1 } }),
    `{"jsonrpc":"2.0","id":${index},"method":"tools/call","params":${"[".repeat(index % 300)}`,
  ];
  return kinds[index % kinds.length] as string;
}
