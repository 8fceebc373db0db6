import history from "@scorel/history";
import type { Anchor, Client, Delivered, SubscribeOptions } from "@scorel/host/contract";
import { type BaseContext, definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { OpenSession } from "../../../plugins/host/sessions/open-session.ts";
import { SessionSubscription } from "../../../plugins/host/stream/subscription.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

declare module "@scorel/host/contract" {
  interface Operations {
    test_open: { params: { sessionId: string }; result: Record<string, never> };
  }
}

/** A plugin whose context the test uses, and which appends an event each time the session starts. */
function exposingPlugin() {
  const held: { ctx?: BaseContext } = {};
  const plugin = definePlugin({
    id: "exposingPlugin",
    name: "Lender",
    version: "1.0.0",
    async activate(ctx) {
      held.ctx = ctx;
    },
    async onEvent({ type }, { session }) {
      if (type === "session_start") await session.append("custom", { kind: "started", data: {} });
    },
  });
  return { plugin, context: () => held.ctx as BaseContext };
}

async function stage() {
  const home = testHome();
  const { plugin, context } = exposingPlugin();
  const opened: unknown[] = [];
  const opener = definePlugin({
    id: "opener",
    name: "Opener",
    version: "1.0.0",
    scope: "host",
    operations: () => ({
      test_open: {
        params: z.object({ sessionId: z.string() }),
        run: async ({ sessionId }, { open }) => {
          opened.push(await open(sessionId));
          return {};
        },
      },
    }),
  });
  const t = await testHost([echoAgent, requests, plugin], [], [history, opener]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await t.client.request("test_open", { sessionId });
  return {
    ...t,
    home,
    sessionId,
    opened,
    context,
    session: () => context().session,
    async [Symbol.asyncDispose]() {
      await t.kernel.stop();
      home[Symbol.dispose]();
    },
  };
}

/** Subscribes, and resolves when all events so far have arrived. */
async function listen(client: Client, sessionId: string, options?: SubscribeOptions) {
  const heard: any[] = [];
  const hear = ({ event }: Delivered) => void heard.push(event);
  const subscription = await client.subscribe(sessionId, hear, options);
  const early = heard.length;
  await client.drained(sessionId);
  return { heard, early, subscription, types: () => heard.map(({ type }) => type) };
}

describe("a subscription", () => {
  it("begins with the last stored events on request, after it has stated whether there are earlier ones", async () => {
    await using t = await stage();
    await ask(t.client, t.sessionId, "one");
    await ask(t.client, t.sessionId, "two");
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    const stored = events.map(({ event }) => event);
    const begun = async (tail?: number) => {
      const { heard, early, subscription } = await listen(t.client, t.sessionId, {
        ...(tail !== undefined && { tail }),
      });
      return { heard, early, mode: subscription.mode, more: subscription.more };
    };
    const start = { early: 0, mode: "full_reload" };
    expect(await begun(2)).toEqual({ ...start, heard: stored.slice(-2), more: true });
    expect(await begun(Number.POSITIVE_INFINITY)).toEqual({ ...start, heard: stored, more: false });
    expect(await begun()).toEqual({ ...start, heard: [], more: true });
  });

  it("continues after the anchor of a page", async () => {
    await using t = await stage();
    await ask(t.client, t.sessionId, "one");
    await ask(t.client, t.sessionId, "two");
    const all = await t.client.request("get_events", { sessionId: t.sessionId });
    const { anchor } = await t.client.request("get_events", { sessionId: t.sessionId, limit: 2 });
    const { heard, subscription } = await listen(t.client, t.sessionId, { anchor });
    expect(subscription.mode).toBe("persistent_fallback");
    expect(heard).toEqual(all.events.slice(2).map(({ event }) => event));
  });

  it("resumes only where the log and the stream prove that nothing is missing", async () => {
    await using t = await stage();
    await ask(t.client, t.sessionId, "one");
    const { subscription } = await listen(t.client, t.sessionId);
    const anchor = subscription.anchor;
    await subscription();
    await ask(t.client, t.sessionId, "two");
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    const first = events[0]?.event as { id: string; seq: number };
    const answers = async (change: Partial<Anchor>) => {
      const { heard, subscription } = await listen(t.client, t.sessionId, { anchor: { ...anchor, ...change } });
      return [subscription.mode, heard.filter(({ type }) => type === "message").length];
    };
    expect({
      own: await answers({}),
      otherActivation: await answers({ activation: "another" }),
      onlyStored: await answers({ streamSeq: -1 }),
      fromTheFuture: await answers({ streamSeq: anchor.streamSeq + 1000 }),
      // This anchor claims the stream up to here, but not the stored events in it.
      inconsistent: await answers({ persistentId: first.id, persistentSeq: first.seq }),
      nothingYet: await answers({ persistentId: null, persistentSeq: 0, streamSeq: -1 }),
      otherEpoch: await answers({ epoch: "another" }),
      unknownEvent: await answers({ persistentId: "nosuchevent" }),
      otherPlace: await answers({ persistentSeq: anchor.persistentSeq - 1 }),
    }).toEqual({
      own: ["stream_resume", 2],
      otherActivation: ["persistent_fallback", 2],
      onlyStored: ["persistent_fallback", 2],
      fromTheFuture: ["persistent_fallback", 2],
      inconsistent: ["persistent_fallback", 4],
      nothingYet: ["persistent_fallback", 4],
      otherEpoch: ["full_reload", 0],
      unknownEvent: ["full_reload", 0],
      otherPlace: ["full_reload", 0],
    });
  });

  it("resumes in another process, after the session was closed here", async () => {
    using home = testHome();
    let sessionId: string;
    let anchor: Anchor;
    {
      await using t = await testHost();
      sessionId = (await t.client.request("create_session", { cwd: home.cwd })).sessionId;
      await ask(t.client, sessionId, "one");
      const { subscription } = await listen(t.client, sessionId);
      anchor = subscription.anchor;
      await subscription();
      await ask(t.client, sessionId, "two");
    }
    await using t = await testHost();
    const { heard, subscription } = await listen(t.client, sessionId, { anchor });
    expect(subscription.mode).toBe("persistent_fallback");
    expect(heard.filter(({ type }) => type === "message")).toHaveLength(2);
  });

  it("does not resume the stream when more was announced meanwhile than is kept", async () => {
    await using t = await stage();
    await ask(t.client, t.sessionId, "one");
    const { subscription } = await listen(t.client, t.sessionId);
    const { anchor } = subscription;
    await subscription();
    t.session().emit("message_start", { eventId: "reply1", parentId: null, role: "assistant" });
    for (let n = 0; n < 50; n++) t.session().emit("text_delta", { eventId: "reply1", delta: "x".repeat(2 ** 16) });
    // Deltas are announced once they are on disk.
    await listen(t.host.connect(), t.sessionId);
    const again = await listen(t.client, t.sessionId, { anchor });
    expect(again.subscription.mode).toBe("persistent_fallback");
    expect(again.types()).toEqual(["message_start", "text_delta"]);
    expect(again.heard[1].delta).toHaveLength(50 * 2 ** 16);
  });

  it("gets what is announced while it begins exactly once", async () => {
    await using t = await stage();
    const { session } = t;
    let over = false;
    const talk = (async () => {
      for (let n = 0; !over; n++) {
        session().emit("turn_start", { turnIndex: n });
        if (n % 3 === 0) void session().append("custom", { kind: "note", data: { n } });
        await null;
        if (n % 10 === 0) await new Promise<void>((done) => void setImmediate(done));
      }
    })();
    const client = t.host.connect();
    const runs: { heard: any[]; anchor: Anchor | undefined }[] = [];
    for (let n = 0; n < 40; n++) {
      const heard: any[] = [];
      const anchor = runs.at(-1)?.anchor;
      const subscription = await client.subscribe(t.sessionId, ({ event }) => void heard.push(event), {
        tail: Number.POSITIVE_INFINITY,
        ...(anchor && { anchor }),
      });
      if (n > 0) expect(subscription.mode).toBe("stream_resume");
      for (let turn = 0; turn <= n % 4; turn++) await new Promise<void>((done) => void setImmediate(done));
      await subscription();
      runs.push({ heard, anchor: subscription.anchor });
    }
    over = true;
    await talk;
    const live = runs.slice(1).flatMap(({ heard }) => heard.map(({ seq }) => seq as number));
    expect(live.length).toBeGreaterThan(100);
    expect(live).toEqual(Array.from({ length: live.length }, (_, index) => (live[0] as number) + index));
  });

  it("gets an event once that is announced between its first two steps", async () => {
    await using t = await stage();
    const open = t.opened.at(-1) as OpenSession;
    const seqs: number[] = [];
    const subscription = new SessionSubscription(open, ({ event }) => void seqs.push("seq" in event ? event.seq : -1), {
      tail: Number.POSITIVE_INFINITY,
    });
    const emit = (turnIndex: number) => t.session().emit("turn_start", { turnIndex }).seq;
    let second = 0;
    queueMicrotask(() => {
      second = emit(2);
    });
    const first = emit(1);
    const { start } = await subscription.begin();
    start();
    await open.kernel.drained();
    expect(seqs.filter((seq) => seq >= first)).toEqual([first, second]);
    await subscription.end();
  });

  it("continues through a reload, with what plugins stored as they started", async () => {
    await using t = await stage();
    await ask(t.client, t.sessionId, "one");
    const { heard, subscription } = await listen(t.client, t.sessionId, { tail: Number.POSITIVE_INFINITY });
    await t.client.request("reload_session", { sessionId: t.sessionId });
    await ask(t.client, t.sessionId, "two");
    await t.client.drained(t.sessionId);
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    expect(heard.filter((event) => "id" in event)).toEqual(events.map(({ event }) => event));
    expect(heard.map(({ type }) => type)).toContain("session_start");
    const { anchor } = subscription;
    await subscription();
    expect((await listen(t.client, t.sessionId, { anchor })).subscription.mode).toBe("stream_resume");
  });

  it("continues when its session is opened again after it was deleted and restored", async () => {
    await using t = await stage();
    await ask(t.client, t.sessionId, "one");
    const { heard, subscription } = await listen(t.client, t.sessionId, { tail: Number.POSITIVE_INFINITY });
    const ended = await listen(t.client, t.sessionId);
    await t.client.request("delete_session", { sessionId: t.sessionId });
    await ended.subscription();
    await t.client.request("restore_session", { sessionId: t.sessionId });
    const before = ended.heard.length;
    await ask(t.client, t.sessionId, "two");
    await t.client.drained(t.sessionId);
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    expect(heard.filter((event) => "id" in event)).toEqual(events.map(({ event }) => event));
    expect(heard.map(({ type }) => type)).toContain("session_start");
    expect(ended.heard.length).toBe(before);
    await subscription();
  });

  it("is told of questions that were asked before its first event, until they are answered", async () => {
    await using t = await stage();
    const { sessionId } = t;
    await t.client.request("attend_requests", { sessionId });
    const answer = t
      .session()
      .append("approval_request", { requestId: "q1", plugin: "p", kind: "confirm", title: "Go?" });
    await answer;
    await t.context().session.append("custom", { kind: "note", data: {} });
    const during = await listen(t.host.connect(), sessionId, { tail: 1 });
    expect(during.types()).toEqual(["approval_request", "custom"]);
    await t.client.request("answer_request", { sessionId, requestId: "q1", answer: "y" });
    expect((await listen(t.host.connect(), sessionId, { tail: 1 })).types()).toEqual(["approval_answer"]);
  });

  it("is told of the status texts of plugins", async () => {
    await using t = await stage();
    const { sessionId } = t;
    t.context().ui.status("counting");
    await t.client.request("list_requests", { sessionId });
    const { heard } = await listen(t.host.connect(), sessionId);
    expect(heard).toMatchObject([{ type: "plugin_status", plugin: "exposingPlugin", text: "counting" }]);
  });

  it("that ends during its replay gets no more events", async () => {
    await using t = await stage();
    for (let n = 0; n < 20; n++) await ask(t.client, t.sessionId, `message ${n}`);
    const heard: string[] = [];
    const subscription = await t.client.subscribe(
      t.sessionId,
      async ({ event }) => {
        heard.push(event.type);
        if (heard.length === 3) void subscription();
        await null;
      },
      { tail: Number.POSITIVE_INFINITY },
    );
    await ask(t.client, t.sessionId, "another");
    expect(heard).toHaveLength(3);
    const { anchor } = subscription;
    const rest = await listen(t.client, t.sessionId, { anchor });
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    expect(rest.heard).toEqual(events.slice(3).map(({ event }) => event));
  });

  it("of a client that is closed while the session opens keeps nothing open", async () => {
    await using t = await stage();
    const { sessionId } = t;
    await ask(t.client, sessionId, "hi");
    await t.client.request("close_session", { sessionId });
    const client = t.host.connect();
    const subscribing = client.subscribe(sessionId, () => {});
    await client.close();
    await expect(subscribing).rejects.toMatchObject({ code: "HOST_CLIENT_CLOSED" });
    expect(t.home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
  });

  it.each([0, 1, 2, 3])("that begins %i steps after the last client has left hears what follows", async (steps) => {
    await using t = await stage();
    const { sessionId } = t;
    await ask(t.client, sessionId, "hi");
    const client = t.host.connect();
    const leaving = t.client.request("close_session", { sessionId });
    for (let step = 0; step < steps; step++) await null;
    const { types } = await listen(client, sessionId);
    await leaving;
    await ask(client, sessionId, "again");
    await client.drained(sessionId);
    expect(types().filter((type) => type === "message")).toEqual(["message", "message"]);
  });
});
