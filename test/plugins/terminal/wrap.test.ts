import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wrapped } from "../../../plugins/terminal/rows/wrap.ts";

const RED = "\u001b[31m";
const RESET = "\u001b[0m";
const uncoloured = (lines: readonly string[]) =>
  lines.map((line) => line.replaceAll(RED, "").replaceAll(RESET, "").trimEnd());

describe("lines that are broken", () => {
  it.each([
    ["at words", "one two three", 8, "", ["one two", "three"]],
    ["within a word that is too long", "abcdefghij", 4, "", ["abcd", "efgh", "ij"]],
    ["with an indent", "one two three", 8, "  ", ["one two", "  three"]],
    ["where a word ends at the last column", "abcd efgh", 4, "", ["abcd", "efgh"]],
    ["between wide characters", "漢字漢字", 4, "", ["漢字", "漢字"]],
  ])("%s", (_, line, width, indent, lines) => {
    expect(wrapped(line, width, indent)).toEqual(lines);
  });

  it("are broken at the same places with and without colours", () => {
    const word = fc.constantFrom("a", "to", "word", "longer", "x".repeat(30), " ", "  ");
    const line = fc.array(word, { maxLength: 20 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(line, fc.integer({ min: 6, max: 40 }), fc.constantFrom("", "  "), (text, width, indent) => {
        const coloured = uncoloured(wrapped(RED + text + RESET, width, indent));
        expect(uncoloured(wrapped(text, width, indent))).toEqual(coloured);
      }),
    );
  });
});
