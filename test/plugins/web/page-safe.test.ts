import { expect, test } from "vitest";
import { piecesOf } from "../../../plugins/web/page/display/pieces.ts";
import { safeLine, titleLine } from "../../../plugins/web/page/display/safe.ts";

test("one line is made of a text with very many spaces at once", () => {
  const blanks = " ".repeat(300_000);
  expect(safeLine(`a${blanks}b\n\n c`)).toBe(`a${blanks}b c`);
});

test("a long text is cut into pieces between characters, without loss", () => {
  const text = `x${"👍".repeat(1_000)}\n`;
  const pieces = piecesOf(text);
  expect(pieces.join("")).toBe(text);
  expect(pieces.some((piece) => /\p{Surrogate}/u.test(piece))).toBe(false);
});

test("the title of a piece of work shows its line breaks, and no character with very many marks", () => {
  expect(titleLine(`rm a\n  rm b${"\u0301".repeat(2_000)}\u202e`)).toBe(
    `rm a ⏎ rm b${"\u0301".repeat(8)}(+1992)\\u{202e}`,
  );
});
