import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../../plugins/kit/text/diff.ts";
import { fc } from "../../../property.ts";

/** Applies a unified diff strictly: every context line must match at its place. */
function apply(text: string, diff: string): string {
  const old = text === "" ? [] : text.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [, from = "0", count = "0"] = /^@@ -(\d+),(\d+) \+\d+,\d+ @@/.exec(hunk) ?? [];
    const start = Number(from) - (count === "0" ? 0 : 1);
    result.push(...old.slice(at, start));
    at = start;
    const lines = hunk
      .split("\n")
      .slice(1)
      .filter((line, index, all) => line !== "" || index < all.length - 1);
    for (const [index, line] of lines.entries()) {
      const ending = lines[index + 1]?.startsWith("\\") ? "" : "\n";
      if (line.startsWith("+")) result.push(line.slice(1) + ending);
      if (line.startsWith("-") || line.startsWith(" ")) expect(old[at++]).toBe(line.slice(1) + ending);
      if (line.startsWith(" ")) result.push(line.slice(1) + ending);
    }
  }
  return [...result, ...old.slice(at)].join("");
}

describe("a diff", () => {
  it("of long lines is cut between characters", () => {
    const old = `${"x".repeat(250)}${"😀".repeat(300)}\n`;
    for (const now of [`y${old}`, `xy${old}`, old.replace(/😀(?=\n)/, "")])
      for (const diff of [unifiedDiff("f", old, now), unifiedDiff("f", now, old)])
        expect([diff.includes("…"), /\p{Surrogate}/u.test(diff)]).toEqual([true, false]);
  });

  it("converts the old text to the new one", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d"), { maxLength: 25 })
      .map((lines) => lines.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, unifiedDiff("f", before, after))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  it("of a large file is made without a list of all its lines", () => {
    const lines = (count: number) => "1,2,\n".repeat(count);
    const before = lines(4_000_000);
    const diff = unifiedDiff("f", before, `${lines(2_000_000)}new\n${lines(2_000_000)}`);
    const around = Array.from({ length: 3 }, () => " 1,2,");
    expect(diff.split("\n").slice(3)).toEqual([...around, "+new", ...around]);
  });

  it("of equal texts is empty", () => {
    expect(unifiedDiff("f", "a\n", "a\n")).toBe("");
  });

  it("shows three lines around each change", () => {
    const lines = Array.from({ length: 30 }, (_, i) => `${i + 1}\n`);
    const changed = lines.map((line) => (line === "10\n" || line === "25\n" ? "new\n" : line));
    expect(unifiedDiff("f", lines.join(""), changed.join(""))).toBe(
      "--- a/f\n+++ b/f\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+new\n 11\n 12\n 13\n@@ -22,7 +22,7 @@\n 22\n 23\n 24\n-25\n+new\n 26\n 27\n 28",
    );
  });

  it("of completely different texts is short and fast", () => {
    const text = (word: string) => Array.from({ length: 30_000 }, (_, i) => `${word} ${i}\n`).join("");
    const diff = unifiedDiff("f", text("old"), text("new"));
    expect(diff.split("\n")).toHaveLength(2_003);
    expect(diff.endsWith("… 58001 more lines")).toBe(true);
  });
});

it.each([
  ["a line is added at the end", "a\n", "a\nb\n", "@@ -1,1 +1,2 @@\n a\n+b\n"],
  ["a line is taken away", "a\nb\nc\n", "a\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n"],
  ["all is replaced", "a\n", "b\n", "@@ -1,1 +1,1 @@\n-a\n+b\n"],
  ["equal lines repeat", "a\na\n", "a\na\na\n", "@@ -1,2 +1,3 @@\n a\n a\n+a\n"],
])("a diff marks when %s", (_what, before, after, hunk) => {
  expect(unifiedDiff("f", before, after)).toBe(`--- a/f\n+++ b/f\n${hunk.trimEnd()}`);
});
