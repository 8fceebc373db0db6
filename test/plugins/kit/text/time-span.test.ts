import { expect, it } from "vitest";
import { timeSpan } from "../../../../plugins/kit/text/time-span.ts";

it.each([
  [0, "0 s"],
  [59_600, "1 min"],
  [245_000, "4 min 5 s"],
  [3_600_000, "1 h"],
  [90_061_000, "1 d 1 h"],
])("a time span of %i ms is written in its two largest units", (ms, text) => {
  expect(timeSpan(ms)).toBe(text);
});
