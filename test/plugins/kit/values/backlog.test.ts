import { describe, expect, it } from "vitest";
import { Backlog } from "../../../../plugins/kit/values/backlog.ts";

/** The number of texts with 1,000 characters, of `count`, that a queue accepts. */
function taken(backlog: Backlog<string>, count: number): number {
  return Array.from({ length: count }, () => backlog.add("x".repeat(1_000))).filter(Boolean).length;
}

describe("a backlog", () => {
  it("gives back in order what was added, and then nothing", () => {
    const backlog = new Backlog<string>({});
    backlog.add("a");
    backlog.add("b");
    expect([backlog.shift(), backlog.shift(), backlog.shift()]).toEqual(["a", "b", undefined]);
  });

  it("takes as many items as its capacity, and more once some were taken out", () => {
    const backlog = new Backlog<string>({ capacity: 3 });
    const first = taken(backlog, 5);
    backlog.shift();
    expect([first, taken(backlog, 5)]).toEqual([3, 1]);
  });

  it("counts sizes from the seventeenth item on", () => {
    expect(taken(new Backlog<string>({ maxBytes: 3_500 }), 30)).toBe(16 + 3);
  });

  it("takes nothing more when the oldest item has waited too long", () => {
    const backlog = new Backlog<string>({ maxAgeMs: -1 });
    expect([backlog.add("first"), backlog.add("second")]).toEqual([true, false]);
  });

  it("is empty after clear", () => {
    const backlog = new Backlog<string>({ capacity: 1 });
    backlog.add("a");
    backlog.clear();
    expect([backlog.shift(), backlog.add("b")]).toEqual([undefined, true]);
  });
});
