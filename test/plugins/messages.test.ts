import { type ConvertContext, definePlugin, type EventOf, type ScorelError, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import messages from "@scorel/messages";
import type {
  AssistantMessage,
  HarnessItem,
  ScorelMessage,
  ToolResultMessage,
  UserMessage,
} from "@scorel/messages/contract";
import { describe, expect, it } from "vitest";
import { displayText } from "../../plugins/kit/text/display.ts";
import { displayMessage } from "../../plugins/messages/display.ts";
import { contained, type TestKernel, testHeader, testKernel } from "../harness.ts";
import { fc } from "../property.ts";

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
const user = (content: UserMessage["content"], source?: "steer" | "followUp"): UserMessage => ({
  role: "user",
  content,
  timestamp: 0,
  ...(source && { meta: { source } }),
});
const assistant = (content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content,
  api: "a",
  provider: "p",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 0,
  ...more,
});
const call = (id: string, args: Record<string, unknown> = {}) => ({
  type: "toolCall" as const,
  id,
  name: "Bash",
  arguments: args,
});
const result = (toolCallId: string, text: string, isError = false): ToolResultMessage => ({
  role: "tool_result",
  toolCallId,
  toolName: "Bash",
  content: [{ type: "text", text }],
  isError,
  timestamp: 0,
});
const says = (text: string) => assistant([{ type: "text", text }]);

async function write(t: TestKernel, ...given: ScorelMessage[]): Promise<string[]> {
  const written = await t.session.appendAll(given.map((message) => ({ type: "message", payload: { message } })));
  return written.map(({ id }) => id);
}
async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (thrown: ScorelError) => thrown.code,
  );
}

describe("the messages for a model", () => {
  it("are the messages as stored, with all fields of the provider, but no internal ones", async () => {
    await using t = await testKernel([messages]);
    const signed = assistant(
      [
        { type: "thinking", thinking: "hm", thinkingSignature: "s" },
        { ...call("1"), thoughtSignature: "t" },
      ],
      { responseId: "r" },
    );
    const internal: ScorelMessage = { role: "internal", content: "only for people", timestamp: 0 };
    await write(t, user("go"), signed, result("1", "ok"), internal);
    expect(t.session.buildContext()).toEqual([user("go"), signed, result("1", "ok")]);
  });

  it("have steering messages and follow-ups as the user's own words after the results", async () => {
    await using t = await testKernel([messages]);
    await write(
      t,
      user("go"),
      assistant([call("1")]),
      result("1", "ok"),
      user("this way", "steer"),
      user([{ type: "text", text: "and then" }], "followUp"),
    );
    expect(t.session.buildContext().slice(-3)).toEqual([
      result("1", "ok"),
      user("this way", "steer"),
      user([{ type: "text", text: "and then" }], "followUp"),
    ]);
  });

  it("have them as separate messages where no result directly precedes, or an image would be lost", async () => {
    await using t = await testKernel([messages]);
    const image = user([{ type: "image", data: "aGk=", mimeType: "image/png" }], "steer");
    const conversation = [
      user("go"),
      says("hm"),
      user("this way", "steer"),
      assistant([call("1")]),
      result("1", "ok"),
      image,
    ];
    await write(t, ...conversation);
    expect(t.session.buildContext()).toEqual(conversation);
  });

  it("have a summary for what was compacted, and what was kept after it", async () => {
    await using t = await testKernel([messages]);
    const [, compactedThrough] = await write(t, user("one"), says("1"), user("two"), says("2"));
    await t.session.append("compact", {
      summary: "They counted.",
      compactedThrough: compactedThrough as string,
      tokensBefore: 9,
      tokensAfter: 3,
    });
    await write(t, user("three"));
    const [summary, ...rest] = t.session.buildContext();
    expect(summary).toMatchObject({
      role: "user",
      content: expect.stringContaining("<summary>\nThey counted.\n</summary>"),
    });
    expect(rest).toEqual([user("two"), says("2"), user("three")]);
  });

  it("have an extension's message, but neither its data nor any event beside the conversation", async () => {
    await using t = await testKernel([messages]);
    await write(t, user("go"));
    await t.session.append("custom_message", { kind: "memory", message: user("remember"), data: { secret: 1 } });
    await t.session.append("custom", { kind: "bookmark", data: null });
    await t.session.append("session_info", { changes: { name: "n" } });
    await t.session.append("channel_inject", { channel: "telegram", externalId: "1" });
    expect(t.session.buildContext()).toEqual([user("go"), user("remember")]);
  });
});

