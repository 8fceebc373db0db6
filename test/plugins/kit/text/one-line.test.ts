import { expect, it } from "vitest";
import { clause, oneLine, visibleBreaks } from "../../../../plugins/kit/text/one-line.ts";

it("every kind of line break becomes one space", () => {
  expect(oneLine("a\r\n\r\nb\u2028c\u2029d\u0085e f")).toBe("a b c d e f");
});

it("shows where line breaks were", () => {
  expect(visibleBreaks(" rm -rf a \r\n\n\t b\u2028c\u0085\u0085d\v ")).toBe("rm -rf a ⏎ b ⏎ c ⏎ d");
});

// An algorithm whose time grows with the square of the length would take minutes for a megabyte.
it("takes texts of a megabyte of blanks, breaks or full stops", () => {
  const blanks = " ".repeat(1_000_000);
  expect(visibleBreaks(`a${blanks}b`)).toBe(`a${blanks}b`);
  expect(visibleBreaks(`a${"\n ".repeat(500_000)}b`)).toBe("a ⏎ b");
  const stops = ".".repeat(1_000_000);
  expect([clause(`a${stops}b`) === `a${stops}b`, clause(`a${stops}`)]).toEqual([true, "a"]);
});
