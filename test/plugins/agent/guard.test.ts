import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@mariozechner/pi-ai";
import { createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import type { ScorelError } from "@scorel/kernel";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { guardStream } from "../../../plugins/agent/reply/guard.ts";
import { fc } from "../../property.ts";
import { fakeModel } from "./setup.ts";

type Content = AssistantMessage["content"];
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const reply = (content: Content, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content,
  api: "fake",
  provider: "test",
  model: "fake",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
  stopReason: "stop",
  timestamp: 0,
  ...more,
});
const call = (id: string, args: unknown = {}): ToolCall => ({
  type: "toolCall",
  id,
  name: "bash",
  arguments: args as object,
});
const says = (text: string): Content[number] => ({ type: "text", text });
/** The events of a whole reply; `raw` are the streamed arguments of each call. */
function eventsOf(message: AssistantMessage, raw: string[] = []): AssistantMessageEvent[] {
  const deltas = raw.map((delta, n) => ({
    type: "toolcall_delta" as const,
    contentIndex: message.content.length - raw.length + n,
    delta,
    partial: message,
  }));
  return [{ type: "start", partial: message }, ...deltas, { type: "done", reason: "stop", message }];
}
/** The last event of a guarded stream, the code of the failure, and the ids in its call events. */
async function guarded(events: AssistantMessageEvent[], takenIds: string[] = []) {
  const source = createAssistantMessageEventStream();
  for (const event of events) source.push(event);
  let failure: ScorelError | undefined;
  const unreadable: string[] = [];
  const stream = guardStream(() => source, {
    signal: new AbortController().signal,
    idleMs: 1_000,
    model: fakeModel,
    takenIds: () => new Set(takenIds),
    onFailure: ({ error }) => {
      failure = error;
    },
    onUnreadable: (_id, { text }) => unreadable.push(text),
  });
  const callIds: unknown[] = [];
  for await (const event of stream) if ("callId" in event) callIds.push(event.callId);
  return { message: await stream.result(), code: failure?.code, callIds, unreadable };
}
const codeOf = async (message: AssistantMessage, raw?: string[]) => (await guarded(eventsOf(message, raw))).code;
const idsOf = (message: AssistantMessage) =>
  message.content.flatMap((block) => (block.type === "toolCall" ? block.id : []));

describe("a reply is good", () => {
  it("with some text", async () => {
    const message = reply([says("hello")]);
    expect(await guarded(eventsOf(message))).toEqual({ message, code: undefined, callIds: [], unreadable: [] });
  });
  it("without text but with usage", async () => {
    const usage = { input: 5, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 6, cost };
    expect(await codeOf(reply([], { usage }))).toBeUndefined();
  });
  it("that reached the limit inside a text", async () => {
    expect(await codeOf(reply([says("hel")], { stopReason: "length" }))).toBeUndefined();
  });
  it.each(["", " ", "{}", '{"a":1}'])("when the arguments %j were streamed", async (raw) => {
    expect(await codeOf(reply([call("1")]), [raw])).toBeUndefined();
  });
});

describe("a reply is refused", () => {
  it("when it is empty and has no usage", async () => {
    expect(await codeOf(reply([]))).toBe("AGENT_STREAM_CUT");
    expect(await codeOf(reply([{ type: "thinking", thinking: "hm" }]))).toBe("AGENT_STREAM_CUT");
  });
  it("when it reached the limit without text or with calls", async () => {
    expect(await codeOf(reply([], { stopReason: "length" }))).toBe("AGENT_LENGTH");
    expect(await codeOf(reply([says("so"), call("1")], { stopReason: "length" }), ["{}"])).toBe("AGENT_LENGTH");
  });
});