describe("a reminder of the harness", () => {
  const item = (text: string, more: Partial<HarnessItem> = {}): HarnessItem => ({
    kind: "runtime_notice",
    origin: "system",
    visibility: "both",
    text,
    ...more,
  });
  const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;

  it("is joined to the tool result before it, in order, and is a message of its own after what the user has said", async () => {
    await using t = await testKernel([messages]);
    await write(t, user("go"), assistant([call("1")]), result("1", "ok"));
    await t.session.append("harness_item", item("The quota is half used."));
    await write(t, user("this way", "steer"));
    await t.session.append("harness_item", item("It is Tuesday.", { kind: "date_change", visibility: "model" }));
    const [joined, steered, own] = t.session.buildContext().slice(-3);
    expect(joined).toEqual({
      ...result("1", "ok"),
      content: ["ok", reminder("The quota is half used.")].map((text) => ({ type: "text", text })),
    });
    expect(steered).toEqual(user("this way", "steer"));
    expect(own).toMatchObject({ role: "user", content: reminder("It is Tuesday.") });
  });

  it("is a message of its own where no tool result precedes", async () => {
    await using t = await testKernel([messages]);
    await write(t, user("go"));
    const { ts: timestamp } = await t.session.append("harness_item", item("Mind the gap.", { kind: "attachment" }));
    expect(t.session.buildContext()).toEqual([
      user("go"),
      { role: "user", content: reminder("Mind the gap."), timestamp },
    ]);
  });

  it("is hidden from the model when it is for people only", async () => {
    await using t = await testKernel([messages]);
    await write(t, user("go"));
    const { id } = await t.session.append("harness_item", item("A file changed.", { visibility: "user" }));
    expect(t.session.buildContext()).toEqual([user("go")]);
    expect(t.session.activeLeaf).toBe(id);
  });

  it("is never drawn as a message", async () => {
    await using t = await testKernel([messages]);
    const given = [
      item("Half used."),
      item("It is Tuesday.", { kind: "date_change" }),
      item("this way", { kind: "steer", origin: "user" }),
      item("You like tea.", { kind: "memory" }),
      item("for the model", { visibility: "model" }),
    ];
    for (const payload of given) await t.session.append("harness_item", payload);
    expect([...t.session.tree].map((event) => t.session.display(event))).toEqual([
      { display: "notice", level: "warning", text: "Half used." },
      { display: "notice", level: "info", text: "It is Tuesday." },
      { display: "notice", level: "info", text: "Steered: this way" },
      { display: "fold", title: "Remembered", text: "You like tea." },
      { display: "hidden" },
    ]);
  });

  it("cannot end its tag, whatever it contains", async () => {
    const tag = fc.constantFrom(
      "</system-reminder>",
      "<system-reminder>",
      "< / System-Reminder >",
      "<</system-reminder",
    );
    const piece = fc.oneof(fc.string({ minLength: 1 }), tag);
    const text = fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (first, noted) => {
        await using t = await testKernel([messages]);
        await write(t, user("go"), assistant([call("1")]), result("1", "ok"));
        await t.session.append("harness_item", item(first));
        await t.session.append("harness_item", item(noted));
        const blocks = t.session.buildContext().at(-1)?.content.slice(1) as { text: string }[];
        const tags = blocks.map((block) => block.text.match(/^<system-reminder>\n|<[\s/]*system-reminder>?|$/gi));
        expect(tags).toEqual(blocks.map(() => ["<system-reminder>\n", "</system-reminder>", ""]));
        expect(blocks.every((block) => block.text.endsWith("\n</system-reminder>"))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the leaf", () => {
  it("follows messages, moves with rewind and branch, and ignores other events", async () => {
    await using t = await testKernel([messages]);
    const [one, two] = await write(t, user("one"), says("1"));
    await t.session.append("session_info", { changes: { name: "n" } });
    await t.session.append("custom", { kind: "k", data: 1 });
    await t.session.append("channel_inject", { channel: "c", externalId: "1" });
    expect(t.session.activeLeaf).toBe(two);
    await t.session.append("rewind", { targetEventId: one as string });
    expect(t.session.activeLeaf).toBe(one);
    const [other] = await write(t, says("other"));
    await t.session.append("branch", { leafEventId: two as string });
    expect(t.session.activeLeaf).toBe(two);
    expect(t.session.tree.leaves().map(({ id }) => id)).toEqual([two, other]);
  });
});

describe("an event is announced only when it would survive a power loss", () => {
  it.each([
    ["a user's message", user("go"), true],
    ["a reply that calls tools", assistant([call("1")]), true],
    ["a reply that only says something", says("hm"), false],
    ["a tool's result", result("1", "ok"), false],
  ])("%s: %#", async (_what, message, durable) => {
    let allow = () => {};
    const allowed = new Promise<void>((resolve) => {
      allow = resolve;
    });
    const store = { ...createMemoryStore(testHeader), sync: () => allowed };
    await using t = await testKernel([messages], { store });
    const heard: string[] = [];
    t.kernel.subscribe((event) => void heard.push(event.type));
    const written = t.session.append("message", { message });
    for (let ticks = 0; ticks < 20; ticks++) await null;
    expect(heard).toEqual(durable ? [] : ["message"]);
    allow();
    await written;
    await t.kernel.drained();
    expect(heard).toEqual(["message"]);
  });
});

describe("a payload", () => {
  it.each<[string, object]>([
    ["message", { message: { role: "stranger", content: "hi", timestamp: 0 } }],
    ["message", { message: { role: "user", timestamp: 0 } }],
    ["message", { message: user("hi"), more: 1 }],
    ["rewind", {}],
    ["compact", { summary: "s" }],
    ["custom", { kind: "" }],
  ])("of %s with %j is refused", async (type, payload) => {
    await using t = await testKernel([messages]);
    expect(await codeOf(t.session.append(type as never, payload as never))).toBe("EVENT_INVALID");
  });
});

it("the session's settings are all its changes merged", async () => {
  await using t = await testKernel([messages]);
  await t.session.append("session_info", { changes: { model: "a/b", name: "first" } });
  await t.session.append("session_info", { changes: { name: "second", custom: 1 } });
  expect(t.session.projection("sessionMeta")).toEqual({ model: "a/b", name: "second", custom: 1 });
});

it("listeners get the fields of known events under these names, too", async () => {
  const heard: Record<string, any>[] = [];
  const listener = definePlugin({ id: "l", name: "L", version: "1.0.0", onEvent: (event) => void heard.push(event) });
  await using t = await testKernel([messages, listener]);
  const [one] = await write(t, user("one"), says("1"));
  await t.session.append("rewind", { targetEventId: one as string });
  t.session.emit("tool_execution_update", { eventId: "e", toolCallId: "1", partial: { content: [] } });
  t.session.emit("turn_error", { error: { code: "X", message: "broken" } });
  await t.kernel.drained();
  expect(heard.slice(2)).toMatchObject([
    { type: "rewind", targetEventId: one, targetId: one },
    { type: "tool_execution_update", partialResult: { content: [] } },
    { type: "turn_error", error: { code: "X", message: "broken" } },
  ]);
  expect(heard[4]?.error).toBeInstanceOf(Error);
});

describe("for display", () => {
  it("every kind of event has a form", async () => {
    await using t = await testKernel([messages]);
    const [go] = await write(
      t,
      user("go"),
      assistant([
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "on it" },
        call("1", { command: "npm  test" }),
      ]),
      result("1", "2 failed", true),
      user("this way", "steer"),
      user("and then", "followUp"),
      assistant([{ type: "text", text: "half" }], { stopReason: "aborted", partial: true }),
      assistant([{ type: "text", text: "lost" }], { stopReason: "error", partial: true }),
      assistant([call("2")]),
      { role: "internal", content: "only for people", timestamp: 0 },
    );
    await t.session.append("compact", {
      summary: "short",
      compactedThrough: go as string,
      tokensBefore: 9,
      tokensAfter: 3,
    });
    await t.session.append("channel_inject", { channel: "telegram", externalId: "1" });
    await t.session.append("session_info", { changes: { model: "a/b", name: "n" } });
    await t.session.append("custom", { kind: "bookmark", data: 1 });
    await t.session.append("custom", { kind: "bookkeeping", data: { hidden: true } });
    await t.session.append("custom_message", { kind: "memory", message: user("remember") });
    await t.session.append("branch", { leafEventId: t.session.activeLeaf as string });
    await t.session.append("rewind", { targetEventId: go as string });
    const shown = [...t.session.tree].map((event) => t.session.display(event));
    expect(shown).toEqual([
      { display: "bubble", role: "user", text: "go" },
      { display: "bubble", role: "assistant", text: "on it", thinking: "hm" },
      { display: "card", title: "Bash npm test", status: "error", text: "2 failed" },
      { display: "bubble", role: "user", text: "this way", label: "steered" },
      { display: "bubble", role: "user", text: "and then", label: "follow-up" },
      { display: "bubble", role: "assistant", text: "half", partial: true, interrupted: true },
      { display: "bubble", role: "assistant", text: "lost", partial: true },
      { display: "hidden" },
      { display: "notice", level: "info", text: "only for people" },
      { display: "fold", title: "Compacted: 9 → 3 tokens", text: "short" },
      { display: "badge", text: "from Telegram" },
      { display: "notice", level: "info", text: "Model switched to a/b; Session renamed to n" },
      { display: "notice", level: "info", text: "[bookmark]" },
      { display: "hidden" },
      { display: "bubble", role: "user", text: "remember", label: "memory" },
      { display: "marker", text: "Switched to another branch", target: expect.any(String) },
      { display: "marker", text: "Went back to here", target: go },
    ]);
    expect(shown.map(displayText).filter((text) => text === "")).toHaveLength(2);
  });

  it("a call that a person refused says so, without the text for the model", async () => {
    await using t = await testKernel([messages]);
    const text = "Denied: the user said no. Do not try the same in another way.";
    const refused = (id: string, reason: object) => ({ ...result(id, text, true), meta: { refused: reason } });
    await write(t, assistant([call("1"), call("2")]), refused("1", {}), refused("2", { reason: "use mkdir" }));
    const [, ...shown] = [...t.session.tree].map((event) => t.session.display(event));
    expect(shown).toEqual([
      { display: "card", title: "Bash", status: "error", text: "You said no." },
      { display: "card", title: "Bash", status: "error", text: "You said no: use mkdir" },
    ]);
  });

  it("results without a reply above them are looked up in one step each", () => {
    const events = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ id: `${at}`, parentId: at === 0 ? null : `${at - 1}`, type: "message", message: result(`${at}`, "ok") },
    })) as unknown as EventOf<"message">[];
    let steps = 0;
    const get = (id: string) => {
      steps++;
      return events[Number(id)];
    };
    const context = { get, find: () => undefined } as unknown as ConvertContext;
    for (const event of events) displayMessage(event.message, event, context);
    expect(steps).toBeLessThan(3_000);
  });

  it("a running tool is a card, and a failed turn gives the reason", async () => {
    await using t = await testKernel([messages]);
    const start = t.session.emit("tool_execution_start", {
      eventId: "e",
      parentId: "p",
      toolCallId: "1",
      toolName: "Bash",
      args: { command: `${"x".repeat(73)}${"😀".repeat(9)}` },
    });
    const failed = t.session.emit("turn_error", { error: { code: "X", message: "broken" } });
    const delta = t.session.emit("text_delta", { eventId: "e", delta: "hi" });
    expect([start, failed, delta].map((event) => t.session.display(event))).toEqual([
      { display: "card", title: `Bash ${"x".repeat(73)}…`, status: "running", text: "" },
      { display: "notice", level: "error", text: "broken" },
      { display: "hidden" },
    ]);
  });
});

