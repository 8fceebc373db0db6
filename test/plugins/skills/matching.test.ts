import { describe, expect, it } from "vitest";
import { Matching, stemOf, tellingWords, wordsIn } from "../../../plugins/skills/match/matching.ts";

const skill = (name: string, description: string) => ({ name, description });
const known = [
  skill("git-commit", "Make a git commit - what belongs in it, and its message."),
  skill("code-review", "Review a change before it is merged: bugs first, then tests."),
  skill("invoices", "Fill out invoices for customers, with tax and totals."),
  skill("报告", "撰写每周报告和会议纪要"),
];
const fitsOf = (text: string) =>
  new Matching(known).fits(tellingWords(text)).map((fit) => [fit.skill.name, fit.score, fit.words]);

describe("the words of a text", () => {
  it("are unique, with forms of one word merged", () => {
    expect([...wordsIn("Commit, commits; committed & committing the tests. Test!").values()]).toEqual([
      "commit",
      "the",
      "tests",
    ]);
    for (const [a, b] of [
      ["review", "reviewing"],
      ["utility", "utilities"],
      ["release", "releases"],
      ["note", "notes"],
      ["process", "processes"],
    ] as const)
      expect([a, stemOf(a)]).toEqual([a, stemOf(b)]);
    expect(stemOf("pdf")).not.toBe(stemOf("pd"));
  });

  it("exclude words that are in every sentence or request, and numbers", () => {
    const said = "Please can you fix the 12 errors in this file and run the tests again? a b";
    expect([...tellingWords(said).values()]).toEqual(["tests"]);
  });

  it("are found in languages without spaces", () => {
    expect([...tellingWords("请写一份会议纪要。").values()]).toContain("会议");
  });

  it("are found in languages without spaces in text of any length", () => {
    // Segmented as a whole, this would take minutes.
    const text = "今天我们来讨论一下这个问题然后请写一份会议纪要".repeat(10_000);
    expect([...wordsIn(text).values()]).toEqual([...wordsIn(text.slice(0, 460)).values()]);
  });
});

describe("a text", () => {
  it.each([
    ["commit this", [["git-commit", 4, ["commit"]]]],
    ["Reviewing the tests of my change before merging", [["code-review", 6, ["reviewing", "tests", "merging"]]]],
    ["fill in the invoice, with taxes", [["invoices", 6, ["fill", "invoice", "taxes"]]]],
    ["整理会议纪要和报告", [["报告", 6, expect.arrayContaining(["会议", "报告"])]]],
    ["what is the message of the day?", []],
    ["write some code that does the totals", []],
    ["a bill for customers, with tax and totals", [["invoices", 3, ["customers", "tax", "totals"]]]],
    ["go on", []],
  ])("matches skills by its words: %s", (said, fits) => {
    expect(fitsOf(said)).toEqual(fits);
  });

  it("does not match by a word that many skills share", () => {
    const many = Array.from({ length: 8 }, (_x, at) => skill(`acme-t${at}`, `Acme's topic ${"abcdefgh"[at]}${at}`));
    const fits = (text: string) => new Matching(many).fits(tellingWords(text)).map((fit) => fit.skill.name);
    expect([fits("what does acme do?"), fits("acme t3 please")]).toEqual([[], []]);
    expect(fits("acme t3 d3")).toEqual(["acme-t3"]);
  });
});
