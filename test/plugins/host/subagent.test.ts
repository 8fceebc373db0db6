import { fileURLToPath } from "node:url";
import { extensionEntries } from "@scorel/extensions/entries";
import type { Client } from "@scorel/host/contract";
import { definePlugin, type KernelEntry } from "@scorel/kernel";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { expect, it } from "vitest";
import { type Reply, startModelServer, text, toolCall, usage } from "../../model-server.ts";
import { says, tool } from "../agent/setup.ts";
import { type AgentHost, agentHost } from "./agent-host.ts";
import { testHome } from "./home.ts";

const touch = tool("Touch", async () => says("touched"), { access: () => "exclusive" });
const wait = tool(
  "Wait",
  (_id, _params, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  { access: () => "read" },
);
const toolbox = definePlugin({ id: "toolbox", name: "Toolbox", version: "1.0.0", tools: () => [touch, wait] });
const file = fileURLToPath(new URL("../../../docs/examples/subagent.ts", import.meta.url));

/** The example as the loader reads it, with its failures contained. */
async function example(): Promise<KernelEntry> {
  const config = {
    tables: {},
    tableOf: () => ({}),
    refused: (problem: string) => new Error(problem),
    loaded: () => {},
  };
  const files = [{ id: "subagent", file, path: file, of: "user" as const }];
  const { entries, problems } = await extensionEntries(config as never, files as never, "session");
  expect(problems).toEqual([]);
  return entries[0] as KernelEntry;
}
const used = (input: number) => usage({ input, output: 1 });

/** A parent session whose model starts a subagent, and the events that the parent's client receives. */
async function parentOf(t: AgentHost, cwd: string, permission: "ask" | "full" | "plan") {
  const { sessionId } = await t.client.request("create_session", { cwd, permission, attending: true });
  await t.client.request("attend_requests", { sessionId });
  const heard: any[] = [];
  const waiting: { wanted: (event: any) => boolean; resolve: (event: any) => void }[] = [];
  await t.client.subscribe(sessionId, ({ event }) => {
    heard.push(event);
    for (const { wanted, resolve } of waiting) if (wanted(event)) resolve(event);
  });
  const next = (wanted: (event: any) => boolean) =>
    new Promise<any>((resolve) => void waiting.push({ wanted, resolve }));
  const send = async () => (await t.client.request("send_message", { sessionId, content: "Go." })).id;
  const outcome = async (id: string) => {
    const turn = await t.client.request("wait_turn", { sessionId, id });
    await t.client.drained(sessionId);
    return turn;
  };
  return { sessionId, heard, next, send, outcome };
}

const childOf = async (client: Client, parent: string) =>
  (await client.request("list_sessions", { parent })).sessions[0] as { sessionId: string };
const storedIn = async (client: Client, sessionId: string): Promise<any[]> =>
  (await client.request("get_events", { sessionId })).events.map(({ event }) => event);

async function started(script: Reply[]) {
  const server = await startModelServer(script);
  const session = [requests, permissions, tools, toolbox, await example()];
  return { server, t: await agentHost(server.baseUrlFor("openai-completions"), { session }) };
}

it("a subagent's question is answered in its parent, and its answer and usage come back", async () => {
  using home = testHome();
  const { server, t } = await started([
    [toolCall("Ask", { task: "Touch it." }), used(10)],
    [toolCall("Touch", {}), used(100)],
    [text("I touched it."), used(200)],
    [text("Done."), used(20)],
  ]);
  await using _server = server;
  await using _host = t;
  const parent = await parentOf(t, home.cwd, "ask");
  const asked = parent.next(({ type }) => type === "approval_request");
  const sent = await parent.send();
  const question = await asked;
  expect(question).toMatchObject({
    plugin: "subagent",
    title: "subagent: Use the tool Touch?",
    options: [
      { kind: "allow_once" },
      { kind: "allow_always" },
      { kind: "allow_always" },
      { kind: "allow_always" },
      { kind: "reject_once" },
    ],
    data: { tool: "Touch" },
    from: { sessionId: expect.any(String), plugin: "permissions" },
  });
  await t.client.request("answer_request", { sessionId: parent.sessionId, requestId: question.requestId, answer: "y" });
  const { usage: total, text: last } = await parent.outcome(sent);
  expect({ last, input: total.input, output: total.output }).toEqual({ last: "Done.", input: 330, output: 4 });
  const child = await childOf(t.client, parent.sessionId);
  expect(child).toMatchObject({ kind: "subagent", parent: { sessionId: parent.sessionId } });
  const result = (await storedIn(t.client, parent.sessionId)).find(({ message }) => message?.role === "tool_result");
  expect(result.message).toMatchObject({
    content: [{ text: "I touched it." }],
    isError: false,
    usage: { input: 300, output: 2, sessionId: child.sessionId },
  });
  const answers = async (id: string) =>
    (await storedIn(t.client, id)).flatMap(({ type, answer }) => (type === "approval_answer" ? [answer] : []));
  expect([await answers(parent.sessionId), await answers(child.sessionId)]).toEqual([["y"], ["y"]]);
  expect(
    parent.heard.some(
      ({ type, partial }) => type === "tool_execution_update" && JSON.stringify(partial).includes("[Touch]"),
    ),
  ).toBe(true);
});

it("cancelling the call cancels the subagent and its question", async () => {
  using home = testHome();
  const { server, t } = await started([
    [toolCall("Ask", { task: "Touch it." }), used(10)],
    [toolCall("Touch", {}), used(100)],
  ]);
  await using _server = server;
  await using _host = t;
  const parent = await parentOf(t, home.cwd, "ask");
  const asked = parent.next(({ type }) => type === "approval_request");
  const sent = await parent.send();
  await asked;
  const withdrawn = parent.next(({ type }) => type === "approval_answer");
  await t.client.request("cancel", { sessionId: parent.sessionId });
  expect(await withdrawn).toMatchObject({ answer: null });
  expect((await parent.outcome(sent)).reason).toBe("cancelled");
  const { sessionId } = await childOf(t.client, parent.sessionId);
  const events = await storedIn(t.client, sessionId);
  expect(events.filter(({ type }) => type === "approval_answer")).toMatchObject([{ answer: null }]);
});

it("a question that is answered in the subagent's session is withdrawn in the parent", async () => {
  using home = testHome();
  const { server, t } = await started([
    toolCall("Ask", { task: "Touch it." }),
    toolCall("Touch", {}),
    text("Not allowed."),
    text("Done."),
  ]);
  await using _server = server;
  await using _host = t;
  const parent = await parentOf(t, home.cwd, "ask");
  const asked = parent.next(({ type }) => type === "approval_request");
  const sent = await parent.send();
  const { from } = await asked;
  const withdrawn = parent.next(({ type }) => type === "approval_answer");
  await t.client.request("answer_request", { sessionId: from.sessionId, requestId: from.requestId, answer: "n" });
  expect(await withdrawn).toMatchObject({ answer: null });
  expect((await parent.outcome(sent)).text).toBe("Done.");
});

it("a subagent of a session in mode plan changes nothing, and nobody is asked", async () => {
  using home = testHome();
  const { server, t } = await started([
    toolCall("Ask", { task: "Touch it." }),
    toolCall("Touch", {}),
    text("I may not."),
    text("The plan."),
  ]);
  await using _server = server;
  await using _host = t;
  const parent = await parentOf(t, home.cwd, "plan");
  const sent = await parent.send();
  await parent.outcome(sent);
  const { sessionId } = await childOf(t.client, parent.sessionId);
  const results = (await storedIn(t.client, sessionId)).filter(({ message }) => message?.role === "tool_result");
  expect(results.map(({ message }) => message.isError)).toEqual([true]);
});
