import { expect, it } from "vitest";
import { Relist } from "../../../plugins/mcp/servers/relist.ts";
import { testClock } from "./setup.ts";

/** Requests that the test answers, and a clock that it moves. */
function relisting() {
  const { clock, pending, next } = testClock();
  const open: ((isAnswered: boolean) => void)[] = [];
  let now = 0;
  const time = { ...clock, now: () => now };
  const relist = new Relist(time, () => new Promise((resolve) => open.push(resolve)));
  const answer = async (isAnswered: boolean) => {
    open.shift()?.(isAnswered);
    await new Promise(setImmediate);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { relist, next, answer, pass, delays: () => pending.map(({ ms }) => ms), asked: () => open.length };
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

it("a server that changes without end is asked ever more rarely, until it has been quiet for a minute", async () => {
  const { relist, next, answer, pass, delays } = relisting();
  const seen: number[] = [];
  const change = async () => {
    relist.soon();
    seen.push(...delays());
    pass(delays()[0] ?? 0);
    next();
    await answer(true);
  };
  for (let time = 0; time < 15; time++) await change();
  pass(60_000);
  await change();
  await change();
  const growing = [400, 800, 1_600, 3_200, 6_400, 12_800, 25_600];
  expect(seen).toEqual([200, 200, 200, 200, 200, 200, ...growing, 30_000, 30_000, 200, 200]);
});
