import { expect, test } from "vitest";
import { remembered } from "../../../../plugins/kit/values/remembered.ts";

test("makes the value of a text again only when others were used since", () => {
  const made: string[] = [];
  const lengthOf = remembered((text) => {
    made.push(text);
    return text.length;
  }, 2);
  expect(["a", "bb", "a", "ccc", "a", "bb"].map(lengthOf)).toEqual([1, 2, 1, 3, 1, 2]);
  expect(made).toEqual(["a", "bb", "ccc", "bb"]);
});

test("remembers nothing of a text that could not be used", () => {
  let times = 0;
  const read = remembered((text) => {
    times++;
    throw new Error(text);
  }, 2);
  expect(() => read("a")).toThrow("a");
  expect(() => read("a")).toThrow("a");
  expect(times).toBe(2);
});
