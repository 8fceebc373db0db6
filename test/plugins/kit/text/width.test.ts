import { expect, it } from "vitest";
import { cutToWidth, widthOf } from "../../../../plugins/kit/text/width.ts";

it("East Asian characters and emoji take two columns", () => {
  expect(["abc", "漢字", "ｱ", "한", "🙂", "é"].map(widthOf)).toEqual([3, 4, 1, 2, 2, 1]);
});

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["漢字漢字", 5, "漢字…"],
  ["漢字漢字", 4, "漢…"],
  ["a🙂b", 3, "a…"],
])("%j cut to %i columns is %j", (line, columns, expected) => {
  expect(cutToWidth(line, columns)).toBe(expected);
});
