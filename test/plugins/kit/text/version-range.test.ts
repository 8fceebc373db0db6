import { expect, it } from "vitest";
import { parseRange, parseVersion } from "../../../../plugins/kit/text/version-range.ts";

/** The versions that each range is tested with. */
const versions = ["0.2.3", "0.2.9", "0.3.0", "1.2.2", "1.2.3", "1.3.0", "2.0.0"];

it.each([
  ["1.2.3", ["1.2.3"]],
  ["=1.2.3", ["1.2.3"]],
  ["^1.2.3", ["1.2.3", "1.3.0"]],
  ["^0.2.3", ["0.2.3", "0.2.9"]],
  ["~1.2", ["1.2.2", "1.2.3"]],
  ["~1", ["1.2.2", "1.2.3", "1.3.0"]],
  ["1.x", ["1.2.2", "1.2.3", "1.3.0"]],
  ["1", ["1.2.2", "1.2.3", "1.3.0"]],
  [">1.2", ["1.3.0", "2.0.0"]],
  [">=1.2.3 <2", ["1.2.3", "1.3.0"]],
  [">= 1.2.3 < 2", ["1.2.3", "1.3.0"]],
  ["<=1.2", ["0.2.3", "0.2.9", "0.3.0", "1.2.2", "1.2.3"]],
  ["<0.3 || ^2", ["0.2.3", "0.2.9", "2.0.0"]],
  ["*", versions],
])("%s contains the right versions", (range, expected) => {
  const contains = parseRange(range);
  expect(versions.filter((version) => contains?.(parseVersion(version) ?? [0, 0, 0]))).toEqual(expected);
});

it.each(["", "latest", "1.2.3.4", ">", ">=x <", "^*", "1 ||", "1.2.3-beta"])("%s is not a range", (text) => {
  expect(parseRange(text)).toBeUndefined();
});

it("reads the version at the start of a text", () => {
  expect(["v20.19.1", "1.2.3-beta.1", "1.2", "git 2.1.0"].map(parseVersion)).toEqual([
    [20, 19, 1],
    [1, 2, 3],
    undefined,
    undefined,
  ]);
});
