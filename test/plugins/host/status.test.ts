import { constants, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import coding from "@scorel/coding";
import { followSession } from "@scorel/host/client";
import type { SessionStatus } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import local from "@scorel/local";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { delayUntil, gate, type Script, startModelServer, status, text, toolCall, usage } from "../../model-server.ts";
import { agentHost } from "./agent-host.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

const prices = { contextWindow: 1_000, cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 0 } };

/** A session with the real agent, tools and guards in a git repository, and a model that plays the script. */
async function world(script: Script, model: Record<string, unknown> = prices) {
  const home = testHome();
  mkdirSync(join(home.cwd, ".git"));
  const checkout = (head: string) => writeFileSync(join(home.cwd, ".git", "HEAD"), head);
  checkout("ref: refs/heads/feature/x\n");
  const server = await startModelServer(script);
  const session = [tools, requests, permissions, local, coding];
  const { client, kernel } = await agentHost(server.baseUrl, { session, model });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  return {
    client,
    cwd: home.cwd,
    sessionId,
    checkout,
    send: async (content: string) => (await client.request("send_message", { sessionId, content })).id,
    wait: (id: string) => client.request("wait_turn", { sessionId, id }),
    status: () => client.request("get_status", { sessionId }),
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

/** Stores a session with so many events that its usage is read in pieces. Returns its id. */
async function longSession(cwd: string): Promise<string> {
  const filler = definePlugin({
    id: "filler",
    name: "Filler",
    version: "1.0.0",
    onEvent({ type }, { session }) {
      if (type === "session_start")
        for (let at = 0; at < 2_001; at++) void session.append("custom", { kind: "filler", data: at });
    },
  });
  await using t = await testHost([echoAgent, filler]);
  const { sessionId } = await t.client.request("create_session", { cwd });
  await ask(t.client, sessionId, "hi");
  return sessionId;
}

/** The fields that clients can follow. */
function glance(shown: Partial<SessionStatus>) {
  const { model, modelError, thinking, permission, permissionDefault, context, spent, branch } = shown;
  return { model, modelError, thinking, permission, permissionDefault, context, spent, branch };
}

describe("the status of a session", () => {
  it("contains usage, context size and place, and is the same for everyone who follows it", async () => {
    await using t = await world([[text("hello"), usage({ input: 100, cached: 40, output: 10 })], text("again")]);
    const view = await followSession(t.client, t.sessionId);
    expect(glance(await t.status())).toMatchObject({
      branch: "feature/x",
      permission: "edits",
      spent: undefined,
      context: undefined,
    });
    await t.wait(await t.send("hi"));
    const now = glance(await t.status());
    expect(now).toEqual({
      model: "local/m1",
      modelError: undefined,
      thinking: undefined,
      permission: "edits",
      permissionDefault: "edits",
      context: { tokens: 110, window: 1_000, share: 0.11 },
      spent: { input: 60, output: 10, cacheRead: 40, cacheWrite: 0, cachedShare: 0.4, cost: expect.closeTo(0.0001, 9) },
      branch: "feature/x",
    });
    await eventually(() => expect(glance(view.status)).toEqual(now));
  });

  it("does not call an unknown price zero", async () => {
    await using t = await world([[text("hello"), usage({ input: 100, output: 10 })]], { contextWindow: 1_000 });
    await t.wait(await t.send("hi"));
    expect((await t.status()).spent).toEqual({ input: 100, output: 10, cacheRead: 0, cacheWrite: 0, cachedShare: 0 });
  });

  it("changes for those who follow it, whoever changes it, also when only an operation does", async () => {
    await using t = await world([text("hello")]);
    const view = await followSession(t.client, t.sessionId);
    await eventually(() => expect(view.status).toMatchObject({ permission: "edits", branch: "feature/x" }));
    t.checkout("0123456789012345678901234567890123456789\n");
    // Now a person can answer.
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    await eventually(() =>
      expect(view.status).toMatchObject({ permission: "ask", permissionDefault: "ask", branch: "0123456" }),
    );
    await t.client.request("set_permission", { sessionId: t.sessionId, mode: "plan" });
    await t.client.request("set_thinking", { sessionId: t.sessionId, level: "high" });
    t.checkout("");
    await t.wait(await t.send("hi"));
    await eventually(() =>
      expect(view.status).toMatchObject({ permission: "plan", permissionDefault: "ask", thinking: "high" }),
    );
    expect(view.status.branch).toBeUndefined();
  });

  it("goes on without the usage of a long log that cannot be read, and reports that once", async () => {
    using home = testHome();
    const broken = definePlugin({
      id: "broken",
      name: "Broken",
      version: "1.0.0",
      activate({ session }) {
        session.tree.head = () => {
          throw new Error("EIO: i/o error, read");
        };
      },
    });
    const sessionId = await longSession(home.cwd);
    await using t = await testHost([echoAgent, broken]);
    await t.client.request("load_session", { sessionId });
    const view = await followSession(t.client, sessionId);
    await eventually(() => expect(t.kernel.failures).toHaveLength(1));
    expect(t.kernel.failures[0]).toMatchObject({ plugin: "host", message: "EIO: i/o error, read" });
    await ask(t.client, sessionId, "still here");
    expect(view.status.spent).toBeUndefined();
    expect(t.kernel.failures).toHaveLength(1);
  });

  it("is not sent to clients that have not asked for it", async () => {
    await using t = await world([text("hello")]);
    const heard: string[] = [];
    await t.client.subscribe(t.sessionId, ({ event }) => void heard.push(event.type));
    await t.wait(await t.send("hi"));
    await t.client.drained(t.sessionId);
    expect(heard).toContain("runtime_end");
    expect(heard).not.toContain("status_change");
  });

  it("says what the running turn does: thinking, answering, running a tool, asking, trying again", async () => {
    const [think, answer, again] = [gate(), gate(), gate()];
    await using t = await world([
      [
        delayUntil(think.promise),
        text("I look "),
        delayUntil(answer.promise),
        toolCall("Bash", { command: "mkfifo pipe && cat pipe" }),
      ],
      [delayUntil(again.promise), status(500)],
    ]);
    const view = await followSession(t.client, t.sessionId);
    const is = (doing: object) =>
      eventually(async () => {
        expect(view.status.doing).toMatchObject(doing);
        expect((await t.status()).doing).toEqual(view.status.doing);
      });
    expect((await t.status()).doing).toBeUndefined();
    await t.client.request("attend_requests", { sessionId: t.sessionId });
    const id = await t.send("go");
    await is({ state: "thinking", since: expect.any(Number) });
    think.open();
    await is({ state: "answering", since: expect.any(Number) });
    answer.open();
    await is({ state: "asking", text: "Run this command?" });
    const [asked] = view.requests;
    const { requestId } = asked as NonNullable<typeof asked>;
    await t.client.request("answer_request", { sessionId: t.sessionId, requestId, answer: "y" });
    await is({ state: "tool", tool: "Bash", text: expect.stringContaining("mkfifo pipe"), calls: 1 });
    // The command waits until the test writes to the pipe.
    await eventually(() =>
      writeFileSync(join(t.cwd, "pipe"), "words", { flag: (constants.O_WRONLY | constants.O_NONBLOCK) as never }),
    );
    await is({ state: "thinking" });
    again.open();
    await t.wait(id);
    await eventually(() => expect(view.status.doing).toBeUndefined());
    expect((await t.status()).doing).toBeUndefined();
  });
});
