import type { Tool } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { status, text, toolCall, usage } from "../../model-server.ts";
import { impatient, openAgent } from "./setup.ts";

const look: Tool = {
  name: "look",
  description: "Looks.",
  parameters: z.object({}),
  execute: async () => ({ content: [{ type: "text" as const, text: "seen" }] }),
};
/** A reply that calls a tool and costs this many US dollars. */
const round = (dollars: number) => [toolCall("look", {}), usage({ input: dollars, output: 0 })];
const options = { tools: [look], model: { cost: { input: 1_000_000 } } };

describe("a message with limits", () => {
  it.each([
    [{ rounds: 1 }, { requests: 1, limit: "rounds" }],
    [{ rounds: 2 }, { requests: 2, limit: "rounds" }],
    [{ cost: 0.5 }, { requests: 1, limit: "cost" }],
    [{ cost: 1.5 }, { requests: 2, limit: "cost" }],
    [
      { rounds: 3, cost: 1.5 },
      { requests: 2, limit: "cost" },
    ],
  ] as const)(
    "ends its turn at %j, before another model call and after the tools of the last one",
    async (limits, ends) => {
      await using t = await openAgent(() => round(1), options);
      const outcome = await (await t.agent.send("work", { limits })).turn;
      const results = t
        .stored()
        .filter((event) => event.type === "message" && (event as any).message.role === "tool_result");
      expect({
        reason: outcome.reason,
        limit: outcome.limit,
        requests: t.server.requests.length,
        results: results.length,
      }).toEqual({
        reason: "cancelled",
        ...ends,
        results: ends.requests,
      });
    },
  );

  it("completes its turn when the last call that is allowed gives the answer", async () => {
    await using t = await openAgent([round(1), text("done")], options);
    const outcome = await (await t.agent.send("work", { limits: { rounds: 2, cost: 1 } })).turn;
    expect(outcome).toMatchObject({ reason: "cancelled", limit: "cost" });
    await using other = await openAgent([round(1), text("done")], options);
    const { limit, ...whole } = await (await other.agent.send("work", { limits: { rounds: 2, cost: 2 } })).turn;
    expect({ limit, text: whole.text, reason: whole.reason }).toEqual({
      limit: undefined,
      text: "done",
      reason: "completed",
    });
  });

  it("does not repeat a failed call that was the last one allowed, and ends with its error", async () => {
    const overloaded = status(503, { error: { message: "overloaded" } });
    await using t = await openAgent([overloaded, text("done")], {
      ...options,
      config: { retries: 3 },
      clock: impatient,
    });
    const outcome = await (await t.agent.send("work", { limits: { rounds: 1 } })).turn;
    expect([outcome.reason, outcome.error?.code, t.server.requests.length]).toEqual(["error", "AGENT_MODEL", 1]);
  });

  it("limits the turn that it joins from then on", async () => {
    await using t = await openAgent(() => round(1), options);
    const first = await t.agent.send("work");
    const joined = await t.agent.send("stop soon", { running: "steer", limits: { rounds: 2 } });
    expect(joined.status).toBe("queued");
    const outcome = await first.turn;
    const sent = t.server.requests.findIndex(({ body }) => JSON.stringify(body).includes("stop soon"));
    expect({ limit: outcome.limit, after: t.server.requests.length - sent }).toEqual({ limit: "rounds", after: 2 });
  });
});
