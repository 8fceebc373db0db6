import { expect, it } from "vitest";
import { createKeys } from "../../../../plugins/terminal/input/keys.ts";
import { typedInto } from "../../../../plugins/terminal/pickers/input-line.ts";

const CTRL_W = "\x17";

it.each([
  ["one two", "one "],
  ["one two  ", "one "],
  [" one", " "],
  ["one", ""],
  ["  ", ""],
  [`${"x".repeat(100_000)} two`, `${"x".repeat(100_000)} `],
])("deletes the last word", (text, left) => {
  expect(typedInto(text, CTRL_W, createKeys())).toBe(left);
});
