import commands from "@scorel/commands";
import type { Client } from "@scorel/host/contract";
import { type AnyPlugin, codeOf, definePlugin } from "@scorel/kernel";
import permissions from "@scorel/permissions";
import type { Mode } from "@scorel/permissions/contract";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { contained } from "../../harness.ts";
import { startModelServer, text, toolCall } from "../../model-server.ts";
import { says, tool } from "../agent/setup.ts";
import { agentHost } from "./agent-host.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

const touch = tool("Touch", async () => says("touched"), { access: () => "exclusive" });
const peek = tool("Peek", async () => says("seen"), { access: () => "read" });
const toolbox = definePlugin({
  id: "toolbox",
  name: "Toolbox",
  version: "1.0.0",
  tools: () => [touch, peek],
  // Returns the mode, so that a test can see it without a call.
  operations: ({ find }) =>
    ({
      test_mode: { params: () => params, run: () => find("permissions")?.mode },
      test_tools: {
        params: () => params,
        run: () =>
          find("tools")
            ?.list()
            .map(({ name }) => name),
      },
    }) as never,
});
const params = z.strictObject({ sessionId: z.string() });

const modeOf = (client: Client, sessionId: string) => client.request("test_mode" as never, { sessionId } as never);
const session: AnyPlugin[] = [commands, requests, permissions, tools, toolbox];

it("keeps sessions with a parent out of lists unless asked for, and says what they are for", async () => {
  using home = testHome();
  await using t = await testHost();
  const { sessionId: parent } = await t.client.request("create_session", { cwd: home.cwd });
  const relation = { parent: { sessionId: parent, toolCallId: "c1" }, kind: "subagent", data: { ask: { depth: 1 } } };
  const child = await t.client.request("create_session", { cwd: home.cwd, ...relation });
  expect(child.meta).toMatchObject(relation);
  for (const sessionId of [child.sessionId, parent])
    await t.client.request("send_message", { sessionId, content: "hello" });
  const ids = async (more: object) =>
    (await t.client.request("list_sessions", { cwd: home.cwd, ...more })).sessions.map(({ sessionId }) => sessionId);
  expect(await ids({})).toEqual([parent]);
  expect((await ids({ children: true })).sort()).toEqual([parent, child.sessionId].sort());
  expect(await ids({ parent })).toEqual([child.sessionId]);
  const { sessions } = await t.client.request("list_sessions", { parent });
  expect(sessions).toMatchObject([{ parent: relation.parent, kind: "subagent" }]);
  expect((await t.client.request("continue_session", { cwd: home.cwd })).sessionId).toBe(parent);
  const copy = await t.client.request("clone_session", { sessionId: child.sessionId });
  expect(copy.meta).not.toHaveProperty("parent");
  expect(copy.meta).toHaveProperty("inherited", child.meta.inherited);
});

it("refuses invalid relations", async () => {
  using home = testHome();
  await using t = await testHost();
  const create = (more: object) => t.client.request("create_session", { cwd: home.cwd, ...more });
  await expect(create({ preset: "./other.toml" })).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
  await expect(create({ kind: "Not a word" })).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
  await expect(create({ data: { p: "x".repeat(70_000) } })).rejects.toMatchObject({ code: "HOST_DATA" });
  await expect(create({ parent: { sessionId: "none" } })).rejects.toMatchObject({ code: "HOST_PARENT_CLOSED" });
  const parent = { sessionId: (await create({})).sessionId };
  await expect(create({ parent, cwd: "/" })).rejects.toMatchObject({ code: "HOST_CHILD_FOLDER" });
  await expect(create({ parent, allowWrite: ["/"] })).rejects.toMatchObject({ code: "HOST_CHILD_FOLDER" });
});

it.each<[Mode, Mode, Mode]>([
  ["plan", "full", "plan"],
  ["ask", "full", "ask"],
  ["ask", "plan", "plan"],
  ["edits", "full", "edits"],
  ["edits", "ask", "ask"],
  ["full", "edits", "edits"],
  ["full", "full", "full"],
])("a session whose parent is in mode %s, opened in mode %s, is in mode %s", async (of, wanted, is) => {
  using home = testHome();
  await using t = await agentHost("http://127.0.0.1:9", { session });
  const parent = await t.client.request("create_session", { cwd: home.cwd, permission: of });
  const { sessionId } = await t.client.request("create_session", {
    cwd: home.cwd,
    permission: wanted,
    parent: { sessionId: parent.sessionId },
  });
  expect(await modeOf(t.client, sessionId)).toBe(is);
});

it("a child follows a parent that narrows its mode, and keeps that mode when it is opened again alone", async () => {
  using home = testHome();
  await using server = await startModelServer([
    toolCall("Touch", {}),
    text("done"),
    toolCall("Touch", {}),
    text("not allowed"),
  ]);
  const start = () => agentHost(server.baseUrlFor("openai-completions"), { session });
  const inFull = { cwd: home.cwd, permission: "full" as const };
  let child = "";
  {
    await using t = await start();
    const { sessionId } = await t.client.request("create_session", inFull);
    child = (await t.client.request("create_session", { ...inFull, parent: { sessionId } })).sessionId;
    const failed = async () => {
      const { id } = await t.client.request("send_message", { sessionId: child, content: "touch" });
      await t.client.request("wait_turn", { sessionId: child, id });
      const { events } = await t.client.request("get_events", { sessionId: child });
      return events.flatMap(({ event }: any) => (event.message?.role === "tool_result" ? [event.message.isError] : []));
    };
    expect(await failed()).toEqual([false]);
    await t.client.request("run_command", { sessionId, name: "permission", args: "plan" });
    expect(await modeOf(t.client, child)).toBe("plan");
    expect(await failed()).toEqual([false, true]);
  }
  await using t = await start();
  await t.client.request("load_session", { sessionId: child });
  expect(await modeOf(t.client, child)).toBe("plan");
});

