import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../../plugins/kit/text/diff.ts";
import { changedWords, diffSize, linePairs, readDiff } from "../../../../plugins/kit/text/diff-lines.ts";

const numbered = (count: number, changes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, at) => `${changes[at + 1] ?? `line ${at + 1}`}\n`).join("");

describe("the lines of a diff", () => {
  it("have the numbers that they have in both files, and tell how many are left out between them", () => {
    const diff = unifiedDiff("a.txt", numbered(40), numbered(40, { 9: "nine", 30: "thirty\nand more" }));
    const lines = readDiff(diff);
    expect(lines.filter(({ sign }) => sign !== " ")).toEqual([
      { sign: "@", text: "", count: 5 },
      { sign: "-", text: "line 9", old: 9 },
      { sign: "+", text: "nine", now: 9 },
      { sign: "@", text: "", count: 14 },
      { sign: "-", text: "line 30", old: 30 },
      { sign: "+", text: "thirty", now: 30 },
      { sign: "+", text: "and more", now: 31 },
    ]);
    expect(lines.at(-1)).toEqual({ sign: " ", text: "line 33", old: 33, now: 34 });
    expect(diffSize(lines)).toEqual({ added: 3, removed: 2 });
  });

  it("are those of new, emptied and unfinished files, too", () => {
    expect(readDiff(unifiedDiff("a", "", "one\ntwo"))).toEqual([
      { sign: "@", text: "", count: 0 },
      { sign: "+", text: "one", now: 1 },
      { sign: "+", text: "two", now: 2 },
      { sign: "\\", text: "No newline at end of file" },
    ]);
    expect(readDiff(unifiedDiff("a", "one\n", ""))).toEqual([
      { sign: "@", text: "", count: 0 },
      { sign: "-", text: "one", old: 1 },
    ]);
  });

  it("are changes alone where a diff has no places, and remarks where it was cut", () => {
    expect(readDiff("-a\n+b\n")).toEqual([
      { sign: "-", text: "a", old: 1 },
      { sign: "+", text: "b", now: 1 },
    ]);
    expect(readDiff(`${unifiedDiff("a", "", numbered(3_000))}`).at(-1)).toEqual({
      sign: "\\",
      text: "… 1001 more lines",
    });
  });

  it("are all there if a part of one looks like a place", () => {
    for (const part of ["\r@@ ", "\u2028@@ -1 +1 @@", " @@ -1 +1 @@"])
      expect(readDiff(`-old\n+new${part}`)).toEqual([
        { sign: "-", text: "old", old: 1 },
        { sign: "+", text: `new${part}`, now: 1 },
      ]);
  });

  it("keep what looks like a header in the middle of a file", () => {
    expect(readDiff("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n--- a\n+++ b\n").slice(1)).toEqual([
      { sign: "-", text: "-- a", old: 1 },
      { sign: "+", text: "++ b", now: 1 },
    ]);
  });

  it("belong together where as many were removed as added", () => {
    const lines = readDiff("@@ -1,4 +1,3 @@\n-a\n-b\n+c\n+d\n x\n-e\n");
    expect([...linePairs(lines)]).toEqual([
      [1, 3],
      [3, 1],
      [2, 4],
      [4, 2],
    ]);
  });
});

describe("the words that differ", () => {
  const marked = (before: string, after: string) =>
    changedWords(before, after).map((range, at) => range && [before, after][at]?.slice(range.from, range.to));

  it.each([
    ["const total = 1;", "const total = 2;", "1", "2"],
    ["a b c", "a c", "b ", undefined],
    ["same", "same", undefined, undefined],
    ["all of it", "something else", undefined, undefined],
    ["x 中 y 1234", "x 文 y 1234", "中", "文"],
  ])("of %j and %j are %j and %j", (before, after, old, now) => {
    expect(marked(before, after)).toEqual([old, now]);
  });

  it("are not looked for in very long lines", () => {
    expect(marked(`${"a ".repeat(3_000)}1`, `${"a ".repeat(3_000)}2`)).toEqual([undefined, undefined]);
  });
});
