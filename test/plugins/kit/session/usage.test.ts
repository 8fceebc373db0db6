import { describe, expect, it } from "vitest";
import { addUsage, isPriced, noUsage, soundUsage, usageIn } from "../../../../plugins/kit/session/usage.ts";

const costs = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

describe("a usage", () => {
  it.each([undefined, null, "much", [1, 2], { cost: null }])("is none for %j", (usage) => {
    expect(soundUsage(usage)).toMatchObject(noUsage());
  });

  it("has 0 for invalid numbers, sums for missing totals, and keeps other fields", () => {
    const given = {
      input: -5,
      output: "7",
      cacheRead: 1e11,
      cacheWrite: NaN,
      cost: { input: 0.5, output: 0.25 },
      more: 1,
    };
    expect(soundUsage(given)).toEqual({
      ...{ input: 0, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: 7, more: 1 },
      cost: { ...costs, input: 0.5, output: 0.25, total: 0.75 },
    });
    expect(soundUsage({ input: 3, totalTokens: -1, cost: { input: 3, total: "x" } })).toMatchObject({
      totalTokens: 0,
      cost: { total: 0 },
    });
  });

  it("is added field by field, whatever it lacks", () => {
    const first = addUsage(noUsage(), { input: 1, cost: { input: 0.5 } });
    expect(addUsage(first, { output: 2, cacheWrite: 4, cost: { total: 0.25 } })).toEqual({
      ...{ input: 1, output: 2, cacheRead: 0, cacheWrite: 4, totalTokens: 7 },
      cost: { ...costs, input: 0.5, total: 0.75 },
    });
    expect(addUsage(first, undefined)).toEqual(first);
  });

  it("has an unknown price if tokens have cost nothing", () => {
    expect(
      [{}, { cacheRead: 1 }, { input: 1, cost: { total: 0.1 } }].map((each) => isPriced(soundUsage(each))),
    ).toEqual([true, false, true]);
  });
});

describe("the usage in an event", () => {
  const usage = { input: 1 };
  const from = { provider: "p", model: "big" };
  it.each([
    ["a reply", { type: "message", message: { role: "assistant", ...from, usage } }, "p/big"],
    ["a reply of a plugin", { type: "custom_message", message: { role: "assistant", ...from, usage } }, "p/big"],
    ["a tool", { type: "message", message: { role: "tool_result", toolName: "Ask", usage } }, "Ask"],
    ["a summary", { type: "compact", model: "p/small", usage }, "p/small"],
    ["a summary of an unknown model", { type: "compact", usage }, "unknown"],
    ["work outside the conversation", { type: "custom", data: { model: "Task", usage } }, "Task"],
    ["work of a model without a name", { type: "custom", data: { model: { toString: 1 }, usage } }, "unknown"],
  ])("is found in %s", (_name, event, model) => {
    expect(usageIn(event)).toEqual({ model, usage });
  });

  it("names the model that a tool has named", () => {
    const named = { ...usage, model: "p/small" };
    const event = { type: "message", message: { role: "tool_result", toolName: "Ask", usage: named } };
    expect(usageIn(event)).toEqual({ model: "p/small", usage: named });
  });

  it.each([
    { type: "message", message: { role: "user", usage } },
    { type: "message", message: { role: "tool_result", toolName: "Ask" } },
    { type: "message" },
    { type: "custom", data: "much" },
    { type: "compact", usage: [1] },
    { type: "turn_end", usage },
    { type: "missed", from: 1, to: 2 },
  ])("is not in %j", (event) => {
    expect(usageIn(event)).toBeUndefined();
  });
});
