import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Painter } from "../../../plugins/terminal/screen/painter.ts";
import { columnsOf, glyphsOf } from "../../../plugins/terminal/screen/width.ts";
import { emulator } from "./emulator.ts";

const red = (text: string) => `\u001b[38;5;203m${text}\u001b[0m`;

function stage(columns: number, rows: number) {
  const screen = emulator(columns, rows);
  const painter = new Painter();
  painter.resize(columns, rows);
  // As the application does, disables wrapping, so that too long lines are cut.
  void screen.write("\u001b[?7l");
  return { screen, painter, [Symbol.dispose]: () => screen[Symbol.dispose]() };
}

describe("the painter", () => {
  it("shows lines, colours and the cursor", async () => {
    using s = stage(20, 4);
    await s.screen.write(
      s.painter.paint({ lines: ["one", `two ${red("red")}!`], cursor: { row: 1, column: 3 }, moving: 2 }),
    );
    expect(s.screen.lines()).toEqual(["one", "two red!", "", ""]);
    expect(s.screen.cells(1).map(({ color }) => color)).toEqual(
      Array.from({ length: 20 }, (_, at) => (at > 3 && at < 7 ? 203 : undefined)),
    );
    expect(s.screen.cursor()).toEqual({ row: 1, column: 3, shown: true });
  });

  it("writes nothing when nothing has changed", () => {
    using s = stage(20, 4);
    const frame = { lines: ["one", red("two")], cursor: { row: 0, column: 0 }, moving: 2 };
    s.painter.paint(frame);
    expect(s.painter.paint(frame)).toBe("");
  });

  it("writes only the words that were added to a line", () => {
    using s = stage(80, 4);
    const cursor = { row: 3, column: 2 };
    s.painter.paint({ lines: ["a long line that stays as it is"], cursor, moving: 3 });
    const sent = s.painter.paint({ lines: ["a long line that stays as it is, more"], cursor, moving: 3 });
    expect(sent).toBe("\u001b[1;32H, more\u001b[4;3H");
  });

  it("moves lines that have moved instead of writing them again", async () => {
    using s = stage(80, 10);
    const all = Array.from({ length: 30 }, (_, at) => `This is line number ${at} of thirty`);
    const at = (from: number) => [...all.slice(from, from + 8), "field", "status"];
    await s.screen.write(s.painter.paint({ lines: at(0), moving: 8 }));
    const down = s.painter.paint({ lines: at(1), moving: 8 });
    await s.screen.write(down);
    expect(s.screen.lines()).toEqual(at(1));
    expect(down.length).toBeLessThan(110);
    await s.screen.write(s.painter.paint({ lines: at(0), moving: 8 }));
    expect(s.screen.lines()).toEqual(at(0));
  });

  it("draws everything again once another program has had the screen", async () => {
    using s = stage(20, 3);
    const frame = { lines: ["one", "two"], moving: 2 };
    await s.screen.write(s.painter.paint(frame));
    await s.screen.write("\u001b[2J");
    s.painter.forget();
    await s.screen.write(s.painter.paint(frame));
    expect(s.screen.lines()).toEqual(["one", "two", ""]);
  });

  it("shows any sequence of frames as if each had been drawn on an empty screen", async () => {
    const word = fc.constantFrom(
      "a",
      "code",
      "  ",
      "漢字",
      "é",
      "👍",
      "👩‍💻",
      "ok",
      "نص",
      "x".repeat(30),
      red("red"),
      red("漢"),
    );
    const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
    const frame = fc.array(line, { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 2, maxLength: 5 }), async (frames) => {
        using s = stage(24, 6);
        for (const lines of frames) {
          await s.screen.write(s.painter.paint({ lines, moving: 5 }));
          using fresh = stage(24, 6);
          await fresh.screen.write(fresh.painter.paint({ lines, moving: 5 }));
          expect(s.screen.lines()).toEqual(fresh.screen.lines());
          expect(lines.map((_, row) => s.screen.cells(row))).toEqual(lines.map((_, row) => fresh.screen.cells(row)));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("what reaches the terminal", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  const OWN = /\u001b\[[?0-9;]*[A-Za-z]/g;

  it("has no control characters but the painter's own, whatever the lines have", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "\t",
        "\r",
        "\b",
        "\u0007",
        "\u001b",
        "\u009b",
        "\u0085",
        "\u2028",
        "\u007f",
        "\ud800",
        "\u001b[",
      ),
      fc.constantFrom(
        red("x"),
        "\u001b[99999999999999999999999m",
        "\u001b[38m",
        "\u001b[2J",
        "\u001b]0;t\u0007",
        "漢",
        "é",
      ),
      fc.string(),
    );
    const lines = fc.array(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
      { minLength: 4, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 3 }), (frames) => {
        const painter = new Painter();
        painter.resize(30, 4);
        for (const each of frames)
          expect(painter.paint({ lines: each, moving: 0 }).replace(OWN, "")).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps text after a tab in the columns that were counted", async () => {
    using s = stage(40, 2);
    await s.screen.write(s.painter.paint({ lines: [`a\tb${"\t".repeat(4)}end`, "a\u001bb"], moving: 0 }));
    expect(s.screen.lines()).toEqual([`a    b${" ".repeat(16)}end`, "a␛b"]);
  });

  it("leaves no old text in a line of which the terminal draws less than was counted", async () => {
    using s = stage(40, 1);
    await s.screen.write(s.painter.paint({ lines: ["☺⛹✔▶☁⚠ an old long text"], moving: 0 }));
    await s.screen.write("\u001b[1;30Hleft");
    await s.screen.write(s.painter.paint({ lines: ["☺ new"], moving: 0 }));
    expect(s.screen.lines()).toEqual(["☺ new"]);
  });
});

describe("widths", () => {
  it.each([
    ["plain", 5],
    ["漢字", 4],
    ["e\u0301", 1],
    ["👍", 2],
    ["👍🏽", 2],
    ["👩‍💻", 2],
    ["🇨🇭", 2],
    ["✔", 1],
    ["✔️", 2],
    ["한국", 4],
    ["…·→", 3],
    ["नमस्ते", 4],
  ])("%s takes %i columns", (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
    expect([...glyphsOf(text)].map((glyph) => glyph.text).join("")).toBe(text);
  });
});