describe("a call is reported as unreadable and cannot run", () => {
  it.each(['{"a":', '{"command":"rm -rf /tmp/bui', "[1]", "null", '"text"', '{"a":1}{"b":2}'])(
    "when the arguments %j streamed",
    async (raw) => {
      const { message, unreadable } = await guarded(
        eventsOf(reply([call("1", { command: "rm -rf /tmp/bui" })]), [raw]),
      );
      expect([message.content, unreadable]).toEqual([[call("1")], [raw]]);
    },
  );
  it("when its arguments are not an object", async () => {
    const { message, unreadable } = await guarded(eventsOf(reply([call("1", ["rm"])])));
    expect([message.content, unreadable]).toEqual([[call("1")], [""]]);
  });
  it("for every truncation of any arguments", async () => {
    const cuts = fc
      .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
      .map((args) => JSON.stringify(args))
      .chain((json) => fc.record({ json: fc.constant(json), at: fc.nat(json.length - 2).map((at) => at + 1) }));
    await fc.assert(
      fc.asyncProperty(cuts, async ({ json, at }) => {
        expect((await guarded(eventsOf(reply([call("1")]), [json]))).unreadable).toEqual([]);
        const cut = json.slice(0, at);
        expect((await guarded(eventsOf(reply([call("1")]), [cut]))).unreadable).toEqual([cut.trim()]);
      }),
    );
  });
});

describe("the ids of calls", () => {
  it("are kept when they are unique", async () => {
    const { message, callIds } = await guarded(eventsOf(reply([call("1"), call("2")]), ["{}", "{}"]), ["0"]);
    expect([idsOf(message), callIds]).toEqual([
      ["1", "2"],
      ["1", "2"],
    ]);
  });
  it("are generated when they are empty, repeated or taken, and are the same in every event", async () => {
    const calls = ["", "a", "a", "b"].map((id) => call(id));
    const { message, callIds } = await guarded(eventsOf(reply(calls), ["{}", "{}", "{}", "{}"]), ["b"]);
    const ids = idsOf(message);
    expect(ids[1]).toBe("a");
    expect(new Set([...ids, "b", ""]).size).toBe(6);
    expect(callIds).toEqual(ids);
  });
});

it("a failed reply is a copy that later changes by the provider do not affect", async () => {
  const content: Content = [says("half")];
  const { message } = await guarded([
    { type: "start", partial: reply(content) },
    { type: "error", reason: "error", error: reply(content, { stopReason: "error", errorMessage: "gone" }) },
  ]);
  (content[0] as { text: string }).text += " and more";
  expect(message).toMatchObject({
    stopReason: "error",
    errorMessage: "The model call failed: gone",
    content: [says("half")],
  });
});

describe("an abort", () => {
  async function abortedAfter(read: number) {
    const control = new AbortController();
    const message = reply([says("hello"), call("1")], { stopReason: "toolUse" });
    const source = createAssistantMessageEventStream();
    for (const event of eventsOf(message, ["{}"])) source.push(event);
    const stream = guardStream(() => source, {
      signal: control.signal,
      idleMs: 1_000,
      model: fakeModel,
      takenIds: () => new Set(),
      onFailure: () => {},
    });
    const events = stream[Symbol.asyncIterator]();
    // The whole reply has arrived by the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    for (let n = 0; n < read; n++) await events.next();
    control.abort();
    return { next: (await events.next()).value as AssistantMessageEvent | undefined, ended: await stream.result() };
  }

  it("replaces a complete reply that was not read yet", async () => {
    const { next, ended } = await abortedAfter(1);
    expect(next).toMatchObject({ type: "error", reason: "aborted" });
    expect(ended).toMatchObject({ stopReason: "aborted", content: [says("hello"), call("1")] });
  });
  it("has no effect on a reply whose end was read", async () => {
    const { next, ended } = await abortedAfter(3);
    expect(next).toBeUndefined();
    expect(ended.stopReason).toBe("toolUse");
  });
});

it("a reply is awaited even if the limit for silence is longer than a timer can be", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const source = createAssistantMessageEventStream();
  const failures: string[] = [];
  const stream = guardStream(() => source, {
    signal: new AbortController().signal,
    idleMs: 10_000_000_000,
    model: fakeModel,
    takenIds: () => new Set(),
    onFailure: ({ error }) => failures.push(error.code),
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const message = reply([says("hello")]);
  for (const event of eventsOf(message)) source.push(event);
  for await (const _event of stream);
  expect([failures, await stream.result()]).toEqual([[], message]);
});
