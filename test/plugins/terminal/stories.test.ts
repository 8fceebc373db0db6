import { join } from "node:path";
import type { DisplayAction } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { en } from "../../../plugins/terminal/words/en.ts";
import { zh } from "../../../plugins/terminal/words/zh.ts";
import { screened } from "./recorded.ts";

const diff = `--- a/src/cart.js
+++ b/src/cart.js
@@ -1,4 +1,4 @@
 export function total(items) {
   let sum = 0;
-  for (let i = 1; i < items.length; i++) sum += items[i].price;
+  for (let i = 0; i < items.length; i++) sum += items[i].price;
   return sum;
`;
const answer = `The loop began at 1, so \`total\` left out the **first item**. 你好, 👍 and e\u0301 take their own columns.

| item | Preis | 价格 |
| --- | ---: | --- |
| tea | 4.20 | 四块二 |
| café | 12.00 | 十二 |

1. The loop is repaired; see [the cart](https://example.com/cart).
2. Nothing else uses it:

\`\`\`js
const sum = total([{ price: 2 }]); // 2
\`\`\`

> It was found by a test.`;

const session: readonly DisplayAction[] = [
  { display: "bubble", role: "user", text: "The total is wrong. 请修复它。" },
  { display: "bubble", role: "assistant", text: "I will look at it.", thinking: "A loop, I guess." },
  { display: "card", title: "Read src/cart.js", status: "done", text: "lines 1-5 of 5" },
  {
    display: "card",
    title: "Edit src/cart.js",
    status: "done",
    text: "Edited src/cart.js: 1 replacement, line 3.",
    body: [{ display: "diff", path: "src/cart.js", text: diff }],
  },
  {
    display: "card",
    title: "$ node --test --test-reporter=spec test/cart.test.js test/shop.test.js",
    status: "error",
    text: `${Array.from({ length: 20 }, (_, at) => `ok ${at}`).join("\n")}\nnot ok 21 - a price\n[exit code 1]`,
  },
  {
    display: "list",
    title: "Todos",
    text: "",
    items: [
      { text: "Repair the loop", state: "done" },
      { text: "Look for other uses of it", state: "active" },
      { text: "Tell what was wrong", state: "open" },
    ],
  },
  { display: "bubble", role: "assistant", text: answer },
  { display: "notice", level: "warning", text: "The provider asked to wait, and was asked again." },
];

const sizes = [
  [40, 90],
  [80, 66],
  [200, 60],
] as const;
const languages = { en, zh };

describe("a recorded session", () => {
  for (const [columns, rows] of sizes)
    for (const language of ["en", "zh"] as const)
      it(`is shown at ${columns} columns in "${language}"`, async () => {
        using screen = await screened(session, { columns, rows, words: languages[language], theme: "dark" });
        const file = join(import.meta.dirname, "stories", `${columns}-${language}.txt`);
        await expect(`${screen.text()}\n`).toMatchFileSnapshot(file);
      });

  it("says the same in every theme, in colours of its own", async () => {
    const seen = [];
    for (const theme of ["dark", "light", "none"]) {
      using screen = await screened(session, { columns: 80, rows: 66, words: en, theme });
      const cells = screen.lines().flatMap((_, row) => screen.cells(row));
      const colors = new Set(
        cells.flatMap(({ color, behind }) => [color, behind].filter((each) => each !== undefined)),
      );
      seen.push({ text: screen.text(), colors: [...colors].sort().join() });
    }
    const [dark, light, none] = seen;
    expect([light?.text, none?.text]).toEqual([dark?.text, dark?.text]);
    expect(none?.colors).toBe("");
    expect(new Set([dark?.colors, light?.colors]).size).toBe(2);
  });
});