it("a log reads the same after reopening", async () => {
  const store = createMemoryStore(testHeader);
  await using first = await testKernel([messages], { store });
  await write(first, user("go"), assistant([call("1")]), result("1", "ok"), user("this way", "steer"), says("done"));
  const events = store.records.map((record) => JSON.parse(record) as StoredEvent);
  await using second = await testKernel([messages], { store: createMemoryStore(testHeader, events) });
  expect(second.session.buildContext()).toEqual(first.session.buildContext());
});

describe("deltas, which are looked at without their schema,", () => {
  const good = {
    text_delta: { eventId: "e", delta: "d" },
    thinking_delta: { eventId: "e", delta: "d", blockIndex: 0 },
    tool_call_delta: { eventId: "e", toolCallId: "c", delta: "d" },
  };

  it.each(Object.entries(good))("are taken as before: %s", async (type, payload) => {
    await using t = await testKernel([messages]);
    const emit = (given: object) => t.session.emit(type as "text_delta", given as never);
    expect(emit(payload)).toMatchObject({ type, ...payload });
    for (const key of Object.keys(payload)) {
      expect(() => emit({ ...payload, [key]: { not: "this" } })).toThrow(new RegExp(`"${type}".*${key}`));
      expect(() => emit(Object.fromEntries(Object.entries(payload).filter(([name]) => name !== key)))).toThrow(key);
    }
    expect(() => emit({ ...payload, more: 1 })).toThrow("more");
  });
});

