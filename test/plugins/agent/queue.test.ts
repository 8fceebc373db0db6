import type { QueueItem, StoreProposal } from "@scorel/agent/contract";
import { definePlugin, type Events, newId, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { queueProjection, sentProjection } from "../../../plugins/agent/turn/queue.ts";
import { testHeader } from "../../harness.ts";
import { delayUntil, gate, hang, text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

const item = (id: string, messageId?: string): QueueItem => ({
  id,
  mode: "follow_up",
  clientId: "c",
  message: { role: "user", content: id, timestamp: 0, ...(messageId && { meta: { messageId } }) },
});
const update = (...items: QueueItem[]) => ({ id: "e", type: "queue_update", items }) as unknown as StoredEvent;
const change = (update: Events["queue_update"]) =>
  ({ id: "e", type: "queue_update", ...update }) as unknown as StoredEvent;
const message = (id: string, meta?: object) =>
  ({ id, type: "message", message: { role: "user", content: id, timestamp: 0, meta } }) as unknown as StoredEvent;
const fold = (definition: typeof queueProjection | typeof sentProjection, ...events: StoredEvent[]) =>
  events.reduce((state, event) => definition.update(state as never, event) as never, definition.init());

describe("the queue, read from the log,", () => {
  it("is what the changes since the last whole queue leave, in their order", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => item(id)) as [QueueItem, QueueItem, QueueItem, QueueItem];
    const events = [update(a, b), change({ added: [c] }), change({ moved: [{ id: "c", after: null }] })];
    expect(fold(queueProjection, ...events)).toEqual([c, a, b]);
    const others = [change({ removed: ["a"], changed: [{ id: "b", mode: "steer" }] }), change({ added: [d] })];
    expect(fold(queueProjection, ...events, ...others)).toEqual([c, { ...b, mode: "steer" }, d]);
    expect(fold(queueProjection, ...events, message("m", { queueItemId: "a" }), ...others, update(a))).toEqual([a]);
  });
  it("passes over what no message has, and loses none, whatever a damaged log says", () => {
    const [a, b] = [item("a"), item("b")];
    const broken: Events["queue_update"][] = [
      { removed: ["x"], changed: [{ id: "x", mode: "steer" }], moved: [{ id: "x", after: "a" }] },
      { moved: [{ id: "b", after: "x" }] },
      {
        moved: [
          { id: "b", after: "a" },
          { id: "b", after: "b" },
        ],
      },
      { added: [b] },
    ];
    for (const each of broken) expect(fold(queueProjection, update(a, b), change(each))).toEqual([a, b]);
  });
  it("is the last update without the messages delivered since", () => {
    expect(fold(queueProjection, update(item("a")), update(item("a"), item("b")))).toEqual([item("a"), item("b")]);
    expect(fold(queueProjection, update(item("a"), item("b")), message("m", { queueItemId: "a" }))).toEqual([
      item("b"),
    ]);
    expect(fold(queueProjection, update(item("a")), message("m"))).toEqual([item("a")]);
  });
});

describe("the result for a client-made message id", () => {
  it("is its first event or queue item, even after delivery", () => {
    const delivered = message("m2", { queueItemId: "b", messageId: "second" });
    const sent = fold(sentProjection, message("m1", { messageId: "first" }), update(item("b", "second")), delivered);
    expect(sent).toEqual([
      { messageId: "first", id: "m1" },
      { messageId: "second", id: "b" },
    ]);
  });
  it("is forgotten after many others", () => {
    const many = Array.from({ length: 300 }, (_, n) => message(`m${n}`, { messageId: `id-${n}` }));
    const sent = fold(sentProjection, ...many);
    expect(sent).toHaveLength(256);
    expect(sent.at(-1)).toEqual({ messageId: "id-299", id: "m299" });
  });
});

const told = (lines: string[]) => lines.filter((line) => /^(message |runtime_start|queue_update)/.test(line));

