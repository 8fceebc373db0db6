import { expect, it } from "vitest";
import { oneLine } from "../../../../plugins/kit/text/one-line.ts";

it("every kind of line break becomes one space", () => {
  expect(oneLine("a\r\n\r\nb\u2028c\u2029d\u0085e f")).toBe("a b c d e f");
});
