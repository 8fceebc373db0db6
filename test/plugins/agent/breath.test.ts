import { expect, it } from "vitest";
import { breath } from "../../../plugins/agent/breath.ts";
import { text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

/** Counts turns of the event loop until `end` is called. */
function countTurns() {
  const counted = { turns: 0, end: () => clearImmediate(next) };
  const count = () => {
    counted.turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return counted;
}

/** The largest number of equal values. */
function mostAlike(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return Math.max(...counts.values());
}

function workFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

it("work in steps one after the other lets the event loop turn", async () => {
  const clock = countTurns();
  const at: number[] = [];
  for (let step = 0; step < 200; step++) {
    await breath();
    workFor(1);
    at.push(clock.turns);
  }
  clock.end();
  expect(mostAlike(at)).toBeLessThan(20);
});

it("steps that begin at the same time keep their order, and let the event loop turn", async () => {
  const clock = countTurns();
  const at: number[] = [];
  const order: number[] = [];
  const steps = Array.from({ length: 200 }, async (_, step) => {
    await breath(4);
    order.push(step);
    workFor(1);
    at.push(clock.turns);
  });
  await Promise.all(steps);
  clock.end();
  expect(order).toEqual(Array.from(order.keys()));
  expect(mostAlike(at)).toBeLessThan(20);
});

it("the event loop turns while the many calls of a reply run and are stored", async () => {
  const CALLS = 600;
  const ran: number[] = [];
  const stored: number[] = [];
  const clock = countTurns();
  const busy = tool("busy", async () => {
    ran.push(clock.turns);
    return says("done");
  });
  const reply = Array.from({ length: CALLS }, () => toolCall("busy", {}));
  await using a = await openAgent([reply, text("ok")], { tools: [busy] });
  const undo = a.kernel.subscribe(({ type }) => {
    if (type === "tool_execution_end") stored.push(clock.turns);
  });
  const { turn } = await a.agent.send("go");
  expect(await turn).toMatchObject({ reason: "completed", text: "ok" });
  clock.end();
  undo();
  expect([ran.length, stored.length]).toEqual([CALLS, CALLS]);
  for (const turns of [ran, stored]) expect(mostAlike(turns)).toBeLessThan(CALLS / 4);
});
