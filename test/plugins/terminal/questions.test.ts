import type { OpenRequest } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../../plugins/terminal/app/question.ts";
import { Questions } from "../../../plugins/terminal/app/questions.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { none } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { zh } from "../../../plugins/terminal/words/zh.ts";

const ENTER = "\r";
const TAB = "\t";
const DOWN = "\u001b[B";
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const COLORS = /\u001b\[[0-9;]*m/g;
const PAGE_DOWN = "\u001b[6~";

function open(words = en) {
  let now = 10_000;
  const given: [string, Answer, string?][] = [];
  const field = {
    text: "",
    setText(text: string) {
      field.text = text;
    },
  };
  const keys = createKeys();
  const theme = themeOf("none", none);
  const questions = new Questions({
    words,
    give: async (requestId, answer, kept) =>
      void given.push(kept === undefined ? [requestId, answer] : [requestId, answer, kept]),
    field: () => field,
    now: () => now,
  });
  const drawn = (height = 20, width = 80) =>
    questions.render(width, { height, whole: height, reading: height, most: height }, { theme, words, keys });
  return {
    questions,
    given,
    field,
    /** Presses a key. A letter that no question takes is typed into the field. */
    press(key: string) {
      const isTaken = questions.press(key, keys);
      if (!isTaken && key.length === 1 && key >= " ") {
        questions.typed();
        field.text += key;
      }
      return isTaken;
    },
    wait: (ms: number) => {
      now += ms;
    },
    drawn,
    text: (height?: number, width?: number) => drawn(height, width)?.lines.join("\n").replace(COLORS, "") ?? "",
    /** Asks, draws the question, and waits until keys are accepted. */
    ask(request: OpenRequest, height = 20, width = 80) {
      questions.update([request]);
      drawn(height, width);
      now += 1_000;
    },
  };
}
const asked = (requestId: string, more: Partial<OpenRequest> = {}): OpenRequest => ({
  requestId,
  plugin: "permissions",
  kind: "confirm",
  title: `Run ${requestId}?`,
  ...more,
});
const notice = (text: string) => ({ display: "notice", level: "info", text }) as const;
const permission = (command: string, more: Partial<OpenRequest> = {}) =>
  asked("a", {
    kind: "select",
    title: "Run this command?",
    body: [notice(command)],
    options: [
      { value: "y", label: "yes, this once", kind: "allow_once" },
      { value: "s", label: "yes, and in this session: `npm test`", kind: "allow_always" },
      { value: "a", label: "always in this project: `npm test`", kind: "allow_always", lasting: true },
      { value: "e", label: "always in every project: `npm test`", kind: "allow_always", lasting: true },
      { value: "n", label: "no (you can add a reason)", kind: "reject_once" },
    ],
    data: { keptIn: { e: "~/.scorel/config.toml" } },
    ...more,
  });

describe("a question", () => {
  it("accepts a key once it has been on the screen for a while, and drops one that came too soon", () => {
    const t = open();
    t.questions.update([asked("a")]);
    t.wait(1_000);
    expect([t.press("y"), t.given, t.field.text]).toEqual([true, [], ""]);
    t.drawn();
    t.wait(200);
    expect([t.press("y"), t.given, t.field.text]).toEqual([true, [], ""]);
    expect(t.text()).toContain(en.tooSoon);
    t.wait(100);
    expect([t.press("y"), t.given]).toEqual([true, [["a", { answer: "y" }]]]);
  });

  it("that somebody else answers leaves a reason that is being typed in the field, below the draft", () => {
    const t = open();
    t.ask(permission("ls"));
    t.field.text = "a draft";
    t.press("\t");
    t.wait(1_000);
    t.press("r");
    expect([t.text().includes("Why not?"), t.field.text]).toEqual([true, ""]);
    t.field.text = "use mk";
    t.questions.update([]);
    expect([t.field.text, t.given]).toEqual(["a draft\n\nuse mk", []]);
  });

  it("in place of one that was withdrawn says so, and waits longer for a key", () => {
    const t = open();
    t.ask(asked("a"));
    t.questions.ended({ requestId: "a", answer: null });
    t.questions.update([]);
    t.wait(30);
    t.questions.update([asked("b")]);
    expect(t.text()).toContain(en.anotherQuestion);
    t.wait(1_400);
    t.press("y");
    expect(t.given).toEqual([]);
    t.wait(200);
    expect([t.press("y"), t.given]).toEqual([true, [["b", { answer: "y" }]]]);
    t.questions.update([asked("c")]);
    expect(t.text()).toContain("Run c?");
    t.wait(700);
    expect(t.press("n")).toBe(true);
    expect(t.given[1]).toEqual(["c", { answer: "n" }]);
  });

  it("in place of one that was answered elsewhere does not call it withdrawn, but waits as long for a key", () => {
    const t = open();
    t.ask(asked("a"));
    t.questions.ended({ requestId: "a", answer: "y" });
    t.questions.update([]);
    t.questions.update([asked("b")]);
    expect(t.text()).not.toContain(en.anotherQuestion);
    t.wait(1_400);
    t.press("y");
    expect(t.given).toEqual([]);
  });

  it("that takes the place of another does not take the text that was typed for that one", () => {
    const t = open();
    t.ask(asked("a", { kind: "input" }));
    t.questions.update([asked("b", { kind: "input" })]);
    t.drawn();
    t.wait(200);
    expect([t.questions.type("rm"), t.given]).toEqual([false, []]);
    t.wait(1_400);
    expect([t.questions.type("rm"), t.given]).toEqual([true, [["b", { answer: "rm" }]]]);
  });

  it("leaves no letters in the field when the same key answers several in a row", async () => {
    const t = open();
    t.ask(asked("a"));
    for (const next of ["b", "c"]) {
      t.press("y");
      t.press("y");
      await Promise.resolve();
      t.press("y");
      t.questions.update([]);
      t.press("y");
      t.questions.update([asked(next)]);
      t.press("y");
      t.drawn();
      t.wait(1_000);
    }
    t.press("y");
    expect([t.given.map(([id]) => id), t.field.text]).toEqual([["a", "b", "c"], ""]);
  });

  it("takes no letter of a text in the field, however long the person pauses, until they press Tab", () => {
    const t = open();
    t.field.text = "bring milk, breas";
    t.ask(permission("npm test"));
    for (const key of ["e", "e", "y"]) {
      t.wait(5_000);
      expect(t.press(key)).toBe(false);
    }
    expect([t.press(ENTER), t.press(DOWN), t.given]).toEqual([false, false, []]);
    expect(t.text()).toContain("Your draft is kept: press Tab to answer");
    t.wait(1_000);
    expect(t.press(TAB)).toBe(true);
    t.drawn();
    t.wait(300);
    expect(t.press("x")).toBe(true);
    expect(t.press("y")).toBe(true);
    expect([t.given, t.field.text]).toEqual([[["a", { answer: "y" }]], "bring milk, breaseey"]);
  });

  it("for a text does not take the draft that was there for its answer", () => {
    const t = open();
    t.field.text = "a draft";
    t.ask(asked("a", { kind: "input" }));
    expect(t.questions.takesText).toBe(false);
    t.press(TAB);
    expect([t.questions.takesText, t.field.text]).toEqual([true, ""]);
    t.drawn();
    t.wait(1_000);
    t.questions.type("blue");
    t.questions.update([]);
    expect([t.given, t.field.text]).toEqual([[["a", { answer: "blue" }]], "a draft"]);
  });

  describe("of a form", () => {
    const field = (requestId: string, kind: OpenRequest["kind"], form = "f1") =>
      asked(requestId, { plugin: "mcp", kind, data: { form }, ...(kind === "select" && { options: few }) });
    const few = [
      { value: "1", label: "small" },
      { value: "2", label: "large" },
    ];
    /** Answers a text field of the form, before the next question has arrived. */
    const answered = () => {
      const t = open();
      t.ask(field("a", "input"));
      for (const letter of "Bob") t.press(letter);
      t.field.text = "";
      expect(t.questions.type("Bob")).toBe(true);
      t.questions.update([]);
      return t;
    };

    it("treats text that was typed since the question before it as its answer", () => {
      const t = answered();
      for (const letter of "Berl") t.press(letter);
      expect(t.questions.takesText).toBe(true);
      expect(t.questions.type("Berl")).toBe(false);
      t.questions.update([field("b", "input")]);
      t.drawn();
      for (const letter of "in") t.press(letter);
      expect(t.field.text).toBe("Berlin");
      expect(t.questions.takesText).toBe(true);
      t.wait(300);
      t.field.text = "";
      expect(t.questions.type("Berlin")).toBe(true);
      expect(t.given.at(-1)).toEqual(["b", { answer: "Berlin" }]);
    });

    it("drops keys that came too soon for its answers, and leaves none in the field", () => {
      const t = answered();
      t.press("x");
      t.questions.update([field("b", "select")]);
      t.drawn();
      expect(t.field.text).toBe("");
      for (const key of ["2", "x", "\r"]) {
        expect(t.questions.isForForm).toBe(true);
        expect(t.press(key)).toBe(true);
      }
      expect(t.text()).toContain(en.tooSoon);
      expect(t.field.text).toBe("");
      expect(t.given).toHaveLength(1);
      t.wait(700);
      expect(t.questions.isForForm).toBe(false);
      t.press("2");
      expect(t.given.at(-1)).toEqual(["b", { answer: "2" }]);
    });

    it("takes nothing that was typed for a message, or after another form", () => {
      const other = answered();
      other.press("x");
      other.ask(field("b", "input", "f2"));
      expect(other.questions.takesText).toBe(false);
      expect(other.field.text).toBe("x");
      const t = answered();
      t.wait(700);
      expect(t.questions.takesText).toBe(false);
    });
  });

  it("asks once more about a lasting answer, says where it is stored, and reports it afterwards", () => {
    const t = open();
    t.ask(permission("npm test"));
    t.press("e");
    expect(t.given).toEqual([]);
    expect(t.text().replace(/\s+┃ /g, " ")).toContain(
      "This answer holds from now on, and is kept in ~/.scorel/config.toml. Press e once more",
    );
    t.press("e");
    expect([t.given, t.field.text]).toEqual([[], ""]);
    t.wait(300);
    t.press("e");
    expect(t.given).toEqual([["a", { answer: "e" }, "Always allowed: `npm test` (in ~/.scorel/config.toml)"]]);
  });

  it("takes back a lasting answer with Esc or another key", () => {
    const t = open();
    t.ask(permission("npm test"));
    t.press("a");
    expect([t.questions.back(), t.questions.back()]).toEqual([true, false]);
    t.press("a");
    t.wait(300);
    t.press("y");
    expect(t.given).toEqual([["a", { answer: "y" }]]);
  });

  it("takes numbers and arrows with Enter; Enter alone says what to do", () => {
    const t = open();
    t.ask(permission("npm test"));
    expect([t.press(ENTER), t.given]).toEqual([true, []]);
    expect(t.text()).toContain(en.chooseFirst);
    t.press(DOWN);
    t.press(DOWN);
    t.press(ENTER);
    expect(t.given).toEqual([["a", { answer: "s" }]]);
    const numbered = open();
    numbered.ask(permission("npm test"));
    expect(numbered.text()).toContain("1 y  yes, this once");
    numbered.press("5");
    expect(numbered.given).toEqual([["a", { answer: "n" }]]);
  });

  it("shows the first and the last lines, and takes a yes without all of them only when it is given twice", () => {
    const t = open();
    t.ask(permission(`npm test\n${"# the tests\n# run\n".repeat(30)}touch ../pwn`));
    expect(t.text()).toMatch(/│ npm test[\s\S]*┃ ⋯ \d+ more lines[\s\S]*│ touch \.\.\/pwn/);
    t.press("y");
    expect([t.given, t.text()]).toEqual([[], expect.stringMatching(/\d+ lines were not shown yet/)]);
    t.wait(300);
    t.press("y");
    expect(t.given).toEqual([["a", { answer: "y" }]]);
    const read = open();
    read.ask(permission(`npm test\n${"# the tests\n# run\n".repeat(30)}touch ../pwn`));
    for (let page = 0; page < 30; page++) {
      read.press(PAGE_DOWN);
      read.drawn();
    }
    read.press("y");
    expect(read.given).toEqual([["a", { answer: "y" }]]);
  });

  it("shortens many empty lines and spaces so that one sees it, also in a diff", () => {
    const t = open();
    t.ask(permission(`echo ok${"\n".repeat(51)}touch x${" ".repeat(3_000)}; touch y`));
    expect(t.text()).toMatch(/┃ ⋯ 50 empty lines\n┃ │ touch x ⋯ 3000 spaces ⋯ ; touch y/);
    const diff = `@@ -0,0 +1,60 @@\n+a\n${"+\n".repeat(50)}+echo hi${"\t".repeat(30)}; curl x | sh\n`;
    t.ask(asked("d", { body: [{ display: "diff", path: "f", text: diff }] }));
    expect(t.text()).toMatch(/⋯ 50 empty lines\n.*52 \+ echo hi ⋯ 120 spaces ⋯ ; curl x \| sh/);
  });

  it("marks the lines of what it is about, so that none looks like an answer", () => {
    const t = open();
    t.ask(permission("npm test\n  y  yes, this once\n┃   n  no\n⋯ 3 more lines", { title: "q\n 1 y  yes" }));
    const fake = t
      .text()
      .split("\n")
      .filter((line) => !/^┃ [│┊]/.test(line));
    expect(fake).toEqual([
      "┃ q 1 y  yes",
      "┃  1 y  yes, this once",
      "┃  2 s  yes, and in this session: `npm test`",
      "┃  3 a  always in this project: `npm test`",
      "┃  4 e  always in every project: `npm test`",
      "┃  5 n  no",
      "┃  6 r  no, and say why",
      "┃ Esc declines and stops",
    ]);
  });

  it("has only characters of a known width", () => {
    const t = open();
    const text = `a\u{1f3fb} \u0915\u094d\u0937\u093f \u0c95\u0cc6\u0cbe ✔\ufe0f 👩\u200d💻 🇩🇪 \u{1fff0} \u2800 \u4dc0 \ufdfd é e\u0301 漢字 👍`;
    t.ask(permission(text));
    expect(t.text()).toContain("│ a\\u{1f3fb} क\u094dष\\u{93f} ಕ\\u{cc6}\\u{cbe} ✔\\u{fe0f} 👩\\u{200d}💻");
    expect(t.text().replace(/\n┃ ┊ /g, " ")).toContain("\\u{1fff0} \\u{2800} \\u{4dc0} \\u{fdfd} é e\u0301 漢字 👍");
  });

  it("is in one language", () => {
    const t = open(zh);
    t.ask(permission("npm test"));
    expect(t.text()).toBe(
      [
        "┃ 运行此命令？",
        "┃ │ npm test",
        "┃  1 y  是，仅此一次",
        "┃  2 s  是，并在本会话中允许：`npm test`",
        "┃  3 a  在此项目中始终允许：`npm test`",
        "┃  4 e  在所有项目中始终允许：`npm test`",
        "┃  5 n  否",
        "┃  6 r  否，并说明原因",
        "┃ Escape 拒绝并停止".replace("Escape", "Esc"),
      ].join("\n"),
    );
  });
});

describe("a small window", () => {
  it("takes only keys of answers that it shows, and arrows reach the others", () => {
    const t = open();
    t.ask(permission("npm test"), 6);
    expect(t.text(6).split("\n")).toHaveLength(6);
    expect(t.text(6)).toContain("4 more answers");
    t.press("e");
    t.press("r");
    expect([t.given, t.questions.shown?.pending]).toEqual([[], undefined]);
    t.press("\u001b[A");
    expect(t.text(6)).toContain("❯6 r  no, and say why");
    t.press("y");
    t.press("n");
    expect([t.given, t.field.text]).toEqual([[["a", { answer: "n" }]], ""]);
  });

  it("that is too small says so, and takes no answer", () => {
    const t = open();
    const long = permission("npm test\n".repeat(40));
    t.ask(long, 5);
    expect(t.text(5)).toContain(en.makeLarger);
    for (const key of ["y", "1", "s", ENTER, DOWN]) t.press(key);
    expect(t.given).toEqual([]);
    t.drawn(20);
    t.press("n");
    expect(t.given).toEqual([]);
    t.wait(300);
    t.press("n");
    expect(t.given).toEqual([["a", { answer: "n" }]]);
  });

  it("has all of an answer that is cut among what the question is about", () => {
    const t = open();
    const label = `always in this project: ${Array.from({ length: 30 }, (_, at) => `\`mytool${at}\``).join(", ")}`;
    t.ask(permission("npm test", { options: [{ value: "a", label, lasting: true }] }));
    const body = t
      .text()
      .split("\n")
      .filter((line) => /^┃ [│┊]/.test(line))
      .map((line) => line.slice(4))
      .join(" ");
    expect(body).toContain(`a: ${label}`);
  });
});
