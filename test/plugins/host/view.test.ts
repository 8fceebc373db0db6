import { rmSync } from "node:fs";
import {
  type FollowOptions,
  followSession,
  type SessionView,
  type ViewChange,
  type OpenRequest as ViewRequest,
} from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { definePlugin, type PluginContext } from "@scorel/kernel";
import type { OpenRequest } from "@scorel/requests/contract";
import { expect, expectTypeOf, it } from "vitest";
import { queueProjection, queueSeqProjection, queueUpdate } from "../../../plugins/agent/turn/queue.ts";
import { permissionMode } from "../../../plugins/permissions/state.ts";
import { approvalAnswer, approvalRequest, pluginStatus } from "../../../plugins/requests/events.ts";
import { eventually } from "../../eventually.ts";
import { notes } from "../../kernel/notes.ts";
import { fc, seed } from "../../property.ts";
import { testGateway } from "../gateway/home.ts";
import { assistant, echoAgent } from "./home.ts";

type AnySession = any;

/** A plugin with the events of the agent, of requests and of permissions, and the contexts of its sessions. */
function scribe() {
  const contexts = new Map<string, PluginContext>();
  const plugin = definePlugin({
    id: "scribe",
    name: "Scribe",
    version: "1.0.0",
    events: {
      queue_update: queueUpdate,
      permission_mode: permissionMode,
      approval_request: approvalRequest,
      approval_answer: approvalAnswer,
      plugin_status: pluginStatus,
    },
    projections: { queue: queueProjection, queueSeq: queueSeqProjection },
    activate: (ctx: PluginContext) => void contexts.set(ctx.session.id, ctx),
  } as never);
  return { plugin, session: (id: string) => contexts.get(id)?.session as AnySession };
}

const small = { min: 1, max: 4 };
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("turn" as const), words: fc.nat(12), calls: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("unfinished" as const), words: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rewind" as const), back: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("queue" as const), count: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("queued" as const), change: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deliver" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ask" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), name: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("mode" as const), mode: fc.constantFrom("ask", "edits") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("status" as const), text: fc.option(fc.string()) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), turns: fc.integer(small) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const user = (content: string, meta?: object) => ({
  message: { role: "user", content, timestamp: 1, ...(meta && { meta }) },
});
const reply = (text: string, calls = 0) => ({
  message: {
    ...assistant,
    content: [
      { type: "text", text },
      ...Array.from({ length: calls }, (_, n) => ({ type: "toolCall", id: `call-${n}`, name: "Look", arguments: {} })),
    ],
    usage: { ...assistant.usage, input: 10, output: 2 },
  },
});

/** The state of a view, in a form that can be compared. */
function shown({ events, rows, live, queue, queueSeq, requests, status }: SessionView) {
  const { host: _host, connection, ...rest } = status;
  return { events: [...events], rows: [...rows], live, queue, queueSeq, requests, connection, status: rest };
}

let ids = 0;
const newEventId = () => `event${String(++ids).padStart(11, "0")}`;

