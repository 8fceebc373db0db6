import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { AssistantMessage, Message, ToolResultMessage } from "@mariozechner/pi-ai";
import { describe, expect, it } from "vitest";
import { repair } from "../../../plugins/agent/messages/repair.ts";
import { fc } from "../../property.ts";

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });
const says = (text: string, calls: string[] = [], more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: [
    ...(text ? [{ type: "text" as const, text }] : []),
    ...calls.map((id) => ({ type: "toolCall" as const, id, name: "bash", arguments: {} })),
  ],
  api: "fake",
  provider: "test",
  model: "fake",
  usage,
  stopReason: calls.length > 0 ? "toolUse" : "stop",
  timestamp: 0,
  ...more,
});
const result = (toolCallId: string, text = toolCallId): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "bash",
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 0,
});
const missing = (id: string) => ({
  ...result(
    id,
    "No result: the call was interrupted before it finished. It may have had an effect; check before you repeat it.",
  ),
  isError: true,
});

describe("a conversation for a model", () => {
  it("is unchanged when it is complete", () => {
    const whole = [user("go"), says("", ["1", "2"]), result("1"), result("2"), says("done"), user("more")];
    expect(repair(whole)).toEqual(whole);
  });
  it("has results in call order, followed by steering messages", () => {
    const given = [user("go"), says("", ["1", "2"]), result("2"), user("steer"), result("1"), says("done")];
    expect(repair(given)).toEqual([
      user("go"),
      says("", ["1", "2"]),
      result("1"),
      result("2"),
      user("steer"),
      says("done"),
    ]);
  });
  it("has valid tool names in calls and results", () => {
    const named = (name: string, toolName: string) => [
      says("", [], { content: [{ type: "toolCall", id: "1", name, arguments: {} }], stopReason: "toolUse" }),
      { ...result("1"), toolName },
    ];
    for (const [given, sent] of [
      ["", "unnamed"],
      ["rm -rf /", "rm_-rf__"],
      ["x".repeat(65), "x".repeat(64)],
      ["read_file-2", "read_file-2"],
    ] as const)
      expect(repair(named(given, given))).toEqual(named(sent, sent));
  });
  it("has a result for each interrupted call", () => {
    expect(repair([user("go"), says("", ["1", "2"]), result("2")])).toEqual([
      user("go"),
      says("", ["1", "2"]),
      missing("1"),
      result("2"),
    ]);
  });
  it("has no result without its call and no duplicate results", () => {
    const given = [result("0"), user("go"), says("", ["1"]), result("1", "first"), result("1", "second"), result("9")];
    expect(repair(given)).toEqual([user("go"), says("", ["1"]), result("1", "first")]);
  });
  it("has no duplicate calls in a message", () => {
    expect(repair([says("", ["1", "1"]), result("1")])).toEqual([says("", ["1"]), result("1")]);
  });
  it("has partial messages as plain text", () => {
    const early = says("half a", ["1"], { stopReason: "aborted", errorMessage: "Cancelled by the user." });
    expect(repair([user("go"), early, user("again")])).toEqual([user("go"), says("half a"), user("again")]);
  });
  it("omits empty messages", () => {
    expect(repair([user("go"), says(""), says("", [], { stopReason: "error" }), user("again")])).toEqual([
      user("go"),
      user("again"),
    ]);
  });
  it("omits anything that is not a message", () => {
    expect(repair([user("go"), undefined, { role: "notification" }, { role: "user" }] as AgentMessage[])).toEqual([
      user("go"),
    ]);
  });

  const id = fc.constantFrom("1", "2", "3");
  const any: fc.Arbitrary<Message> = fc.oneof(
    fc.string().map(user),
    fc
      .record({
        text: fc.constantFrom("", "text"),
        calls: fc.array(id),
        stopReason: fc.constantFrom("toolUse", "error", "aborted", "length"),
      })
      .map(({ text, calls, stopReason }) =>
        says(text, calls, { stopReason: stopReason as AssistantMessage["stopReason"] }),
      ),
    id.map((it) => result(it)),
  );
  it("is valid whatever the log contained, and repairing is idempotent", () => {
    fc.assert(
      fc.property(fc.array(any), (messages) => {
        const repaired = repair(messages);
        expect(illegal(repaired)).toEqual([]);
        expect(repair(repaired)).toEqual(repaired);
        expect(repaired.filter(({ role }) => role === "user")).toEqual(messages.filter(({ role }) => role === "user"));
      }),
    );
  });
});

/** Reasons why a strict provider would refuse these messages. */
function illegal(messages: readonly Message[]): string[] {
  const complaints: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "toolResult" && open.shift() !== message.toolCallId) complaints.push("result out of place");
    if (message.role !== "toolResult" && open.length > 0) complaints.push("call without result");
    if (message.role !== "assistant") continue;
    open = message.content.flatMap((block) => (block.type === "toolCall" ? block.id : []));
    if (new Set(open).size < open.length) complaints.push("call id twice");
    if (message.content.length === 0) complaints.push("nothing said");
    if (message.stopReason === "error" || message.stopReason === "aborted") complaints.push("would be dropped");
  }
  return open.length > 0 ? [...complaints, "call without result at the end"] : complaints;
}
