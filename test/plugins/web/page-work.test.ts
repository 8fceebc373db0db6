import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../plugins/kit/text/diff.ts";
import { readDiff } from "../../../plugins/kit/text/diff-lines.ts";
import { reversedDiff } from "../../../plugins/web/page/work/reverse.ts";
import { contextIn, costOf, usesIn } from "../../../plugins/web/page/work/spent.ts";

describe("a diff the other way round", () => {
  const before = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join("");
  const after = `${before.replace("line 7\n", "seven\nand more\n").replace("line 40\n", "")}end`;

  it.each([
    [before, after],
    ["", "one\ntwo"],
    ["one\n", ""],
    ["one", "two"],
    ["-- a\n++ b\n", "-- a\n-- c\n"],
  ])("is the diff of both versions exchanged", (a, b) => {
    const there = unifiedDiff("x", a, b);
    expect(readDiff(reversedDiff(there))).toEqual(readDiff(unifiedDiff("x", b, a)));
    expect(readDiff(reversedDiff(`\n${reversedDiff(there)}`))).toEqual(readDiff(there));
  });
});

it("a diff of hundreds of thousands of lines can be reversed", () => {
  const lines = Array.from({ length: 300_000 }, (_, at) => `+line ${at}`);
  expect(
    reversedDiff(["@@ -0,0 +1,300000 @@", ...lines].join("\n"))
      .split("\n")
      .slice(0, 2),
  ).toEqual(["@@ -1,300000 +0,0 @@", "-line 0"]);
});

describe("the usage of a session", () => {
  it("has an unknown cost where tokens have no price", () => {
    const uses = usesIn({ models: { "a/b": { requests: 1, input: 10, cacheRead: 5, output: 2, total: 0 } } });
    expect(uses).toEqual([{ model: "a/b", requests: 1, input: 10, cacheRead: 5, output: 2, total: 0 }]);
    expect(uses.map(costOf)).toEqual(["?"]);
    expect(costOf({ input: 10, output: 2, total: 0.01234 })).toBe("$0.0123");
    expect(costOf({ input: 0, output: 0, total: 0 })).toBe("$0.0000");
  });

  it("is nothing when the host tells nothing", () => {
    expect([usesIn(undefined), contextIn(undefined)]).toEqual([[], { parts: [], used: 0, window: undefined }]);
  });
});
