import { describe, expect, it } from "vitest";
import { Backlog } from "../../../../plugins/kit/values/backlog.ts";
import { usedBytes } from "../../../memory.ts";

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

  it("keeps the order of items that are added and taken out in turn, and counts only those that wait", () => {
    const backlog = new Backlog<number>({ capacity: 100 });
    const taken: unknown[] = [];
    let added = 0;
    for (let round = 0; round < 300; round++) {
      for (let each = 0; each < 3; each++) if (backlog.add(added)) added++;
      taken.push(backlog.shift(), backlog.shift());
    }
    expect(taken).toEqual(Array.from({ length: 600 }, (_, index) => index));
    expect(added).toBe(600 + 98);
  });

  it("does not keep items that were taken out, while others wait", async () => {
    const backlog = new Backlog<string[]>({});
    const before = await usedBytes();
    backlog.add([]);
    for (let each = 0; each < 200; each++) {
      backlog.add(new Array(10_000).fill("item"));
      backlog.shift();
    }
    expect((await usedBytes()) - before).toBeLessThan(2_000_000);
    expect(backlog.shift()).toHaveLength(10_000);
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
