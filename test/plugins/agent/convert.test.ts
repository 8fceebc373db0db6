import type { AssistantMessage as PiAssistant } from "@mariozechner/pi-ai";
import type { ScorelMessage } from "@scorel/messages/contract";
import type { SecretsService } from "@scorel/model/contract";
import { describe, expect, it, vi } from "vitest";
import { ConversationIds } from "../../../plugins/agent/calls/call-ids.ts";
import { toAgentMessages, toAssistant, toRequestMessages } from "../../../plugins/agent/messages/convert.ts";
import { createRedaction } from "../../../plugins/agent/messages/redaction.ts";
import { repair } from "../../../plugins/agent/messages/repair.ts";
import { createThrottle } from "../../../plugins/agent/reply/throttle.ts";

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const assistant = {
  role: "assistant" as const,
  api: "a",
  provider: "p",
  model: "m",
  usage,
  stopReason: "stop" as const,
  timestamp: 2,
};
const secrets: SecretsService = {
  childEnv: () => ({}),
  redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  spans: () => [],
  redactor: () => ({ write: (chunk) => chunk, end: () => "" }),
};

describe("stored messages", () => {
  const stored = (at: number): ScorelMessage[] => [
    Object.freeze({
      ...assistant,
      content: [{ type: "toolCall", id: `c${at}`, name: "t", arguments: { at } }],
    }) as ScorelMessage,
    Object.freeze({
      role: "tool_result",
      toolCallId: `c${at}`,
      toolName: "t",
      content: [{ type: "text", text: "r" }],
      isError: false,
      timestamp: at,
    }) as ScorelMessage,
  ];

  it("are converted and repaired once for all requests, and cannot be changed by layers", () => {
    const [first, second] = [stored(1), stored(2)];
    const earlier = repair(toRequestMessages(first));
    const later = repair(toRequestMessages([...first, ...second]));
    expect(later).toEqual(repair(toAgentMessages([...first, ...second])));
    expect(later.slice(0, 2).map((message, at) => message === earlier[at])).toEqual([true, true]);
    expect(toAgentMessages(first)[0]).not.toBe(toRequestMessages(first)[0]);
  });

  it("are repaired again when a layer returns other results", () => {
    const [reply, result] = toRequestMessages(stored(3)) as [never, never];
    repair([reply, result]);
    const other = { ...(result as object), content: [{ type: "text", text: "changed" }] } as never;
    expect(repair([reply, other])[1]).toMatchObject({ content: [{ text: "changed" }] });
    expect(repair([reply])[1]).toMatchObject({ isError: true });
  });

  it("yield the ids of their calls, even after the conversation was shortened", () => {
    const ids = new ConversationIds();
    const [first, second] = [repair(toRequestMessages(stored(1))), repair(toRequestMessages(stored(2)))];
    expect([...ids.of([...first])]).toEqual(["c1"]);
    expect([...ids.of([...first, ...second])]).toEqual(["c1", "c2"]);
    expect([...ids.of([...second])]).toEqual(["c2"]);
  });
});

describe("messages converted to the library's types", () => {
  const messages: ScorelMessage[] = [
    { role: "user", content: "go", timestamp: 1, meta: { messageId: "x" } },
    { ...assistant, content: [{ type: "text", text: "ok", ...{ textSignature: "s" } }] },
    { role: "internal", content: "only for people", timestamp: 3 },
    {
      role: "tool_result",
      toolCallId: "1",
      toolName: "t",
      content: [{ type: "text", text: "r" }],
      details: { d: 1 },
      isError: false,
      timestamp: 4,
    },
  ];
  it("have the right roles and contain nothing that models must not read", () => {
    expect(toAgentMessages(messages)).toEqual([
      { role: "user", content: "go", timestamp: 1 },
      { ...assistant, content: [{ type: "text", text: "ok", textSignature: "s" }] },
      {
        role: "toolResult",
        toolCallId: "1",
        toolName: "t",
        content: [{ type: "text", text: "r" }],
        details: { d: 1 },
        isError: false,
        timestamp: 4,
      },
    ]);
  });
  it("can be changed without affecting the stored ones", () => {
    const frozen = Object.freeze({
      ...assistant,
      content: Object.freeze([Object.freeze({ type: "text", text: "ok" })]),
    });
    const [copy] = toAgentMessages([frozen as unknown as ScorelMessage]) as PiAssistant[];
    (copy?.content[0] as { text: string }).text = "changed";
    copy?.content.push({ type: "text", text: "more" });
    expect(frozen.content).toEqual([{ type: "text", text: "ok" }]);
  });
});

it("a stored reply has no scratch fields and no secrets, but keeps the provider's own fields", () => {
  const block = {
    type: "toolCall",
    id: "1",
    name: "bash",
    arguments: { env: ["hunter2"], names: { hunter2: "mine" } },
    thoughtSignature: "hunter2",
    partialArgs: "{",
    partialJson: "{",
    streamIndex: 0,
    index: 0,
  };
  const reply = {
    ...assistant,
    responseId: "r1",
    content: [{ type: "thinking", thinking: "use hunter2" }, { type: "text", text: "hunter2!" }, block],
  };
  expect(toAssistant(reply as unknown as PiAssistant, createRedaction(secrets))).toEqual({
    ...assistant,
    responseId: "r1",
    content: [
      { type: "thinking", thinking: "use [redacted]" },
      { type: "text", text: "[redacted]!" },
      {
        type: "toolCall",
        id: "1",
        name: "bash",
        arguments: { env: ["[redacted]"], names: { "[redacted]": "mine" } },
        thoughtSignature: "hunter2",
      },
    ],
  });
});

it("a throttle delivers the first value at once, the latest of each interval, and the last one before closing", () => {
  vi.useFakeTimers();
  try {
    const passed: number[] = [];
    const throttle = createThrottle<number>((value) => passed.push(value), 100);
    for (const value of [1, 2, 3]) throttle.push(value);
    expect(passed).toEqual([1]);
    vi.advanceTimersByTime(100);
    expect(passed).toEqual([1, 3]);
    vi.advanceTimersByTime(500);
    throttle.push(4);
    throttle.push(5);
    throttle.close();
    throttle.push(6);
    vi.advanceTimersByTime(500);
    expect(passed).toEqual([1, 3, 4, 5]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
