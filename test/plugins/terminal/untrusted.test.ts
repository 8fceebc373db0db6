import type { DisplayAction } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { Question } from "../../../plugins/terminal/app/question.ts";
import { drawQuestion } from "../../../plugins/terminal/app/question-lines.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { displayLines, thinkingLines } from "../../../plugins/terminal/rows/display.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { outputLines } from "../../../plugins/terminal/rows/output.ts";
import { safeLine, safeOutput } from "../../../plugins/terminal/rows/safe.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { cases, leaks } from "./hostile-text.ts";

const diff = (text: string) =>
  `--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-${text.replaceAll("\n", " ")}\n+x${text.replaceAll("\n", " ")}`;
const displays: Record<string, (text: string) => DisplayAction> = {
  "a reply": (text) => ({ display: "bubble", role: "assistant", text, thinking: text, label: text }),
  "a message": (text) => ({ display: "bubble", role: "user", text, label: text }),
  "a notice": (text) => ({ display: "notice", level: "error", text }),
  "a marker": (text) => ({ display: "marker", text }),
  "a badge": (text) => ({ display: "badge", text }),
  "a fold": (text) => ({ display: "fold", title: text, text }),
  "a diff": (text) => ({ display: "diff", path: text, text: diff(text) }),
  "a list": (text) => ({ display: "list", title: text, items: [{ text, state: "active" }, { text }], text }),
  "a card": (text) => ({
    display: "card",
    title: text,
    status: "error",
    text,
    body: [{ display: "diff", path: text, text: diff(text) }],
  }),
};

async function look(isExpanded: boolean): Promise<Look> {
  const theme = themeOf("dark", dark);
  const drawing = { theme };
  return {
    theme,
    words: en,
    drawing,
    isExpanded,
    showsThinking: isExpanded,
    expandKey: "Ctrl-O",
    thinkingKey: "Ctrl-T",
  };
}

describe("text of others", () => {
  it("takes a time that grows with its length, also in one line", () => {
    const long = 1_000_000;
    expect([safeOutput("x".repeat(long)).length, safeOutput("\rx".repeat(long))]).toEqual([long, "x"]);
    expect(safeLine(`a${" ".repeat(long)}b`).length).toBe(long + 2);
    expect(outputLines(`a${" ".repeat(long)}`, 80)).toEqual(["a"]);
  });

  it("shows of a line that was written over what was written last", () => {
    const shown = { "1%\r50%\r100%\nnext": "100%\nnext", "a\r\nb\r": "a\nb", "\r": "", "a\r\rb\r\r\n": "b\n" };
    expect(Object.keys(shown).map(safeOutput)).toEqual(Object.values(shown));
    expect(safeLine(" a \n \n\t b\n")).toBe("a b");
  });

  it("is tried with at least 200 cases", () => {
    expect(cases.length).toBeGreaterThan(200);
  });

  it.each(Object.keys(displays))("has no control characters left in %s, folded or open", async (name) => {
    for (const isExpanded of [false, true]) {
      const at = await look(isExpanded);
      expect(
        leaks(
          (text) =>
            displayLines((displays[name] as (text: string) => DisplayAction)(text), 60, at, { author: undefined }),
          60,
        ),
      ).toEqual([]);
    }
  });

  it("has none left in thinking, in one line and in the output of a command", async () => {
    const at = await look(true);
    expect(leaks((text) => thinkingLines(text, 60, at), 60)).toEqual([]);
    expect(leaks((text) => [safeLine(text)])).toEqual([]);
    expect(leaks((text) => safeOutput(text).split("\n"))).toEqual([]);
  });

  it("is written out in a question, so that nothing in it is invisible", async () => {
    const { theme, words } = await look(false);
    const keys = createKeys();
    const draw = (text: string) =>
      drawQuestion(
        new Question(
          {
            requestId: "r",
            plugin: "p",
            kind: "select",
            title: text,
            body: [{ display: "notice", level: "info", text }],
            options: [{ value: "y", label: text }],
          },
          words,
          () => {},
        ),
        {
          width: 60,
          height: 20,
          whole: 20,
          reading: 20,
          most: 20,
          others: 0,
          isDraft: false,
          isLeft: false,
          hint: undefined,
        },
        { theme, words, keys },
      ).lines;
    expect(leaks(draw, 60)).toEqual([]);
    expect(draw("rm \u202e/ -rf").join("\n")).toContain("\\u{202e}");
  });
});
