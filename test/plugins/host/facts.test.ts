import type { StoredEvent } from "@scorel/kernel";
import { expect, it } from "vitest";
import { learn, noFacts } from "../../../plugins/host/client/view/facts.ts";

it("a view adds up what replies, tools, summaries and work outside the conversation have used", () => {
  const facts = noFacts({}, false);
  const used = (input: number, cost?: number) => ({ input, ...(cost !== undefined && { cost: { total: cost } }) });
  const events = [
    { type: "message", message: { role: "assistant", usage: used(1, 0.5) } },
    { type: "message", message: { role: "tool_result", toolName: "Task", usage: used(20, 0.25) } },
    { type: "compact", usage: used(300, -1) },
    { type: "custom", kind: "spent", data: { usage: used(4_000) } },
    { type: "message", message: { role: "user", content: "go" } },
  ];
  expect(events.map((event) => learn(facts, event as unknown as StoredEvent))).toEqual([
    ...[["status"], ["status"], ["status"], ["status"]],
    [],
  ]);
  expect(facts.usage).toEqual({ input: 4_321, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0.75 });
});
