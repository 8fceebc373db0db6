import type { EventId } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { Report } from "../../../plugins/transfer/import/report.ts";
import { TreeBuilder } from "../../../plugins/transfer/import/tree-builder.ts";

/** Builds a tree in which the parent of the event n is `parentOf(n)`, a number below n; -1 for a root. Returns the ids. */
function built(count: number, parentOf: (n: number) => number): { builder: TreeBuilder; ids: EventId[] } {
  const builder = new TreeBuilder({ sessionId: "s", source: "pi", at: 1, report: new Report(), write: () => {} });
  const ids: EventId[] = [];
  for (let n = 0; n < count; n++) {
    const parent = parentOf(n) < 0 ? null : String(parentOf(n));
    const message = { role: "user" as const, content: "", timestamp: 0 };
    ids.push(builder.path("message", { message }, { key: String(n), parent }));
  }
  return { builder, ids };
}

describe("the tree of an imported session", () => {
  it("knows for any two events whether one is above the other", () => {
    const parents = Array.from({ length: 60 }, (_, n) => (n % 23 === 0 ? -1 : n - 1 - ((n * 7) % Math.min(n, 4))));
    const { builder, ids } = built(parents.length, (n) => parents[n] as number);
    const above = parents.map((_, n) => {
      const found = [];
      for (let at = n; at >= 0; at = parents[at] as number) found.push(at);
      return found.sort((a, b) => a - b);
    });
    expect(ids.map((id) => ids.flatMap((other, n) => (builder.isAbove(other, id) ? [n] : [])))).toEqual(above);
    expect(builder.isAbove(ids[0] as EventId, null)).toBe(false);
  });

  it("finds an event far above in a few steps", () => {
    const { builder, ids } = built(30_000, (n) => n - 1);
    const began = performance.now();
    expect(ids.every((id) => builder.isAbove(ids[0] as EventId, id))).toBe(true);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
