import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Repeated } from "../../../plugins/web/page/work/reading.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Work that takes `ms`, and the times in milliseconds at which it was begun and done, rounded to tens. */
function worker(ms: number, begun = { current: Number.NEGATIVE_INFINITY }) {
  const first = performance.now();
  const now = () => Math.floor((performance.now() - first) / 10) * 10;
  const times = { begun: [] as number[], done: [] as number[] };
  const repeated = new Repeated(begun, async () => {
    times.begun.push(now());
    await new Promise((resolve) => setTimeout(resolve, ms));
    times.done.push(now());
  });
  return { repeated, times };
}

it("an answer arrives, though the session changes faster than the host answers, and the last change is asked about", async () => {
  const { repeated, times } = worker(1_500);
  for (let at = 0; at < 4_000; at += 800) {
    repeated.ask();
    await vi.advanceTimersByTimeAsync(800);
  }
  await vi.advanceTimersByTimeAsync(10_000);
  expect(times).toEqual({ begun: [0, 1_500, 3_000, 4_500], done: [1_500, 3_000, 4_500, 6_000] });
});

it("the host is asked once a second at most, also about something else, and not at all after the end", async () => {
  const begun = { current: Number.NEGATIVE_INFINITY };
  const [one, other] = [worker(10, begun), worker(10, begun)];
  for (let at = 0; at < 1_500; at += 100) {
    one.repeated.ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  one.repeated.end();
  other.repeated.ask();
  await vi.advanceTimersByTimeAsync(10_000);
  one.repeated.ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([one.times.begun, other.times.begun]).toEqual([[0, 1_000], [2_000]]);
});
