import { expect, it } from "vitest";
import { beginningOf, endOf, wellFormed } from "../../../../plugins/kit/text/cut.ts";

it("the beginning and the end of a text are cut between characters", () => {
  expect([2, 3, 4, 9].map((most) => beginningOf("ab😀c", most))).toEqual(["ab", "ab", "ab😀", "ab😀c"]);
  expect([1, 2, 3, 9].map((most) => endOf("ab😀c", most))).toEqual(["c", "c", "😀c", "ab😀c"]);
});

it("halves of characters are replaced, and whole ones stay", () => {
  expect(wellFormed("a😀\ud83d b\ude00")).toBe("a😀\ufffd b\ufffd");
});
