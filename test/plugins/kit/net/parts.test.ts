import { expect, it } from "vitest";
import { LONGEST_PART, PartJoiner, partsOf, TOO_LONG } from "../../../../plugins/kit/net/parts.ts";

it("a message is divided into parts that can be sent, and put together again", () => {
  const joiner = new PartJoiner();
  for (const length of [0, 1, LONGEST_PART, LONGEST_PART + 1, 2 * LONGEST_PART, 3 * LONGEST_PART + 1])
    for (const shift of ["", "x"]) {
      const message = `{${shift}${"😀".repeat(length / 2)}${"ä".repeat(length % 2)}`;
      const parts = partsOf(message);
      expect(parts.every((part) => Buffer.from(part).toString() === part && part.length <= LONGEST_PART + 2)).toBe(
        true,
      );
      const taken = parts.map((part) => joiner.take(part));
      expect(taken).toEqual([...Array(parts.length - 1).fill(undefined), message]);
    }
});

it("messages between others in parts stay as they are, and parts without end are refused", () => {
  const joiner = new PartJoiner();
  expect(["+{", '{"type":"pong"}', "=}"].map((text) => joiner.take(text))).toEqual([
    undefined,
    '{"type":"pong"}',
    "{}",
  ]);
  const part = `+${"x".repeat(16 * 1024 * 1024)}`;
  expect([1, 2, 3, 4, 5].map(() => joiner.take(part))).toEqual([undefined, undefined, undefined, undefined, TOO_LONG]);
});