async function world() {
  const { plugin, session } = scribe();
  const t = await testGateway({ plugins: [echoAgent, notes, plugin] });
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  const now = () => session(sessionId);
  await now().append("message", user("first"));
  let asked: string[] = [];
  let queued: string[] = [];

  const stream = async (words: number, calls: number, isFinished: boolean) => {
    const s = now();
    const id = newEventId();
    s.emit("runtime_start", {});
    s.emit("turn_start", { turnIndex: 0 });
    s.emit("message_start", { eventId: id, parentId: s.activeLeaf, role: "assistant", model: "a/b" });
    for (let n = 0; n < words; n++) {
      s.emit("thinking_delta", { eventId: id, delta: "hm ", blockIndex: 0 });
      s.emit("text_delta", { eventId: id, delta: `word ${n} ` });
    }
    for (let n = 0; n < calls; n++)
      for (const delta of ['{"a":', "1}"])
        s.emit("tool_call_delta", { eventId: id, toolCallId: `call-${n}`, toolName: "Look", delta });
    if (!isFinished) return;
    if (words === 0 && calls === 0) s.emit("message_cancelled", { eventId: id, reason: "user_cancel" });
    else await s.append("message", reply("words", calls), { id });
    for (let n = 0; n < calls; n++) {
      const [eventId, toolCallId, toolName] = [newEventId(), `call-${n}`, "Look"];
      s.emit("tool_execution_start", { eventId, parentId: s.activeLeaf, toolCallId, toolName, args: { n } });
      for (const state of ["waiting", "running"] as const)
        s.emit("tool_execution_state", { eventId, toolCallId, state });
      s.emit("tool_execution_update", { eventId, toolCallId, partial: { done: n } });
      const content = [{ type: "text", text: "seen" }];
      const message = { role: "tool_result", toolCallId, toolName, content, isError: false, timestamp: 3 };
      await s.append("message", { message }, { id: eventId });
      s.emit("tool_execution_end", { eventId, toolCallId, toolName, durationMs: 1, isError: false });
    }
    s.emit("turn_end", { turnIndex: 0 });
    s.emit("runtime_end", { reason: "completed" });
  };

  const take = async (done: Step): Promise<void> => {
    const s = now();
    if (done.do === "say") await s.append("message", user("hello"));
    else if (done.do === "turn") await stream(done.words, done.calls, true);
    else if (done.do === "unfinished") await stream(done.words, 1, false);
    else if (done.do === "rewind") {
      const events = s.tree.tail(done.back + 1).filter(({ type }: { type: string }) => type === "message");
      await s.append("rewind", { targetEventId: events[0]?.id ?? null });
    } else if (done.do === "queue") {
      queued = Array.from({ length: done.count }, (_, n) => `item-${n}`);
      const items = queued.map((id) => ({ id, mode: "steer", clientId: "tester", ...user(id) }));
      await s.append("queue_update", { items });
    } else if (done.do === "queued") {
      const [first, last] = [queued[0] ?? "none", queued.at(-1) ?? "none"];
      const added = { id: newEventId(), mode: "steer", clientId: "tester", ...user("more") };
      const changes = [
        { added: [added] },
        { removed: [first] },
        { changed: [{ id: last, ...user("changed") }] },
        { moved: [{ id: last, after: null }] },
      ];
      if (done.change === 0) queued = [...queued, added.id];
      if (done.change === 1) queued = queued.slice(1);
      await s.append("queue_update", changes[done.change]);
    } else if (done.do === "deliver")
      await s.append("message", user("queued", { queueItemId: queued.shift() ?? "none" }));
    else if (done.do === "ask") {
      asked = [...asked, newEventId()];
      await s.append("approval_request", {
        requestId: asked.at(-1),
        plugin: "scribe",
        kind: "confirm",
        title: "Go on?",
      });
    } else if (done.do === "answer")
      await s.append("approval_answer", { requestId: asked.shift() ?? "none", answer: "y" });
    else if (done.do === "rename")
      await s.append("session_info", { changes: { name: done.name, thinkingLevel: "high" } });
    else if (done.do === "mode") await s.append("permission_mode", { mode: done.mode });
    else if (done.do === "status") s.emit("plugin_status", { plugin: "scribe", ...(done.text && { text: done.text }) });
    else if (done.do === "compact" && s.activeLeaf) {
      const numbers = { tokensBefore: 2, tokensAfter: 1 };
      await s.append("compact", {
        summary: "short",
        compactedThrough: s.activeLeaf,
        ...numbers,
        usage: reply("").message.usage,
      });
    } else if (done.do === "cut") t.cut();
    else if (done.do === "restart") await t.restart();
    else if (done.do === "reopen") {
      await t.client.request("close_session", { sessionId });
      await t.restart();
      await t.client.request("load_session", { sessionId });
    } else if (done.do === "pass") for (let n = 0; n < done.turns; n++) await turn();
  };
  return { ...t, sessionId, take, session: now, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

const all = { tail: Number.POSITIVE_INFINITY };

it("equals, whatever happens, one that was made from scratch", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      await using w = await world();
      const [quick, slow] = [await w.connect(), await w.connect()];
      const views = [
        await followSession(quick, w.sessionId, all),
        await followSession(slow, w.sessionId, { ...all, capacity: 4, catchUpEvery: 0 }),
      ];
      for (const each of steps) await w.take(each);
      let changes = 0;
      for (const view of views) view.subscribe(() => void changes++);
      // A view that has missed events starts again, so this repeats until nothing changes.
      for (let before = -1; before !== changes; ) {
        before = changes;
        await eventually(() => expect(views.some(({ isBehind }) => isBehind)).toBe(false));
        await Promise.all([quick, slow].map((client) => client.drained(w.sessionId)));
      }
      const scratch = await followSession(await w.connect(), w.sessionId, all);
      for (const view of views) expect(shown(view)).toEqual(shown(scratch));
    }),
    { seed, numRuns: 40, endOnFailure: false },
  ));

/** Follows the world's session, and collects the kinds of changes. */
async function follow(w: Awaited<ReturnType<typeof world>>, options: FollowOptions = all, client?: Client) {
  const own = client ?? (await w.connect());
  const view = await followSession(own, w.sessionId, options);
  const changes: ViewChange[] = [];
  view.subscribe((change) => void changes.push(change));
  return { view, changes, drained: () => own.drained(w.sessionId) };
}

