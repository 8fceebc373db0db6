import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputLines } from "../../../plugins/terminal/rows/output.ts";
import { wrapped } from "../../../plugins/terminal/rows/wrap.ts";
import { Painter } from "../../../plugins/terminal/screen/painter.ts";
import { emulator } from "./emulator.ts";

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

  it.each([
    ["skin tones after a letter", "a\u{1f3fb}".repeat(40)],
    ["repeated skin tones", `👍${"\u{1f3fb}".repeat(45)}`],
    ["vowel signs of Devanagari", "\u0915\u094d\u0937\u093f".repeat(26)],
    ["vowel signs of Kannada", "\u0c95\u0ccd\u0c95\u0cc6\u0cbe".repeat(30)],
    ["families", "👨‍👩‍👧‍👦".repeat(30)],
    ["flags", "🇩🇪".repeat(45)],
    ["parts of Hangul", "\u1100\u1161\u11a8".repeat(45)],
    ["hexagrams", "\u4dc0".repeat(60)],
  ])("lose no end of a line with %s in a terminal that draws each character for itself", async (_, text) => {
    using screen = emulator(40, 24, "separate");
    const painter = new Painter();
    painter.resize(40, 24);
    await screen.write("\u001b[?7l");
    await screen.write(painter.paint({ lines: wrapped(`${text} END`, 40), moving: 0 }));
    expect(screen.text()).toContain("END");
    const shown = screen.text().replace(/\s/g, "");
    expect([...shown].length).toBe([...`${text}END`].length);
  });

  it("keep a character that was written out in one line", () => {
    fc.assert(
      fc.property(fc.nat({ max: 30 }), fc.integer({ min: 12, max: 20 }), (before, width) => {
        const line = `${"x".repeat(before)}\\u{202e}${"y".repeat(9)}\\u{e0041} z`;
        for (const drawn of [wrapped(line, width), wrapped(RED + line + RESET, width)])
          expect(drawn.join("\n").match(/\\u\{[0-9a-f]+\}/g)).toEqual(["\\u{202e}", "\\u{e0041}"]);
      }),
    );
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

it("a row of a table goes on below its second column, and near the edge where there is no room beside the first one", () => {
  const row = `${"░".repeat(24)}         2  user messages and summaries`;
  expect(outputLines(row, 60)).toEqual([
    `${"░".repeat(24)}         2  user messages and`,
    `${" ".repeat(33)}summaries`,
  ]);
  expect(outputLines(row, 40)).toEqual([`${"░".repeat(24)}         2  user`, "    messages and summaries"]);
});
