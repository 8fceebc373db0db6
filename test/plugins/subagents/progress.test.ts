import type { AnyEvent } from "@scorel/kernel";
import type { ToolOutput } from "@scorel/tools/contract";
import { expect, it } from "vitest";
import { Progress } from "../../../plugins/subagents/progress.ts";

/** The usage that is shown after each of these events. */
function usageAfter(...events: object[]): (number | undefined)[] {
  const shown: ToolOutput[] = [];
  const progress = new Progress({ sessionId: "child" }, (output) => shown.push(output));
  return events.map((event) => {
    progress.take(event as AnyEvent);
    progress.show();
    return shown.at(-1)?.usage?.input;
  });
}
const usage = (input: number) => ({ input });

it("the usage so far has replies, summaries, work outside the conversation, and calls once", () => {
  const call = { type: "tool_execution_update", toolCallId: "call", partial: { usage: usage(100) } };
  const result = { role: "tool_result", toolCallId: "call", toolName: "Task", usage: usage(130) };
  expect(
    usageAfter(
      { id: "a", type: "message", message: { role: "user", content: "go" } },
      { id: "b", type: "message", message: { role: "assistant", usage: usage(1) } },
      call,
      call,
      { id: "c", type: "message", message: result },
      { id: "d", type: "compact", usage: usage(1_000) },
      { id: "e", type: "custom", data: { usage: usage(10_000) } },
    ),
  ).toEqual([0, 1, 101, 101, 131, 1_131, 11_131]);
});
