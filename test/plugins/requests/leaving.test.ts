import { getEventListeners } from "node:events";
import { definePlugin, isEvent } from "@scorel/kernel";
import requests from "@scorel/requests";
import type { Workspace } from "@scorel/workspace/contract";
import { describe, expect, it } from "vitest";
import type { Ui } from "../../../kernel/types.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";
import { firstOf, open } from "./setup.ts";

/** A host with a session whose plugin's `ctx.ui` is accessible, and the events about questions in its log. */
async function opened(options: { attending?: boolean; start?: (ui: Ui) => void } = {}) {
  const home = testHome();
  const held: Ui[] = [];
  const asker = definePlugin({
    id: "asker",
    name: "Asker",
    version: "1.0.0",
    activate: (ctx) => void held.push(ctx.ui),
    onEvent: ({ type }, ctx) => (type === "session_start" ? options.start?.(ctx.ui) : undefined),
  });
  const t = await testHost([echoAgent, requests, asker]);
  const { attending } = options;
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, attending });
  const asked = async () => {
    const { events } = await t.client.request("get_events", { sessionId });
    return events.flatMap(({ event }) => (isEvent(event, "approval_answer") ? [event.reason] : []));
  };
  return {
    ...t,
    sessionId,
    /** The `ctx.ui` of the session's current activation. */
    ui: () => held.at(-1) as Ui,
    asked,
    open: async () => {
      const list = () => t.client.request("list_requests", { sessionId });
      await expect.poll(async () => (await list()).requests.length).toBeGreaterThan(0);
      return (await list()).requests[0]?.requestId as string;
    },
    [Symbol.asyncDispose]: async () => {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** A promise that `fire` resolves. */
function signal() {
  let fire = () => {};
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire };
}

describe("a client that answers questions", () => {
  it("leaves when it closes; questions that only it could answer get their defaults", async () => {
    await using t = await opened();
    const { host, sessionId } = t;
    const phone = host.connect({ clientId: "phone" });
    await phone.request("attend_requests", { sessionId });
    const sure = t.ui().confirm("Sure?", { default: true });
    await t.open();
    await phone.close();
    expect([await sure, t.ui().attended, await t.asked()]).toEqual([
      true,
      false,
      ["nobody is there any more to answer"],
    ]);
  });

  it("leaves when it releases the session", async () => {
    await using t = await opened();
    const { host, sessionId } = t;
    const phone = host.connect({ clientId: "phone" });
    await phone.request("attend_requests", { sessionId });
    const sure = t.ui().confirm("Sure?");
    await t.open();
    await phone.request("close_session", { sessionId });
    expect([await sure, t.ui().attended]).toEqual([false, false]);
    await phone.close();
  });

  it("is watched once, however often it says so, and no longer than its session is open", async () => {
    await using t = await open();
    const watchers = () => getEventListeners(t.left("phone"), "abort").length;
    for (const attending of [true, true, false, true]) await t.run("attend_requests", { attending }, "phone");
    expect([watchers(), t.ctx.ui.attended]).toEqual([1, true]);
    await t.kernel.stop();
    expect(watchers()).toBe(0);
  });

  it("that has left before it is answered does not answer questions", async () => {
    await using t = await open();
    t.leave("phone");
    await t.run("attend_requests", {}, "phone");
    expect(t.ctx.ui.attended).toBe(false);
  });

  it("leaves its question to another client", async () => {
    await using t = await opened();
    const { host, client, sessionId } = t;
    const phone = host.connect({ clientId: "phone" });
    await phone.request("attend_requests", { sessionId });
    await client.request("attend_requests", { sessionId });
    const sure = t.ui().confirm("Sure?");
    const requestId = await t.open();
    await phone.close();
    await client.request("answer_request", { sessionId, requestId, answer: "y" });
    expect(await sure).toBe(true);
  });

  it("stays when an earlier connection with its id is found closed", async () => {
    await using t = await opened();
    const { host, sessionId } = t;
    const before = host.connect({ clientId: "phone" });
    await before.request("attend_requests", { sessionId });
    const again = host.connect({ clientId: "phone" });
    await again.request("attend_requests", { sessionId });
    const sure = t.ui().confirm("Sure?");
    const requestId = await t.open();
    await before.close();
    await again.request("answer_request", { sessionId, requestId, answer: "y" });
    expect(await sure).toBe(true);
    await again.close();
  });

  it("leaves while its question is prepared for storage: the question gets its default", async () => {
    const [begun, go] = [signal(), signal()];
    const storable = async (text: string) => {
      begun.fire();
      await go.fired;
      return text;
    };
    await using t = await open({ services: { agent: { storable } as never } });
    await t.run("attend_requests", {}, "phone");
    const sure = t.ctx.ui.confirm("Sure?", { default: true });
    await begun.fired;
    t.leave("phone");
    go.fire();
    expect([await sure, t.open(), t.stored().at(-1)]).toMatchObject([
      true,
      [],
      { answer: null, reason: "nobody is there any more to answer" },
    ]);
  });

  it("may declare so while it opens the session; questions asked then wait for it", async () => {
    const asked: unknown[] = [];
    const start = (ui: Ui) => void ui.confirm("Sure?").then((sure) => asked.push(sure));
    await using t = await opened({ attending: true, start });
    const { client, sessionId } = t;
    const requestId = await t.open();
    expect((await client.request("attend_requests", { sessionId })).requests).toMatchObject([{ title: "Sure?" }]);
    await client.request("answer_request", { sessionId, requestId, answer: "y" });
    await expect.poll(() => asked).toEqual([true]);
  });

  it("declares so once for all sessions that it opens", async () => {
    await using t = await opened({ attending: true });
    const { client, sessionId } = t;
    const { meta } = await client.request("get_status", { sessionId });
    await client.request("create_session", { cwd: meta.cwd as string });
    expect(t.ui().attended).toBe(true);
    await client.request("create_session", { cwd: meta.cwd as string, attending: false });
    expect(t.ui().attended).toBe(false);
  });

  it("is no longer waited for when the conversation continues without it", async () => {
    await using t = await open({ services: { workspace: { attending: true } as Workspace } });
    const sure = t.ctx.ui.confirm("Sure?", { default: true });
    await firstOf(t.kernel);
    t.session.emit("prompt_submit", { prompt: "hi" });
    expect([await sure, t.ctx.ui.attended, t.stored().at(-1)]).toMatchObject([
      true,
      false,
      { answer: null, reason: "nobody is there to answer" },
    ]);
  });

  it("gets no earlier questions or status after the session is opened again", async () => {
    await using t = await opened();
    const { client, sessionId } = t;
    await client.request("attend_requests", { sessionId });
    t.ui().status("busy");
    const sure = t.ui().confirm("Sure?", { default: true });
    await t.open();
    await client.request("reload_session", { sessionId });
    expect([await sure, t.ui().attended, await t.asked()]).toEqual([true, false, ["the session was closed"]]);
    expect(await client.request("attend_requests", { sessionId })).toEqual({ requests: [], statuses: [], panels: [] });
  });
});