it("shows which rows belong to the conversation after a rewind, and on the other branch", async () => {
  await using w = await world();
  for (const each of ["say", "say"] as const) await w.take({ do: each });
  const { view, changes, drained } = await follow(w);
  await w.session().append("note", { text: "beside" });
  await w.take({ do: "rewind", back: 2 });
  await w.take({ do: "mode", mode: "edits" });
  await w.take({ do: "say" });
  await drained();
  const active = view.rows.map(({ type, active }) => `${type} ${active}`);
  expect(active).toEqual([
    "message true",
    "message true",
    "message false",
    "note false",
    "rewind false",
    "permission_mode true",
    "message true",
  ]);
  expect(changes.filter(({ kind }) => kind === "rows")).toEqual([
    { kind: "rows", index: 3, isNew: true },
    { kind: "rows", index: 2, isNew: false },
    { kind: "rows", index: 4, isNew: true },
    { kind: "rows", index: 5, isNew: true },
    { kind: "rows", index: 6, isNew: true },
  ]);
});

it("announces each word, and keeps arriving text apart from the rows", async () => {
  await using w = await world();
  const { view, changes, drained } = await follow(w);
  const rows = view.rows.length;
  await w.take({ do: "unfinished", words: 3 });
  await drained();
  const [live] = view.live;
  expect([view.rows.length, live?.kind === "reply" && live.text]).toEqual([rows, "word 0 word 1 word 2 "]);
  const words = changes.flatMap((change) => (change.kind === "text" ? change.delta : []));
  expect(words.join("")).toBe("word 0 word 1 word 2 ");
  expect(view.status).toMatchObject({ running: true, round: 0, connection: "live" });
});

it("begins with the last events, and gets earlier ones when asked", async () => {
  await using w = await world();
  await w.take({ do: "ask" });
  await w.take({ do: "queue", count: 2 });
  for (let n = 0; n < 5; n++) await w.take({ do: "turn", words: 2, calls: 1 });
  const whole = await follow(w);
  const { view, drained } = await follow(w, { tail: 3 });
  await eventually(() => expect(view.queue).toEqual(whole.view.queue));
  expect([view.events.length, view.more, view.requests]).toEqual([3, true, whole.view.requests]);
  expect(await view.earlier(4)).toBe(true);
  expect(view.events).toEqual(whole.view.events.slice(-7));
  expect(await view.earlier(1_000)).toBe(false);
  await w.take({ do: "say" });
  await Promise.all([drained(), whole.drained()]);
  expect(shown(view)).toEqual(shown(whole.view));
});

it("knows the queue that was made before its first event, with the changes since", async () => {
  await using w = await world();
  await w.take({ do: "queue", count: 3 });
  for (let n = 0; n < 3; n++) await w.take({ do: "say" });
  for (const change of [0, 1, 3]) await w.take({ do: "queued", change });
  const whole = await follow(w);
  const { view, drained } = await follow(w, { tail: 2 });
  expect(view.queue.map(({ content }) => content)).toEqual(["more", "item-1", "item-2"]);
  await w.take({ do: "queued", change: 2 });
  await Promise.all([drained(), whole.drained()]);
  expect([view.queue, view.queueSeq]).toEqual([whole.view.queue, whole.view.queueSeq]);
  expect(await view.earlier(2)).toBe(true);
  expect([view.queue, view.queueSeq]).toEqual([whole.view.queue, whole.view.queueSeq]);
});

it("shows that it is reconnecting, and why it has ended", async () => {
  await using w = await world();
  const { view, changes, drained } = await follow(w);
  const seen: string[] = [];
  view.subscribe(() => void seen.push(view.status.connection));
  w.cut();
  await eventually(() => expect(seen).toContain("reconnecting"));
  await eventually(() => expect(view.status.connection).toBe("live"));
  await w.take({ do: "say" });
  await drained();
  await w.client.request("close_session", { sessionId: w.sessionId });
  await w.restart(() => rmSync(w.home.session(`${w.sessionId}.jsonl`)));
  await eventually(() =>
    expect(view.status).toMatchObject({ connection: "closed", error: { code: "SESSION_UNKNOWN" } }),
  );
  expect([view.rows.length, changes.at(-1)]).toEqual([2, { kind: "status" }]);
});

it("is the same for a client in the host's own process", async () => {
  await using w = await world();
  const [near, far] = [await follow(w, all, w.client), await follow(w)];
  await w.take({ do: "turn", words: 3, calls: 2 });
  await w.take({ do: "unfinished", words: 3 });
  await Promise.all([near.drained(), far.drained()]);
  expect(shown(near.view)).toEqual(shown(far.view));
  await near.view.close();
  await w.take({ do: "say" });
  await far.drained();
  expect(near.view.rows.length).toBe(far.view.rows.length - 1);
  expect(near.view.status.connection).toBe("closed");
});

it("continues when a listener throws", async () => {
  await using w = await world();
  const thrown: unknown[] = [];
  const { changes, view, drained } = await follow(w, { ...all, listenerFailed: (each) => void thrown.push(each) });
  view.subscribe(() => {
    throw new Error("broken");
  });
  await w.take({ do: "say" });
  await drained();
  expect([changes.length > 0, thrown.length]).toEqual([true, changes.length]);
});

it("has the same questions as the plugin that asks them", () => {
  expectTypeOf<OpenRequest>().toExtend<ViewRequest>();
});