describe("a message sent again with the same id", () => {
  it("is not sent twice, and returns the first outcome", async () => {
    await using t = await openAgent([text("hello")]);
    const first = await t.agent.send("hi", { messageId: "one" });
    const second = await t.agent.send("hi", { messageId: "one" });
    expect(second).toMatchObject({ status: "duplicate", id: first.id });
    expect(await second.turn).toEqual(await first.turn);
    expect(t.server.requests).toHaveLength(1);
  });

  it("at the same moment starts only one turn", async () => {
    await using t = await openAgent([text("hello")]);
    const [first, second] = await Promise.all([
      t.agent.send("hi", { messageId: "one" }),
      t.agent.send("hi", { messageId: "one" }),
    ]);
    expect([first?.status, second?.status]).toEqual(["started", "duplicate"]);
    expect(await second?.turn).toEqual(await first?.turn);
  });

  it("while it is queued returns the same item", async () => {
    const answering = gate();
    await using t = await openAgent([[delayUntil(answering.promise), text("one")], text("two")]);
    await t.agent.send("go");
    const first = await t.agent.send("next", { messageId: "n" });
    const second = await t.agent.send("next", { messageId: "n" });
    expect(second).toMatchObject({ status: "duplicate", id: first.id });
    answering.open();
    expect(await second.turn).toMatchObject({ text: "two" });
    expect(await first.turn).toEqual(await second.turn);
  });

  it("behind hundreds of others has one outcome, for its sender and for whoever asks again", async () => {
    const answering = gate();
    await using t = await openAgent([[delayUntil(answering.promise), text("one")], text("all others")]);
    await t.agent.send("go");
    const waiting = [];
    for (let n = 0; n < 300; n++) waiting.push(await t.agent.send(`message ${n}`));
    const [first] = waiting;
    const again = t.agent.outcomeOf?.(first?.id as string);
    answering.open();
    expect(await again).toMatchObject({ text: "all others" });
    expect(await first?.turn).toEqual(await again);
  });

  it("in another process returns the outcome from the log", async () => {
    const store = createMemoryStore(testHeader);
    await using first = await openAgent([text("hello")], { kernel: { store } });
    const sent = await first.agent.send("hi", { messageId: "one" });
    const { reason, text: answer, usage, stopReason, leafId } = await sent.turn;
    const events = store.records.map((record) => JSON.parse(record) as StoredEvent);
    await using second = await openAgent([], { kernel: { store: createMemoryStore(testHeader, events) } });
    const again = await second.agent.send("hi", { messageId: "one" });
    expect(again).toMatchObject({ status: "duplicate", id: sent.id });
    expect(await again.turn).toMatchObject({ reason, text: answer, usage, stopReason, leafId });
  });

  it("in another process reports that its turn never ended", async () => {
    const store = createMemoryStore(testHeader);
    await using first = await openAgent([[hang()]], { kernel: { store } });
    await first.agent.send("hi", { messageId: "one" });
    const events = store.records.map((record) => JSON.parse(record) as StoredEvent);
    await using second = await openAgent([], { kernel: { store: createMemoryStore(testHeader, events) } });
    const again = await second.agent.send("hi", { messageId: "one" });
    expect(await again.turn).toMatchObject({ reason: "error", error: { code: "AGENT_INTERRUPTED" } });
  });
});

describe("another message with the same id", () => {
  const reused = { code: "MESSAGE_ID_REUSED", data: { operation: "send_message", messageId: "one" } };
  const reopened = (store: ReturnType<typeof createMemoryStore>, options: Parameters<typeof openAgent>[1] = {}) => {
    const events = store.records.map((record) => JSON.parse(record) as StoredEvent);
    return openAgent([], { ...options, kernel: { store: createMemoryStore(testHeader, events) } });
  };
  /** A plugin that replaces all numbers, differently each time. */
  const hider = () =>
    definePlugin({
      id: "hider",
      name: "Hider",
      version: "1.0.0",
      hooks: () => ({
        beforeStore: async ({ message }: StoreProposal) =>
          typeof message.content === "string" ? { content: message.content.replace(/\d+/g, () => newId()) } : {},
      }),
    });

  it("is refused, also while the first is queued and when both come at once", async () => {
    const answering = gate();
    await using t = await openAgent([[delayUntil(answering.promise), text("one")], text("two")]);
    const both = await Promise.allSettled(["hi", "ho"].map((content) => t.agent.send(content, { messageId: "both" })));
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await t.agent.send("next", { messageId: "one" });
    await expect(t.agent.send("other", { messageId: "one" })).rejects.toMatchObject(reused);
    expect((await t.agent.send("next", { messageId: "one" })).status).toBe("duplicate");
    answering.open();
    await t.agent.waitForIdle();
  });

  it("is refused by another process, which only knows the log", async () => {
    const store = createMemoryStore(testHeader);
    await using first = await openAgent([text("hello")], { kernel: { store } });
    await (await first.agent.send("hi", { messageId: "one" })).turn;
    await using second = await reopened(store);
    await expect(second.agent.send("ho", { messageId: "one" })).rejects.toMatchObject(reused);
    expect((await second.agent.send("hi", { messageId: "one" })).status).toBe("duplicate");
  });

  it("is compared with what was sent, of which the log keeps no hash when a part was hidden", async () => {
    const store = createMemoryStore(testHeader);
    await using first = await openAgent([text("hello")], { plugins: [hider()], kernel: { store } });
    await (await first.agent.send("pin 1234", { messageId: "one" })).turn;
    expect((await first.agent.send("pin 1234", { messageId: "one" })).status).toBe("duplicate");
    await expect(first.agent.send("pin 5678", { messageId: "one" })).rejects.toMatchObject(reused);
    expect(store.records.join()).not.toMatch(/1234|sentHash/);
    // A message that is not in the log counts as repeated, since the first one was certainly sent.
    await using second = await reopened(store, { plugins: [hider()] });
    expect((await second.agent.send("pin 1234", { messageId: "one" })).status).toBe("duplicate");
  });
});

