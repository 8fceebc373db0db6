import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { testKernel } from "../harness.ts";
import { usedBytes } from "../memory.ts";
import { notes } from "./notes.ts";

declare module "@scorel/kernel" {
  interface Projections {
    depth: { depth: number };
  }
}

it("a projection over the path goes back far in a long log with few replayed events, and keeps few of its states in memory", async () => {
  let updates = 0;
  const states: WeakRef<object>[] = [];
  const counting = definePlugin({
    id: "counting",
    name: "",
    version: "1.0.0",
    projections: {
      depth: {
        over: "path",
        init: () => ({ depth: 0 }),
        update: ({ depth }) => {
          updates++;
          const state = { depth: depth + 1 };
          states.push(new WeakRef(state));
          return state;
        },
      },
    },
  });
  await using t = await testKernel([notes, counting]);
  const notesOf = (count: number) =>
    Array.from({ length: count }, () => ({ type: "note" as const, payload: { text: "" } }));
  const ids = (await t.session.appendAll(notesOf(40_000))).map(({ id }) => id);
  expect(t.session.projection("depth")).toEqual({ depth: 40_000 });
  await usedBytes();
  expect(states.filter((state) => state.deref()).length).toBeLessThan(300);
  for (const back of [10, 100, 1_000, 10_000, 39_000]) {
    await t.session.append("jump", { to: ids[ids.length - back] as string });
    updates = 0;
    expect(t.session.projection("depth")).toEqual({ depth: 40_000 - back + 1 });
    expect(updates).toBeLessThan(back / 8 + 65);
  }
});
