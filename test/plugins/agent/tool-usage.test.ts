import { definePlugin } from "@scorel/kernel";
import type { Tool } from "@scorel/tools/contract";
import { expect, it } from "vitest";
import { outcomeFromLog } from "../../../plugins/agent/turn/outcome.ts";
import { text, toolCall, usage } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

const script = [
  [toolCall("ask", {}), usage({ input: 10, output: 1 })],
  [text("ok"), usage({ input: 20, output: 2 })],
];
const costs = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const reported = { input: 100, output: 50, cost: { output: 0.25 }, model: "p/small", sessionId: "child" };
const stored = {
  input: 100,
  output: 50,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 150,
  cost: { ...costs, output: 0.25, total: 0.25 },
  model: "p/small",
  sessionId: "child",
};

const resultIn = (events: any[]) => events.find(({ message }) => message?.role === "tool_result")?.message;

it("adds what a tool has used to its turn and stores it with the result", async () => {
  await using a = await openAgent(script, { tools: [tool("ask", async () => ({ ...says("done"), usage: reported }))] });
  const sent = await a.agent.send("go");
  const { usage: used } = await sent.turn;
  expect(used).toEqual({
    input: 130,
    output: 53,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 183,
    cost: { ...costs, output: 0.25, total: 0.25 },
  });
  expect(resultIn(a.stored()).usage).toEqual(stored);
  expect(outcomeFromLog(a.session, sent.id)?.usage).toEqual(used);
});

it("keeps the usage when a wrapper returns a result without it", async () => {
  const wrapping = definePlugin({
    id: "wrapping",
    name: "Wrapping",
    version: "1.0.0",
    toolWrappers: () => ({ ask: async (_call, next) => ({ content: (await next()).content }) }),
  });
  const ask = tool("ask", async () => ({ ...says("done"), usage: reported }));
  await using a = await openAgent(script, { tools: [ask], plugins: [wrapping] });
  await (await a.agent.send("go")).turn;
  expect(resultIn(a.stored()).usage).toEqual(stored);
});

it("counts the usage so far of a call that is cancelled", async () => {
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const ask: Tool["execute"] = (_id, _params, signal, update) => {
    update?.({ ...says("asking"), usage: reported });
    begun();
    return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
  await using a = await openAgent(script, { tools: [tool("ask", ask)] });
  const { turn } = await a.agent.send("go");
  await running;
  await a.agent.cancel();
  expect(await turn).toMatchObject({ reason: "cancelled", usage: { input: 110, output: 51, cost: { total: 0.25 } } });
  expect(resultIn(a.stored())).toMatchObject({ isError: true, usage: stored });
});

it("drops usage that is not one, and says why", async () => {
  const ask = tool("ask", async () => ({ ...says("done"), usage: { input: -1 } }));
  await using a = await openAgent(script, { tools: [ask] });
  const { usage: used } = await (await a.agent.send("go")).turn;
  expect(used).toMatchObject({ input: 30, output: 3 });
  expect(resultIn(a.stored())).not.toHaveProperty("usage");
  expect(a.kernel.failures.map(({ plugin, code, message }) => [plugin, code, message])).toEqual([
    [
      "toolbox",
      "TOOL_USAGE",
      'The usage that tool "ask" reports was dropped: usage.input must be a number from 0 to 10000000000, not -1.',
    ],
  ]);
});
