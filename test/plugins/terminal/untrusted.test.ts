import type { DisplayAction } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { Question } from "../../../plugins/terminal/app/question.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { displayLines, thinkingLines } from "../../../plugins/terminal/rows/display.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { loadLexer } from "../../../plugins/terminal/rows/markdown.ts";
import { safeLine, safeOutput } from "../../../plugins/terminal/rows/safe.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const ESC = "\u001b";
/** What a terminal would obey, or what makes a text look different from what it says. */
const evil = [
  ...["2J", "H", "1;1H", "?1049l", "?2004l", "6n", "c", ">c", "5n", "8m", "?25l", "r", "1000A", "K", "3J", "!p"].map(
    (end) => `${ESC}[${end}`,
  ),
  ...[
    "0;title",
    "2;title",
    "52;c;aGk=",
    "52;c;?",
    "8;;http://x",
    "9;4;1;50",
    "10;?",
    "11;#000000",
    "1337;File=:aa",
    "777;notify;a;b",
  ].flatMap((body) => [`${ESC}]${body}\u0007`, `${ESC}]${body}${ESC}\\`, `${ESC}]${body}`]),
  ...["P1$r0m", "_Ga=T;AAAA", "^private", "Xstring"].flatMap((body) => [`${ESC}${body}${ESC}\\`, `${ESC}${body}`]),
  ...["c", "7", "8", "D", "M", "E", "=", ">", "N", "O", "(0", "#8"].map((end) => ESC + end),
  ...[
    "\u0007",
    "\b",
    "\r",
    "\u000b",
    "\f",
    "\u000e",
    "\u000f",
    "\u0000",
    "\u007f",
    "\u0085",
    "\u009b2J",
    "\u009d0;x\u0007",
    "\u0090x\u009c",
  ],
  ...[
    "\u202e",
    "\u202a",
    "\u202b",
    "\u202d",
    "\u2066",
    "\u2067",
    "\u2068",
    "\u2069",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u{e0041}",
  ],
  `${ESC}[31m`,
  `${ESC}[38;2;1;2;3m`,
  `${ESC}${ESC}[2J`,
  `${ESC}[${ESC}[2J`,
  `${ESC}]0;${ESC}[2J`,
];
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `before${text}after`,
  (text) => `\`${text}\` **${text}** [${text}](http://${text})`,
  (text) => `\n\`\`\`js\nconst a = "${text}";\n\`\`\`\n`,
];
const cases = evil.flatMap((text) => forms.map((form) => form(text)));

const OWN = new RegExp(`${ESC}\\[[0-9;]*m`, "g");
const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0041}]/u;

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
  const drawing = { theme, lex: await loadLexer() };
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

/** The cases of which control characters or deceiving ones are left in what is drawn. */
function leaks(draw: (text: string) => readonly string[]): string[] {
  return cases.filter((text) => draw(text).some((line) => FORBIDDEN.test(line.replace(OWN, ""))));
}

describe("text of others", () => {
  it("is tried with at least 200 cases", () => {
    expect(cases.length).toBeGreaterThan(200);
  });

  it.each(Object.keys(displays))("has no control characters left in %s, folded or open", async (name) => {
    for (const isExpanded of [false, true]) {
      const at = await look(isExpanded);
      expect(
        leaks((text) =>
          displayLines((displays[name] as (text: string) => DisplayAction)(text), 60, at, { author: undefined }),
        ),
      ).toEqual([]);
    }
  });

  it("has none left in thinking, in one line and in the output of a command", async () => {
    const at = await look(true);
    expect(leaks((text) => thinkingLines(text, 60, at))).toEqual([]);
    expect(leaks((text) => [safeLine(text)])).toEqual([]);
    expect(leaks((text) => safeOutput(text).split("\n"))).toEqual([]);
  });

  it("is written out in a question, so that nothing in it is invisible", async () => {
    const { theme, words } = await look(false);
    const keys = createKeys();
    const draw = (text: string) =>
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
      ).render(60, 20, { theme, words, keys }, 0);
    expect(leaks(draw)).toEqual([]);
    expect(draw("rm \u202e/ -rf").join("\n")).toContain("\\u{202e}");
  });
});
