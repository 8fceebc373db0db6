import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LimitClock } from "../../../../plugins/kit/values/limit-clock.ts";

describe("a limit clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A clock of 100 ms, and the times at which it expired. */
  function started(): { clock: LimitClock; expired: number[] } {
    const began = performance.now();
    const expired: number[] = [];
    const clock = new LimitClock();
    clock.start(100, () => expired.push(performance.now() - began));
    return { clock, expired };
  }

  it("expires once its time has passed", () => {
    const { expired } = started();
    vi.advanceTimersByTime(200);
    expect(expired).toEqual([100]);
  });

  it("does not run while anybody pauses it", () => {
    const { clock, expired } = started();
    vi.advanceTimersByTime(60);
    const [one, other] = [clock.pause(), clock.pause()];
    vi.advanceTimersByTime(1_000);
    one();
    one();
    vi.advanceTimersByTime(1_000);
    other();
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual([2_100]);
  });

  it("can be paused before it starts", () => {
    const clock = new LimitClock();
    const resume = clock.pause();
    const expired = vi.fn();
    clock.start(100, expired);
    vi.advanceTimersByTime(1_000);
    const before = expired.mock.calls.length;
    resume();
    vi.advanceTimersByTime(100);
    expect([before, expired.mock.calls.length]).toEqual([0, 1]);
  });

  it("never expires after its end", () => {
    const { clock, expired } = started();
    clock.end();
    clock.pause()();
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual([]);
  });
});