describe("queued messages", () => {
  /** An agent whose turn waits in a tool until it is released. */
  async function standing(script: Parameters<typeof openAgent>[0]) {
    const working = gate();
    const tools = [tool("work", () => working.promise.then(() => says("worked")))];
    const t = await openAgent(script, { tools });
    const started = t.next(({ type }) => type === "tool_execution_start");
    const sent = await t.agent.send("go");
    await started;
    return { ...t, sent, proceed: working.open };
  }

  it("are each delivered once: steering ones between rounds, one follow-up at each rest", async () => {
    await using t = await standing([toolCall("work", {}), text("a"), text("b"), text("c")]);
    await t.agent.send("follow 1");
    await t.agent.send("steer 1", { running: "steer" });
    await t.agent.send("steer 2", { running: "steer" });
    await t.agent.send("follow 2");
    t.proceed();
    await t.sent.turn;
    expect(told(await t.story())).toEqual([
      "message user: go",
      "runtime_start",
      "message assistant: <work>",
      ...["1", "+1", "+1", "+1"].map((n) => `queue_update ${n}`),
      "message tool_result: worked",
      "message user: steer 1",
      "message user: steer 2",
      "message assistant: a",
      "message user: follow 1",
      "message assistant: b",
      "message user: follow 2",
      "message assistant: c",
    ]);
    expect(t.session.projection("queue")).toEqual([]);
    // At every event where a process could be killed, each requested message is either delivered or waiting, but never
    // both.
    const events = t.stored();
    for (let killed = 0; killed <= events.length; killed++) {
      const left = events.slice(0, killed);
      const asked = left.flatMap((event: any) => (event.items ?? event.added ?? []).map(({ id }: QueueItem) => id));
      const delivered = left.flatMap((event: any) => event.message?.meta?.queueItemId ?? []);
      const waiting = fold(queueProjection, ...left) as QueueItem[];
      expect([...delivered, ...waiting.map(({ id }) => id)].sort()).toEqual(asked.sort());
    }
  });

  it("are each written once, however many wait, and moved and removed without their text", async () => {
    await using t = await standing([toolCall("work", {}), text("done")]);
    const written = t.stored().length;
    for (let n = 0; n < 200; n++) await t.agent.send(`message ${n} ${"x".repeat(80)}`);
    const queue = t.session.projection("queue").map(({ id }) => ({ id }));
    const bytes = () => JSON.stringify(t.stored().slice(written)).length;
    expect(bytes()).toBeLessThan(200 * 500);
    const before = bytes();
    await t.agent.rewriteQueue([queue[199], ...queue.slice(0, 100), ...queue.slice(101, 199)] as { id: string }[]);
    expect(t.session.projection("queue").map(({ id }) => id)).toEqual([
      queue[199]?.id,
      ...[...queue.slice(0, 100), ...queue.slice(101, 199)].map(({ id }) => id),
    ]);
    expect(bytes() - before).toBeLessThan(500);
    await t.agent.rewriteQueue([]);
    expect(t.stored().at(-1)).toMatchObject({ type: "queue_update", items: [] });
    t.proceed();
    await t.sent.turn;
  });

  it("stay queued when the turn is cancelled, and are delivered in the next turn", async () => {
    await using t = await standing([toolCall("work", {}), text("a"), text("b")]);
    const follow = await t.agent.send("follow");
    const steer = await t.agent.send("steer", { running: "steer" });
    await t.agent.cancel();
    expect(t.session.projection("queue").map(({ id }) => id)).toEqual([follow.id, steer.id]);
    const { turn } = await t.agent.send("again");
    expect(await turn).toMatchObject({ reason: "completed", text: "b" });
    expect([await steer.turn, await follow.turn]).toEqual([await turn, await turn]);
    expect(told(await t.story()).slice(-6)).toEqual([
      "message user: again",
      "runtime_start",
      "message user: steer",
      "message assistant: a",
      "message user: follow",
      "message assistant: b",
    ]);
  });

  it("can be reordered, changed and removed, but not added", async () => {
    await using t = await standing([toolCall("work", {}), text("a"), text("b")]);
    const sent = [await t.agent.send("one"), await t.agent.send("two"), await t.agent.send("three")];
    const [one, two, three] = t.session.projection("queue") as [QueueItem, QueueItem, QueueItem];
    await expect(t.agent.rewriteQueue([two, { ...one, id: "made-up" }])).rejects.toMatchObject({
      code: "AGENT_QUEUE_UNKNOWN",
    });
    await expect(t.agent.rewriteQueue([two, two])).rejects.toMatchObject({ code: "AGENT_QUEUE_UNKNOWN" });
    await t.agent.rewriteQueue([{ ...three, message: { ...three.message, content: "3" } }, one]);
    expect(await sent[1]?.turn).toMatchObject({ reason: "cancelled", error: { code: "AGENT_REMOVED" } });
    t.proceed();
    await t.sent.turn;
    const users = told(await t.story()).filter((line) => line.startsWith("message user"));
    expect(users.slice(1)).toEqual(["message user: 3", "message user: one"]);
  });

  it("can be switched between modes, and are then delivered accordingly", async () => {
    await using t = await standing([toolCall("work", {}), text("a"), text("b")]);
    const later = await t.agent.send("now, after all");
    const soon = await t.agent.send("it can wait", { running: "steer" });
    await t.agent.rewriteQueue([
      { id: soon.id, mode: "follow_up" },
      { id: later.id, mode: "steer" },
    ]);
    t.proceed();
    await t.sent.turn;
    const said = told(await t.story()).filter((line) => line.startsWith("message "));
    expect(said.slice(3)).toEqual([
      "message user: now, after all",
      "message assistant: a",
      "message user: it can wait",
      "message assistant: b",
    ]);
  });

  it("cannot be changed after delivery, and then nothing else is changed either", async () => {
    await using t = await standing([toolCall("work", {}), [text("a"), hang()]]);
    const steer = await t.agent.send("steer", { running: "steer" });
    const follow = await t.agent.send("follow");
    const streaming = t.server.request(1);
    t.proceed();
    await streaming;
    const delivered = t.stored().find((event: any) => event.message?.meta?.queueItemId === steer.id);
    await expect(t.agent.rewriteQueue([{ id: follow.id, mode: "steer" }, { id: steer.id }])).rejects.toMatchObject({
      code: "AGENT_QUEUE_UNKNOWN",
      message: expect.stringContaining(`it was delivered as event ${delivered?.id}`),
    });
    expect(t.session.projection("queue")).toMatchObject([{ id: follow.id, mode: "follow_up" }]);
  });

  it("are changed by only one of two clients with the same state; the other gets an error", async () => {
    await using t = await standing([toolCall("work", {}), text("a"), text("b")]);
    const { id } = await t.agent.send("one");
    const seen = t.session.projection("queueSeq");
    const change = (content: string) =>
      t.agent.rewriteQueue([{ id, message: { role: "user", content, timestamp: 0 } }], { expectedSeq: seen });
    const settled = await Promise.allSettled([change("first"), change("second")]);
    expect(settled).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "AGENT_QUEUE_CONFLICT" } },
    ]);
    expect(t.session.projection("queue")).toMatchObject([{ id, message: { content: "first" } }]);
    const rewritten = t.session.projection("queueSeq");
    t.proceed();
    await t.sent.turn;
    // Delivery changes the queue, too.
    expect(t.session.projection("queueSeq")).toBeGreaterThan(rewritten);
  });

  it("start a turn on request, in order and on the current branch", async () => {
    await using t = await standing([toolCall("work", {}), text("a"), text("b")]);
    const follow = await t.agent.send("follow");
    const steer = await t.agent.send("steer", { running: "steer" });
    await expect(t.agent.runQueue()).rejects.toMatchObject({ code: "AGENT_BUSY" });
    await t.agent.cancel();
    await t.session.append("rewind", { targetEventId: t.sent.id });
    const sent = await t.agent.runQueue();
    expect(await sent?.turn).toMatchObject({ reason: "completed", text: "b" });
    expect(await steer.turn).toEqual(await sent?.turn);
    expect(await follow.turn).toEqual(await sent?.turn);
    const texts = t.session.buildContext().map((message: any) => message.content[0]?.text ?? message.content);
    expect(texts).toEqual(["go", "steer", "a", "follow", "b"]);
    expect(await t.agent.runQueue()).toBeUndefined();
  });

  it("get their outcome when the session closes, and stay in the log", async () => {
    const t = await standing([toolCall("work", {})]);
    const follow = await t.agent.send("follow");
    await t[Symbol.asyncDispose]();
    expect(await follow.turn).toMatchObject({ reason: "cancelled", error: { code: "AGENT_STOPPED" } });
    await expect(t.agent.send("more")).rejects.toMatchObject({ code: "AGENT_STOPPED" });
  });
});

