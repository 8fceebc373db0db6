import type { Tool } from "@scorel/tools/contract";
import { expect, it } from "vitest";
import { z } from "zod";
import { status, text, toolCall } from "../../model-server.ts";
import { openAgent } from "./setup.ts";

/** A tool that returns these texts in turn, the last one from then on. */
function look(results: readonly string[]): Tool {
  let calls = 0;
  return {
    name: "look",
    description: "Looks.",
    parameters: z.object({ at: z.number().optional() }),
    execute: async () => ({ content: [{ type: "text" as const, text: results[calls++] ?? results.at(-1) ?? "" }] }),
  };
}

it("a turn ends with an error when the model makes the same call without end, and the next message begins anew", async () => {
  let isStuck = true;
  const replies = () => (isStuck ? [toolCall("look", { at: 1 })] : [text("done")]);
  await using t = await openAgent(replies, { tools: [look(["same"])] });
  const { reason, error } = await (await t.agent.send("look")).turn;
  expect([reason, error?.code, t.server.requests.length]).toEqual(["error", "AGENT_REPEATS", 50]);
  expect(error?.message).toContain("the same tool calls 50 times in a row and got the same results");
  isStuck = false;
  expect(await (await t.agent.send("stop looking")).turn).toMatchObject({ reason: "completed", text: "done" });
});

it("calls that differ, or whose results differ, are no repetition", async () => {
  const waiting = Array.from({ length: 45 }, () => "waiting");
  const tool = look([...waiting, "still waiting", ...waiting, "ready"]);
  let round = 0;
  const replies = () =>
    ++round <= 92 ? [toolCall("look", {})] : round <= 190 ? [toolCall("look", { at: round % 2 })] : [text("done")];
  await using t = await openAgent(replies, { tools: [tool] });
  expect(await (await t.agent.send("wait")).turn).toMatchObject({ reason: "completed", text: "done" });
});

it("a round whose next request is refused and sent again counts once", async () => {
  let request = 0;
  const replies = () =>
    ++request % 2 === 0 ? status(529, {}) : request < 90 ? [toolCall("look", {})] : [text("done")];
  await using t = await openAgent(replies, { tools: [look(["same"])], config: { retries: 1 } });
  expect(await (await t.agent.send("look")).turn).toMatchObject({ reason: "completed", text: "done" });
});
