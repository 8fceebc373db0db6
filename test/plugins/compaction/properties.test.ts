import { type AssistantMessage, type Context, createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import compaction from "@scorel/compaction";
import type { Compacted } from "@scorel/compaction/contract";
import { type EventOf, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type { ScorelMessage } from "@scorel/messages/contract";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { testHeader } from "../../harness.ts";
import { fc } from "../../property.ts";
import { fakeModel, openAgentWith } from "../agent/setup.ts";

type Call = { results: "all" | "some" | "none"; count: number };
type Step =
  | { do: "user"; size: number; image: boolean; source?: "steer" | "followUp" }
  | { do: "reply"; size: number; partial: boolean; calls: Call }
  | { do: "harness_item" | "custom_message" | "internal" | "retried"; size: number }
  | { do: "compact" | "prompt" }
  | { do: "rewind"; back: number };

const size = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 60 }) }, fc.integer({ min: 200, max: 700 }));
const calls = fc.record({
  results: fc.constantFrom("all", "all", "all", "some", "none"),
  count: fc.integer({ min: 0, max: 3 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("user" as const), size, image: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("user" as const),
      size,
      image: fc.boolean(),
      source: fc.constantFrom("steer" as const, "followUp" as const),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant("reply" as const),
      size,
      partial: fc.boolean(),
      calls,
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("harness_item" as const, "custom_message" as const, "internal" as const, "retried" as const),
      size,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("compact" as const, "prompt" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rewind" as const), back: fc.integer({ min: 1, max: 12 }) }) },
);

const usage = noUsage();
const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
const wordsOf = (count: number) => "word ".repeat(count).trim();

/** A session in memory whose model replies at once with a summary or a word, and the last request to it. */
async function openSession(history: readonly StoredEvent[] = []) {
  const asked: Context[] = [];
  const stream = (context: Context) => {
    asked.push(structuredClone(context));
    const content = [{ type: "text" as const, text: `reply ${asked.length}` }];
    const message = {
      ...fakeModel,
      role: "assistant",
      model: "fake",
      content,
      usage: { ...usage, input: 1 },
      stopReason: "stop",
      timestamp: 0,
    } as unknown as AssistantMessage;
    const out = createAssistantMessageEventStream();
    out.push({ type: "start", partial: message });
    out.push({ type: "done", reason: "stop", message });
    return out;
  };
  const config = { turns: 2, step: 2 };
  const kernel = { store: createMemoryStore(testHeader, history) };
  const t = await openAgentWith(stream, {
    plugins: [{ plugin: compaction, config }],
    kernel: { ...kernel, newId: undefined } as never,
  });
  const operation = t.kernel.collect("operations").flatMap(({ value }) => value.compact ?? [])[0];
  const compact = () =>
    operation?.run({ sessionId: t.session.id }, { clientId: "tester" } as never) as Promise<Compacted>;
  return { ...t, asked, compact };
}
type Opened = Awaited<ReturnType<typeof openSession>>;

async function play(t: Opened, steps: readonly Step[]): Promise<void> {
  let made = 0;
  for (const step of steps) await playStep(t, step, `call${made++}`);
}

async function playStep(t: Opened, step: Step, id: string): Promise<void> {
  const { session } = t;
  const say = (message: ScorelMessage) => session.append("message", { message });
  switch (step.do) {
    case "user": {
      const text = wordsOf(step.size);
      const content = step.image ? [{ type: "text" as const, text }, image] : text;
      await say({ role: "user", content, timestamp: 1, ...(step.source && { meta: { source: step.source } }) });
      return;
    }
    case "reply":
      return playReply(say, step, id);
    case "retried":
      return void (await say({
        ...replyOf([{ type: "text", text: wordsOf(step.size) }], true),
        meta: { retried: true },
      } as ScorelMessage));
    case "internal":
      return void (await say({ role: "internal", content: wordsOf(step.size), timestamp: 1 }));
    case "harness_item":
      return void (await session.append("harness_item", {
        kind: "memory",
        origin: "system",
        visibility: "both",
        text: wordsOf(step.size),
      }));
    case "custom_message":
      return void (await session.append("custom_message", {
        kind: "note",
        message: { role: "user", content: wordsOf(step.size), timestamp: 1 },
      }));
    case "compact":
      return void (await t.compact());
    case "prompt":
      return void (await t.agent.prompt("go on"));
    case "rewind": {
      const path = session.activeLeaf === null ? [] : session.tree.path(session.activeLeaf);
      const target = path.at(-1 - step.back);
      if (target && session.tree.isPath(target.id)) await session.append("rewind", { targetEventId: target.id });
    }
  }
}

function replyOf(content: object[], partial: boolean) {
  const end = partial ? { stopReason: "aborted", partial: true } : { stopReason: "stop" };
  return { role: "assistant", content, api: "a", provider: "p", model: "m", usage, timestamp: 1, ...end };
}

async function playReply(
  say: (message: ScorelMessage) => Promise<unknown>,
  { size, partial, calls }: Extract<Step, { do: "reply" }>,
  id: string,
): Promise<void> {
  const ids = Array.from({ length: partial ? 0 : calls.count }, (_, index) => `${id}-${index}`);
  const blocks = ids.map((call) => ({ type: "toolCall", id: call, name: "work", arguments: { of: call } }));
  await say(replyOf([{ type: "text", text: wordsOf(size) }, ...blocks], partial) as ScorelMessage);
  const answered = calls.results === "all" ? ids : calls.results === "some" ? ids.slice(1) : [];
  for (const call of answered.toReversed())
    await say({
      role: "tool_result",
      toolCallId: call,
      toolName: "work",
      content: [{ type: "text", text: wordsOf(size) }],
      isError: false,
      timestamp: 1,
    });
}

/**
 * The expected context, computed directly: all messages of the path, and those that no summary replaces. A message that
 * was sent while everything before it was summarized has no result to be merged into.
 */
function reference(session: Session): { all: ScorelMessage[]; tail: ScorelMessage[]; summary?: string } {
  const path = session.activeLeaf === null ? [] : session.tree.path(session.activeLeaf);
  const last = path.findLastIndex(({ type }) => type === "compact");
  const compact = path.findLast((event) => isEvent(event, "compact"));
  const through = path.findIndex(({ id }) => id === compact?.compactedThrough);
  const all = folded(path);
  const hidden = folded(path.slice(0, through + 1)).length;
  const between = path.slice(through + 1, Math.max(last, 0)).filter(({ type }) => type !== "compact");
  const tail = compact && between.length === 0 ? folded(path.slice(last)) : all.slice(hidden);
  return { all, tail, ...(compact && { summary: compact.summary }) };
}

function folded(events: readonly StoredEvent[]): ScorelMessage[] {
  const messages: ScorelMessage[] = [];
  for (const event of events) {
    if (isEvent(event, "message") || isEvent(event, "custom_message")) fold(messages, event);
    if (isEvent(event, "harness_item")) side(messages, event.text, event.ts);
  }
  return messages;
}

function fold(messages: ScorelMessage[], { message }: EventOf<"message"> | EventOf<"custom_message">): void {
  if (message.role !== "internal") messages.push(message);
}

function side(messages: ScorelMessage[], text: string, timestamp: number): void {
  const content = `<system-reminder>\n${text}\n</system-reminder>`;
  const previous = messages.at(-1);
  if (previous?.role === "tool_result")
    messages[messages.length - 1] = { ...previous, content: [...previous.content, { type: "text", text: content }] };
  else messages.push({ role: "user", content, timestamp });
}

/** Results without their call, and calls without a result that is in the log. */
function orphans(context: readonly ScorelMessage[], all: readonly ScorelMessage[]): string[] {
  const has = (id: string) => context.some((message) => message.role === "tool_result" && message.toolCallId === id);
  const calls = context.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((block) => (block.type === "toolCall" ? [String(block.id)] : []))
      : [],
  );
  const results = context.flatMap((message) => (message.role === "tool_result" ? [message.toolCallId] : []));
  const answered = new Set(all.flatMap((message) => (message.role === "tool_result" ? [message.toolCallId] : [])));
  return [...results.filter((id) => !calls.includes(id)), ...calls.filter((id) => answered.has(id) && !has(id))];
}

describe("a random conversation, compacted at random", () => {
  it("reads as its summary and a whole end of it, without orphans, the same in every process", {
    timeout: 60_000,
  }, async () => {
    let compacted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        await using t = await openSession();
        await play(t, steps);
        const expected = reference(t.session);
        const context = t.session.buildContext();
        const tail = expected.summary === undefined ? context : context.slice(1);
        expect(tail).toEqual(expected.tail);
        if (expected.summary !== undefined)
          expect(JSON.stringify(context[0])).toContain(JSON.stringify(expected.summary).slice(1, -1));
        expect(orphans(tail, expected.all)).toEqual([]);
        expect(t.kernel.failures).toEqual([]);
        compacted += [...t.session.tree].filter(({ type }) => type === "compact").length;

        await using second = await openSession([...t.session.tree]);
        const requests = [];
        for (const process of [t, second]) {
          process.asked.length = 0;
          await process.agent.prompt("go on");
          requests.push(withoutTimes(process.asked.at(-1)));
        }
        expect(requests[1]).toEqual(requests[0]);
      }),
      { numRuns: 300 },
    );
    expect(compacted).toBeGreaterThan(50);
  });
});

function withoutTimes(context: Context | undefined): unknown {
  return context?.messages.map(({ timestamp: _at, ...message }) => message);
}