it("a message sent while the turn is being cancelled starts the next turn", async () => {
  await using t = await openAgent([[hang()], text("fresh")]);
  const streaming = t.server.request(0);
  await t.agent.send("go");
  await streaming;
  t.agent.abort();
  const sent = await t.agent.send("something else");
  expect(sent.status).toBe("started");
  expect(await sent.turn).toMatchObject({ reason: "completed", text: "fresh" });
});

it("messages sent at any moment of a turn are all answered", async () => {
  await using t = await openAgent(() => text("ok"));
  const sends = [];
  for (let n = 0; n < 30; n++) {
    sends.push(t.agent.send(`message ${n}`, { running: n % 3 === 0 ? "steer" : "follow_up" }));
    for (let ticks = 0; ticks < n * 5; ticks++) await null;
    if (n % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const outcomes = await Promise.all(sends.map(async (sent) => (await sent).turn));
  expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(new Set(["completed"]));
  const users = t.stored().filter((event) => (event as any).message?.role === "user");
  expect(new Set(users.map((event) => (event as any).message.content)).size).toBe(30);
  expect(users).toHaveLength(30);
  expect(t.session.projection("queue")).toEqual([]);
});

describe("a message that mentions a file which takes long to read", () => {
  /** A service `mentions` whose every attachment waits for `ready`. */
  const slowMentions = (ready: Promise<void>) =>
    definePlugin({
      ...{ id: "mentions", name: "Mentions", version: "1.0.0", provides: ["mentions"] },
      activate: (ctx) => ctx.provide("mentions", { attach: () => ready.then(() => undefined) }),
    });
  const asked = (t: { stored(): StoredEvent[] }) =>
    t.stored().flatMap((event: any) => (event.message?.role === "user" ? [event.message.content] : []));

  it("is not overtaken by one that was sent after it", async () => {
    const reading = gate();
    await using t = await openAgent([text("a"), text("b"), text("c")], { plugins: [slowMentions(reading.promise)] });
    const sent = [t.agent.send("read @large"), t.agent.send("then this"), t.agent.send("and @another")];
    reading.open();
    const turns = await Promise.all(sent);
    expect(turns.map(({ status }) => status)).toEqual(["started", "queued", "queued"]);
    for (const { turn } of turns) await turn;
    expect(asked(t)).toEqual(["read @large", "then this", "and @another"]);
  });

  it("and cannot be read delays no other", async () => {
    const reading = gate();
    const broken = reading.promise.then(() => Promise.reject(new Error("no such device")));
    await using t = await openAgent([text("a")], { plugins: [slowMentions(broken)] });
    const [first, second] = [t.agent.send("read @large"), t.agent.send("then this")];
    reading.open();
    await expect(first).rejects.toThrow("no such device");
    await (await second).turn;
    expect(asked(t)).toEqual(["then this"]);
  });
});
