import history from "@scorel/history";
import type { Client, HostService, SessionChange } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { gate, type Script, startModelServer, text, toolCall } from "../../model-server.ts";
import { says, tool } from "../agent/setup.ts";
import { agentHost } from "./agent-host.ts";
import { ask, testHome, testHost } from "./home.ts";

const asks = definePlugin({
  id: "asks",
  name: "Asks",
  version: "1.0.0",
  tools: ({ ui }) => [tool("Ask", async () => says((await ui.confirm("Go on?")) ? "yes" : "no"))],
});

async function stage(script: Script) {
  const home = testHome();
  const server = await startModelServer(script);
  const t = await agentHost(server.baseUrl, { host: [history], session: [tools, asks, requests] });
  return {
    ...t,
    home,
    host: t.kernel.find("host") as HostService,
    async [Symbol.asyncDispose]() {
      await t.kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

/** Watches the sessions, and collects the changes. */
async function watch(client: Client, options?: { capacity?: number }) {
  const heard: SessionChange[] = [];
  const end = await client.watchSessions((change) => void heard.push(change), options);
  return { heard, end, changes: () => heard.map(({ change }) => change) };
}

describe("a client that watches the sessions", () => {
  it("gets all changes of a session of another client, with its row", async () => {
    await using t = await stage([toolCall("Ask", {}), text("Fine.")]);
    const watcher = t.host.connect();
    const { heard, changes } = await watch(watcher);
    const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
    const list = async () => (await watcher.request("list_sessions", {})).sessions;
    expect(await list()).toMatchObject([{ sessionId, cwd: t.home.cwd, title: "", messages: 0, running: false }]);

    const { requests } = await t.client.request("attend_requests", { sessionId });
    expect(requests).toEqual([]);
    const { id } = await t.client.request("send_message", { sessionId, content: "May I?" });
    await eventually(() => expect(changes()).toContain("asking"));
    const [asked] = (await t.client.request("list_requests", { sessionId })).requests;
    expect(await list()).toMatchObject([{ title: "May I?", running: true, questions: ["confirm"] }]);
    expect(await watcher.request("get_status", { sessionId })).toMatchObject({ running: true, questions: ["confirm"] });
    await t.client.request("answer_request", { sessionId, requestId: asked?.requestId as string, answer: "y" });
    await t.client.request("wait_turn", { sessionId, id });
    await t.client.request("rename_session", { sessionId, name: "Permission" });
    expect(await list()).toMatchObject([{ name: "Permission", messages: 3, running: false }]);
    await t.client.request("archive_session", { sessionId });
    await t.client.request("archive_session", { sessionId, archived: false });
    await watcher.request("close_session", { sessionId });
    await t.client.request("close_session", { sessionId });
    await t.client.request("load_session", { sessionId });
    await t.client.request("delete_session", { sessionId });
    await t.client.request("restore_session", { sessionId });

    const shown = heard.map((change) =>
      change.change === "missed"
        ? change
        : { change: change.change, ...pick(change.session, ["running", "questions", "name", "title", "archived"]) },
    );
    const named = { name: "Permission", title: "May I?" };
    expect(shown).toEqual([
      { change: "created", running: false, title: "" },
      { change: "running", running: true, title: "May I?" },
      { change: "asking", running: true, title: "May I?", questions: ["confirm"] },
      { change: "answered", running: true, title: "May I?" },
      { change: "idle", running: false, title: "May I?" },
      { change: "renamed", running: false, ...named },
      { change: "archived", running: false, ...named, archived: true },
      { change: "archived", running: false, ...named },
      { change: "closed", ...named },
      { change: "opened", running: false, ...named },
      { change: "closed", ...named },
      { change: "deleted", ...named },
      { change: "restored", ...named },
    ]);
    expect(new Set(heard.map((change) => "session" in change && change.session.sessionId))).toEqual(
      new Set([sessionId]),
    );
    expect(changes()).not.toContain("missed");
  });

  it("is told of a copy, and of a session that is gone because it stayed empty", async () => {
    using home = testHome();
    await using t = await testHost();
    const watcher = t.host.connect();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const { heard } = await watch(watcher);
    const copy = await t.client.request("clone_session", { sessionId });
    await t.client.request("close_session", { sessionId: copy.sessionId });
    await settled();
    expect(heard).toMatchObject([
      { change: "created", session: { sessionId: copy.sessionId, title: "hello", messages: 2 } },
      { change: "deleted", session: { sessionId: copy.sessionId } },
    ]);
  });

  it("is not told of unsaved sessions, nor after it has left", async () => {
    using home = testHome();
    await using t = await testHost();
    const first = t.host.connect();
    const second = t.host.connect();
    const [one, two] = [await watch(first), await watch(second)];
    await t.client.request("create_session", { cwd: home.cwd, unsaved: true });
    expect((await t.client.request("list_sessions", {})).sessions).toEqual([]);
    await one.end();
    await second.close();
    await t.client.request("create_session", { cwd: home.cwd });
    await settled();
    expect([...one.heard, ...two.heard]).toEqual([]);
    await expect(second.watchSessions(() => {})).rejects.toMatchObject({ code: "HOST_CLIENT_CLOSED" });
  });

  it("is told to list again when it was too slow, and misses nothing that the list does not give", async () => {
    using home = testHome();
    await using t = await testHost();
    const held = gate();
    const heard: SessionChange[] = [];
    await t.host.connect().watchSessions(
      async (change) => {
        heard.push(change);
        await held.promise;
      },
      { capacity: 3 },
    );
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) ids.push((await t.client.request("create_session", { cwd: home.cwd })).sessionId);
    held.open();
    await eventually(() => expect(heard.at(-1)).toMatchObject({ session: { sessionId: ids.at(-1) } }));
    expect(heard.map(({ change }) => change)).toContain("missed");
    expect(heard.length).toBeLessThan(6);
    const { sessions } = await t.client.request("list_sessions", {});
    expect(sessions.map(({ sessionId }) => sessionId).sort()).toEqual([...ids].sort());
  });

  it("does not disturb others when it fails", async () => {
    using home = testHome();
    await using t = await testHost();
    await t.host.connect().watchSessions(() => {
      throw new Error("no room on the page");
    });
    await t.host.connect().watchSessions(() => Promise.reject(new Error("no connection")));
    const { changes } = await watch(t.host.connect());
    await t.client.request("create_session", { cwd: home.cwd });
    await t.client.request("create_session", { cwd: home.cwd });
    await settled();
    expect(changes()).toEqual(["created", "created"]);
  });

  it("sees only the sessions that its connection includes", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const { heard } = await watch(t.host.connect({ scope: { sessions: [sessionId] } }));
    await t.client.request("create_session", { cwd: home.cwd });
    await t.client.request("close_session", { sessionId });
    await settled();
    expect(heard).toMatchObject([{ change: "closed", session: { sessionId } }]);
    const limited = t.host.connect({ scope: { operations: ["ping"] } });
    await expect(limited.watchSessions(() => {})).rejects.toMatchObject({ code: "HOST_FORBIDDEN" });
  });

  it("hears nothing if it is closed before it watches", async () => {
    using home = testHome();
    await using t = await testHost();
    const heard: SessionChange[] = [];
    const limited = t.host.connect({ scope: { operations: ["watch_sessions"] } });
    const watching = limited.watchSessions((change) => void heard.push(change));
    await Promise.all([limited.close(), expect(watching).rejects.toMatchObject({ code: "HOST_CLIENT_CLOSED" })]);
    await t.client.request("create_session", { cwd: home.cwd });
    await settled();
    expect(heard).toEqual([]);
  });
});

describe("an open session without events", () => {
  it("can be opened by another client, but is not chosen to be continued", async () => {
    using home = testHome();
    await using t = await testHost();
    const other = t.host.connect();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    expect(await other.request("load_session", { sessionId })).toMatchObject({ sessionId });
    await expect(other.request("continue_session", { cwd: home.cwd })).rejects.toMatchObject({ code: "SESSION_NONE" });
  });
});

/** Resolves when changes so far have reached their listeners. */
async function settled(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise<void>((done) => void setImmediate(done));
}

function pick<T extends object, K extends keyof T>(from: T, keys: K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(keys.filter((key) => key in from).map((key) => [key, from[key]])) as Partial<Pick<T, K>>;
}