it("has its own mode again when its parent, which had narrowed its mode, widens it", async () => {
  using home = testHome();
  const turns = Array.from({ length: 5 }, () => [toolCall("Touch", {}), text("done")]).flat();
  await using server = await startModelServer(turns);
  const inFull = { cwd: home.cwd, permission: "full" as const };
  await using t = await agentHost(server.baseUrlFor("openai-completions"), { session });
  const { sessionId } = await t.client.request("create_session", inFull);
  const { sessionId: child } = await t.client.request("create_session", { ...inFull, parent: { sessionId } });
  const touch = async () => {
    const { id } = await t.client.request("send_message", { sessionId: child, content: "touch" });
    await t.client.request("wait_turn", { sessionId: child, id });
    const { events } = await t.client.request("get_events", { sessionId: child });
    return events.flatMap(({ event }: any) => (event.type === "permission_mode" ? [event.mode] : []));
  };
  const set = (of: string, mode: Mode) => t.client.request("set_permission", { sessionId: of, mode });
  await set(sessionId, "plan");
  expect(await touch()).toEqual(["plan"]);
  expect(await modeOf(t.client, child)).toBe("plan");
  await set(sessionId, "full");
  expect(await modeOf(t.client, child)).toBe("full");
  expect(await touch()).toEqual(["plan", "full"]);
  // A mode that a person chooses for the child while its parent is narrower applies later, and not the one before it.
  await set(sessionId, "ask");
  expect(await touch()).toEqual(["plan", "full", "ask"]);
  expect(await set(child, "edits")).toEqual({ mode: "ask" });
  expect(await touch()).toEqual(["plan", "full", "ask", "edits", "ask"]);
  await set(sessionId, "full");
  expect(await modeOf(t.client, child)).toBe("edits");
  await set(sessionId, "plan");
  expect(await touch()).toEqual(["plan", "full", "ask", "edits", "ask", "plan"]);
  await t.client.request("close_session", { sessionId });
  expect(await modeOf(t.client, child)).toBe("plan");
  expect(await set(child, "edits")).toEqual({ mode: "edits" });
});

it("a child has no tools and no rules that its parent does not have", async () => {
  using home = testHome();
  await using t = await agentHost("http://127.0.0.1:9", { session });
  const parent = await t.client.request("create_session", { cwd: home.cwd, tools: ["Peek"] });
  const child = await t.client.request("create_session", {
    cwd: home.cwd,
    tools: ["Peek", "Touch"],
    parent: { sessionId: parent.sessionId },
  });
  expect(await t.client.request("test_tools" as never, { sessionId: child.sessionId } as never)).toEqual(["Peek"]);
});

it("creates no child while it is unknown what its parent may do", async () => {
  using home = testHome();
  const broken = definePlugin({
    id: "broken",
    name: "Broken",
    version: "1.0.0",
    childLimits: () => {
      throw new Error("no idea");
    },
  });
  // After the third failure it is disabled, but still limits the session.
  await using own = await testHost([echoAgent, broken]);
  await using extension = await testHost([echoAgent, contained(broken)]);
  for (const t of [own, extension]) {
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    for (let time = 0; time < 5; time++)
      await expect(t.client.request("create_session", { cwd: home.cwd, parent: { sessionId } })).rejects.toMatchObject({
        code: "HOST_CHILD_LIMITS",
        message: expect.stringContaining("of broken failed"),
      });
  }
});

it("does not let a child forget the present limits of its parent when they are no longer known", async () => {
  using home = testHome();
  let isBroken = false;
  const seen: string[] = [];
  const limiting = definePlugin({
    id: "limiting",
    name: "Limiting",
    version: "1.0.0",
    needs: ["workspace"],
    childLimits: () => {
      if (isBroken) throw new Error("no idea");
      return { most: 1 };
    },
    onEvent({ type }, { workspace }) {
      if (type !== "message" || !workspace.parent) return;
      try {
        seen.push(JSON.stringify(workspace.parent.limits("limiting")));
      } catch (thrown) {
        seen.push(codeOf(thrown));
      }
    },
  });
  await using t = await testHost([echoAgent, limiting]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const child = await t.client.request("create_session", { cwd: home.cwd, parent: { sessionId } });
  await ask(t.client, child.sessionId, "one");
  await t.client.drained(child.sessionId);
  isBroken = true;
  await ask(t.client, child.sessionId, "two");
  await t.client.drained(child.sessionId);
  expect(new Set(seen)).toEqual(new Set(['{"atStart":{"most":1},"now":{"most":1}}', "HOST_CHILD_LIMITS"]));
});

it("does not open a child without the plugins that limit its parent", async () => {
  using home = testHome();
  let plugins = session;
  await using t = await agentHost("http://127.0.0.1:9", { session: () => plugins });
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  plugins = [tools, toolbox];
  const child = t.client.request("create_session", { cwd: home.cwd, parent: { sessionId } });
  await expect(child).rejects.toMatchObject({ code: "HOST_CHILD_PLUGINS" });
});
