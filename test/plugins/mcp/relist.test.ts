import { expect, it } from "vitest";
import { Relist } from "../../../plugins/mcp/servers/relist.ts";
import { testClock } from "./setup.ts";

/** Requests that the test answers, and a clock that it moves. */
function relisting() {
  const { clock, pending, next } = testClock();
  const open: ((isAnswered: boolean) => void)[] = [];
  const relist = new Relist(clock.after, () => new Promise((resolve) => open.push(resolve)));
  const answer = async (isAnswered: boolean) => {
    open.shift()?.(isAnswered);
    await new Promise(setImmediate);
  };
  return { relist, next, answer, delays: () => pending.map(({ ms }) => ms), asked: () => open.length };
}

it("one request is made for changes that follow each other soon, and one more for those during the request", async () => {
  const { relist, next, answer, delays, asked } = relisting();
  for (let time = 0; time < 3; time++) relist.soon();
  expect(delays()).toEqual([200]);
  next();
  for (let time = 0; time < 3; time++) relist.soon();
  // The older of two answers could come last, so there is never a second request at the same time.
  expect({ delays: delays(), asked: asked() }).toEqual({ delays: [], asked: 1 });
  await answer(true);
  expect(delays()).toEqual([200]);
  next();
  await answer(true);
  expect({ delays: delays(), asked: asked() }).toEqual({ delays: [], asked: 0 });
});

it("a request that has failed is repeated with growing delays, five times", async () => {
  const { relist, next, answer, delays } = relisting();
  relist.soon();
  const seen: number[] = [];
  while (delays().length > 0) {
    seen.push(...delays());
    next();
    await answer(false);
  }
  expect(seen).toEqual([200, 1_000, 2_000, 4_000, 8_000, 16_000]);
});

it("a new change does not wait for the delay of a repetition, and nothing is requested after the end", async () => {
  const { relist, next, answer, delays } = relisting();
  relist.soon();
  next();
  await answer(false);
  relist.soon();
  expect(delays()).toEqual([200]);
  next();
  relist.soon();
  relist.close();
  await answer(false);
  expect(delays()).toEqual([]);
});