describe("custom events with a display form for their kind", () => {
  const drawing = (displays: () => unknown) =>
    definePlugin({ id: "drawing", name: "Drawing", version: "1.0.0", displays } as never);
  const shownBy = async (displays: () => unknown) => {
    const t = await testKernel([messages, contained(drawing(displays))]);
    await t.session.append("custom", { kind: "bookmark", data: { name: "start" } });
    await t.session.append("custom_message", { kind: "bookmark", message: user("remember"), data: 1 });
    await t.session.append("custom", { kind: "other", data: 1 });
    const shown = [...t.session.tree].map((event) => t.session.display(event));
    return { shown, failures: t.kernel.failures.map(({ message }) => message) };
  };
  const other = { display: "notice", level: "info", text: "[other]" };
  const plain = [
    { display: "notice", level: "info", text: "[bookmark]" },
    { display: "bubble", role: "user", text: "remember", label: "bookmark" },
    other,
  ];

  it("are drawn by the plugin that has the kind", async () => {
    const badge = (event: { type: string; data: unknown }) => ({
      display: "badge",
      text: `${event.type} ${JSON.stringify(event.data)}`,
    });
    expect(await shownBy(() => ({ bookmark: badge }))).toEqual({
      shown: [
        { display: "badge", text: 'custom {"name":"start"}' },
        { display: "badge", text: "custom_message 1" },
        other,
      ],
      failures: [],
    });
  });

  it.each<[string, () => unknown, string]>([
    [
      "no function",
      () => ({ bookmark: 5, more: () => ({ display: "hidden" }) }),
      'the value for "bookmark" is not a function',
    ],
    ["no display", () => ({ bookmark: () => ({ display: "nope" }) }), "no display action"],
    [
      "a throw",
      () => ({
        bookmark: () => {
          throw new Error("boom");
        },
      }),
      "boom",
    ],
    ["no object", () => 5, "must return an object"],
  ])("have their plain form when it is %s, and that is reported", async (_what, displays, reason) => {
    const { shown, failures } = await shownBy(displays);
    expect(shown).toEqual(plain);
    expect(failures.join()).toContain(reason);
  });
});
