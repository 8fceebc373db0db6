import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Frames } from "../../../plugins/terminal/app/frames.ts";

/** Frames that each take `takes` milliseconds to draw, and the times at which drawing began. */
function stage(takes = 0) {
  const drawn: number[] = [];
  const start = performance.now();
  const frames = new Frames(() => {
    drawn.push(Math.round(performance.now() - start));
    if (takes > 0) vi.advanceTimersByTime(takes);
  });
  return { frames, drawn };
}

describe("frames", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("are drawn once in 16 ms however much changes, and not at all while nothing does", () => {
    const { frames, drawn } = stage();
    for (let ms = 0; ms < 64; ms++) {
      frames.request();
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(1_000);
    expect(drawn).toEqual([0, 16, 32, 48, 64].slice(0, drawn.length));
    expect(drawn.length).toBeGreaterThanOrEqual(4);
  });

  it("are drawn within 4 ms after a key, also when one is due later", () => {
    const { frames, drawn } = stage();
    frames.now();
    frames.request();
    vi.advanceTimersByTime(2);
    frames.requestForKey();
    vi.advanceTimersByTime(100);
    expect(drawn).toEqual([0, 4]);
  });

  it("leave time for other work when they take long, except after a key", () => {
    const { frames, drawn } = stage(20);
    frames.now();
    frames.request();
    vi.advanceTimersByTime(39);
    expect(drawn).toEqual([0]);
    frames.requestForKey();
    vi.advanceTimersByTime(0);
    expect(drawn).toEqual([0, 59]);
  });

  it("are not drawn any more after the end", () => {
    const { frames, drawn } = stage();
    frames.request();
    frames.end();
    frames.requestForKey();
    vi.advanceTimersByTime(100);
    expect(drawn).toEqual([]);
  });
});
