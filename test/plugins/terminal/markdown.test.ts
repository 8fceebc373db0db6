import type { DisplayAction } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { blocksOf } from "../../../plugins/kit/markdown/blocks.ts";
import { Effort } from "../../../plugins/kit/markdown/effort.ts";
import { spansOf } from "../../../plugins/kit/markdown/spans.ts";
import { GrowingText } from "../../../plugins/terminal/rows/stream.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { fc } from "../../property.ts";
import { costly, isBad } from "./hostile-text.ts";
import { recorded } from "./recorded.ts";

const SHOWN: Record<string, string> = { strong: "b", emphasis: "i", code: "c", link: "a", muted: "m", heading: "h" };
/** A theme that writes the names of roles. */
const theme: Theme = {
  name: "written",
  style: (role, text) => (SHOWN[role] === undefined ? text : `<${SHOWN[role]}>${text}</>`),
};
const plainTheme: Theme = { name: "plain", style: (_role, text) => text };
const drawn = (text: string, width = 120, by = theme) => new GrowingText().draw(text, width, { theme: by });

describe("Markdown", () => {
  it.each([
    [
      "**bold** *it* ***both*** `co de` ~~gone~~",
      "<b>bold</> <i>it</> <b><i>both</></> <c>co de</> <m>~</><m>gone</><m>~</>",
    ],
    ["snake_case_word 2 * 3 * 4 **open _a_", "snake_case_word 2 * 3 * 4 **open <i>a</>"],
    ["**a*b*c** 这是**重点**。", "<b>a</><b><i>b</></><b>c</> 这是<b>重点</>。"],
    ['[text](https://e.com/a_b "t") [a](<b c>)', "<a>text</> <m>(https://e.com/a_b)</> <a>a</> <m>(b c)</>"],
    [
      "[https://e.com](https://e.com) <https://x.y> https://f.bar/(x), [x] [y][z]",
      "<a>https://e.com</> <a>https://x.y</> <a>https://f.bar/(x)</>, [x] [y][z]",
    ],
    [
      "![alt](i.png) ![](j.png) [**b** [in](u)](v)",
      "<a>alt</> <m>(i.png)</> <a>image</> <m>(j.png)</> [<b>b</> <a>in</> <m>(u)</>](v)",
    ],
    ["\\*no\\* &lt;b&gt; `&lt;` ``a`b`` <b>x</b> `open", "*no* <b> <c>&lt;</> <c>a`b</> <b>x</b> `open"],
    ["### A title ##", "<h>A title</>"],
    ["Title\n===\ntext", "<h>Title</>\n\ntext"],
    ["a\n\n***\n\nb", `a\n\n${"─".repeat(60)}\n\nb`],
    [
      "1. one\n   - in\n     - deeper\n2. two\n   ```js\n   a\n\n    b\n   ```",
      "1. one\n   • in\n     • deeper\n2. two\n   <m>  js</>\n     <c>a</>\n     <c></>\n     <c> b</>",
    ],
    ["- [ ] open\n- [x] done\n\n  more", "• ☐ open\n• ☑ done\n\n    more"],
    ["1. one\n\n   more\n\n   - in\n2. two", "1. one\n\n   more\n   • in\n2. two"],
    ["- one\n\n  more\n\n- two", "• one\n\n  more\n\n• two"],
    ["> a\nlazy\n> - b\n\nc", "│ a\n│ lazy\n│ \n│ • b\n\nc"],
    [
      "| a | b |\n|:-:|--:|\n| 1 \\| 2 | `c` |\n| x |",
      "<b>  a  </> │ <b>      b</>\n──────┼────────\n1 | 2 │ <c>c</>\n  x   │",
    ],
    ["    code\n\n    more\ntext", "  <c>code</>\n  <c></>\n  <c>more</>\n\ntext"],
  ])("%j is drawn", (text, lines) => {
    expect(drawn(text).join("\n")).toBe(lines);
  });

  it("of any kind is read in steps that grow with its length, and nested no deeper than a few levels", () => {
    const parts = fc.constantFrom(
      ..."*_~`[](){}<>!|#-+.:\\&\n\n >1a".split(""),
      "**",
      "![",
      "](",
      "http://",
      "- ",
      "\n> ",
      "\n  - ",
      "```\n",
      "  ",
    );
    const text = fc.oneof(
      fc.array(parts, { maxLength: 200 }).map((all) => all.join("")),
      fc
        .tuple(fc.array(parts, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 800 }))
        .map(([all, n]) => all.join("").repeat(n)),
    );
    fc.assert(
      fc.property(text, (each) => {
        const effort = new Effort(each.length);
        expect(() => [blocksOf(each, effort), spansOf(each, effort)]).not.toThrow();
      }),
    );
  });

  it("that is made to slow down the parser is drawn, within its width", () => {
    for (const text of costly(12_000)) {
      const effort = new Effort(text.length);
      expect(() => [blocksOf(text, effort), spansOf(text, effort)], text.slice(0, 20)).not.toThrow();
      expect(
        drawn(text, 40, plainTheme).filter((line) => isBad(line, 40)),
        text.slice(0, 20),
      ).toEqual([]);
    }
  });

  it("that grows is parsed in parts of a bounded size, however long it is", () => {
    let handed = 0;
    const count = (text: string) => {
      handed += text.length;
      return text;
    };
    const drawing = { theme: { name: "counting", style: (_role: unknown, text: string) => count(text) } };
    for (const piece of ["**a** ", "`a`\n", "- **a**\n"]) {
      const growing = new GrowingText();
      const text = piece.repeat(200_000 / piece.length);
      growing.draw(text, 80, drawing);
      const before = handed;
      growing.draw(`${text}x`, 80, drawing);
      const all = growing.draw(`${text}xy`, 80, drawing);
      expect(handed - before).toBeLessThan(100_000);
      expect(all.at(-1)).toContain("xy");
    }
  });

  it("of code that is long keeps all its lines, and goes on after it", () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}`);
    const shown = drawn(`before\n\n\`\`\`js\n${lines.join("\n")}\n\`\`\`\nafter`, 80, plainTheme);
    expect(shown).toEqual(["before", "", "  js", ...lines.map((line) => `  ${line}`), "", "after"]);
  });
});

it("a row that cannot be drawn is shown as plain text", () => {
  const session: DisplayAction[] = [
    { display: "card", title: "Read", status: "done", text: "\u001b[2Jthe output" },
    { display: "bubble", role: "user", text: "hello" },
  ];
  const { transcript } = recorded(session);
  const broken: Theme = {
    name: "broken",
    style(role, text) {
      if (role === "tool") throw new RangeError("Maximum call stack size exceeded");
      return text;
    },
  };
  const drawing = { theme: broken };
  const look = {
    ...drawing,
    drawing,
    words: en,
    isExpanded: false,
    showsThinking: false,
    expandKey: "",
    thinkingKey: "",
  };
  expect(transcript.render(40, 10, look)).toEqual(["the output", "", "▌ hello"]);
});
