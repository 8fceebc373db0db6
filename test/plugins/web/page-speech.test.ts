import { expect, it } from "vitest";
import { Speech } from "../../../plugins/web/page/chat/speech.ts";

/** The announcements for a text that arrives in pieces of `size` characters. */
function told(text: string, size: number): string[] {
  const speech = new Speech();
  const sentences: string[] = [];
  for (let end = size; end < text.length; end += size) sentences.push(...speech.take(text.slice(0, end)));
  return [...sentences, ...speech.take(text, true)];
}

it.each([1, 3, 1_000])("announces whole sentences, without marks and code, in pieces of %i characters", (size) => {
  const text = [
    "# A title\n\n",
    "It costs 3.50 today. **Is** that `much`? 很好。再见",
    "\n\n1. one\n2. two\n\n- [a link](https://example.com/a.b)\n",
    "```ts\nconst a = 1. toString();\n```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\nThe end",
  ].join("");
  expect(told(text, size)).toEqual([
    "A title",
    "It costs 3.50 today.",
    "Is that much?",
    "很好。",
    "再见",
    "1. one",
    "2. two",
    "a link",
    "a b",
    "1 2",
    "The end",
  ]);
});

it("announces an unfinished sentence after a while, and every word once", () => {
  const text = "word ".repeat(300).trim();
  const sentences = told(text, 7);
  expect(sentences.length).toBeGreaterThan(2);
  expect(sentences.join(" ")).toBe(text);
});

it("announces the beginning of a word that does not end, once", () => {
  const sentences = told(`${"A".repeat(10_000)} and more.`, 700);
  expect(sentences.map((sentence) => sentence.length)).toEqual([2_000, 2_000, 2_000, 2_000, 1_610]);
  expect(sentences.at(-1)?.endsWith("A and more.")).toBe(true);
});

it("takes linear time for a reply of any form", () => {
  const many = 2 ** 19;
  const rows = [".".repeat(many), "[".repeat(many), " ".repeat(many), `${"1".repeat(many)}.`];
  expect(rows.map((row) => new Speech().take(`so ${row}x`, true))).toEqual([
    [`so ${".".repeat(1_997)}`],
    [`so ${"[".repeat(1_997)}`],
    ["so"],
    [`so ${"1".repeat(1_997)}`],
  ]);
});
