import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Earlier } from "../../../plugins/web/page/chat/earlier.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A session with earlier messages whose host answers as `answers` says, and the seconds at which it was asked. */
function reader(answers: () => Promise<void>) {
  const begin = performance.now();
  const asked: number[] = [];
  const at = { isNear: true };
  const session = {
    hasEarlier: true,
    earlier: () => {
      asked.push(Math.round((performance.now() - begin) / 1_000));
      return answers();
    },
  };
  return { earlier: new Earlier(session, () => at.isNear), asked, at };
}

const refuse = async () => {
  throw new Error("The host is away.");
};

it("after a failure, the next attempt waits, longer each time, however often the reader scrolls", async () => {
  const { earlier, asked } = reader(refuse);
  for (let ms = 0; ms < 200_000; ms += 100) {
    earlier.look();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(asked).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
});

it("a failure is shown until the next attempt", async () => {
  const { earlier } = reader(refuse);
  earlier.look();
  const first = earlier.state.get();
  await vi.advanceTimersByTimeAsync(500);
  expect([first, earlier.state.get()]).toEqual([
    { isLoading: true },
    { isLoading: false, problem: "The host is away." },
  ]);
});

it("after a success, the pause begins at its shortest, and the failure is gone", async () => {
  let left = 2;
  const { earlier, asked } = reader(() => (left-- > 0 ? refuse() : Promise.resolve()));
  earlier.look();
  await vi.advanceTimersByTimeAsync(10_000);
  const state = earlier.state.get();
  left = 2;
  earlier.look();
  await vi.advanceTimersByTimeAsync(10_000);
  expect({ asked, state }).toEqual({ asked: [0, 1, 3, 10, 11, 13], state: { isLoading: false } });
});

it("nothing is fetched for a reader who has left, and who comes back need not wait", async () => {
  const { earlier, asked, at } = reader(refuse);
  earlier.look();
  await vi.advanceTimersByTimeAsync(500);
  at.isNear = false;
  await vi.advanceTimersByTimeAsync(9_500);
  at.isNear = true;
  earlier.look();
  await vi.advanceTimersByTimeAsync(500);
  earlier.rest();
  await vi.advanceTimersByTimeAsync(19_500);
  earlier.look();
  expect(asked).toEqual([0, 10, 30]);
});
