import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { changeLines, decideOn, describeAs, type Reviewed } from "../../../../plugins/kit/terminal/review.ts";

const reviewed: Reviewed = {
  items: [
    { kind: "setting", what: "model.id = x", place: "config.toml:3" },
    { kind: "code", what: "extensions/a.ts \u001b[2K", place: "a.ts:1" },
  ],
  changes: [{ path: "a.ts", how: "changed", diff: "- old\n+ new" }],
  texts: () => [{ path: "a.ts", text: "code \u202e\n" }],
};

/** A terminal of 12 rows and 20 columns in which these answers are typed, and what it shows. */
function smallTerminal(...answers: string[]) {
  const stdin = new PassThrough();
  const stdout = Object.assign(new PassThrough(), { isTTY: true, rows: 12, columns: 20 });
  const streams = { stdin, stdout, interrupt: new AbortController().signal } as unknown as Parameters<
    typeof decideOn
  >[3];
  let shown = "";
  stdout.on("data", (chunk: Buffer) => {
    shown += chunk;
    if (/(?:q ends this|\[s\]how): /.test(chunk.toString())) stdin.write(`${answers.shift()}\n`);
  });
  return { streams, said: () => shown };
}

describe("a review", () => {
  it("shows changes and effects, the most serious ones first, with nothing hidden", () => {
    expect(describeAs("New here", reviewed).split("\n")).toEqual([
      "New here",
      "  changed  a.ts",
      "    - old",
      "    + new",
      "runs code with your rights:",
      "  extensions/a.ts \\u{1b}[2K  (a.ts:1)",
      "sets:",
      "  model.id = x  (config.toml:3)",
    ]);
    expect(changeLines([{ path: "b.ts", how: "added" }])).toEqual(["  added    b.ts"]);
  });

  it("that fills more than a screen ends with a summary", () => {
    const items = Array.from({ length: 20 }, (_, n) => ({ kind: "skill" as const, what: `s${n}`, place: "x:1" }));
    expect(describeAs("New here", { items }).split("\n").at(-1)).toBe("In all: adds skills 20.");
  });

  it.each([
    ["y\n", true],
    ["\n", false],
    ["s\ny\n", true],
    ["s\nno\n", false],
    ["?\nmaybe\ny\n", true],
    ["?\n\n", false],
  ])("answered with %j is decided as %s, after the texts were shown if requested", async (typed, decided) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const streams = { stdin, stdout, interrupt: new AbortController().signal } as unknown as Parameters<
      typeof decideOn
    >[3];
    const answers = typed.split("\n").filter((_, n, all) => n < all.length - 1);
    let shown = "";
    stdout.on("data", (chunk: Buffer) => {
      shown += chunk;
      if (chunk.toString().includes("[s]how: ")) stdin.write(`${answers.shift() ?? ""}\n`);
    });
    expect(await decideOn(reviewed, "New here", { text: "Take it?" }, streams)).toBe(decided);
    expect(shown.includes("--- a.ts\ncode \\u{202e}")).toBe(typed.startsWith("s"));
    expect(shown.split("Please answer y, n or s (Enter: no).\n").length - 1).toBe(
      typed.match(/[?]|maybe/g)?.length ?? 0,
    );
  });

  it("shows long texts a page at a time, with tabs as spaces, and says what a no does", async () => {
    const text = ["a\tb", "x".repeat(50), ...Array.from({ length: 30 }, (_, at) => `line ${at}`)].join("\n");
    const { streams, said } = smallTerminal("s", "", "q", "n");
    const decided = await decideOn(
      { items: [], texts: () => [{ path: "a\n.ts", text }] },
      "New",
      { text: "Take it?", no: "go on" },
      streams,
    );
    const shown = said();
    const pages = shown.split("-- ").slice(1);
    expect([decided, shown.includes("Take it? [y]es, [N]o (go on),\n[s]how: ")]).toEqual([false, true]);
    expect(shown).toContain("--- a\\u{a}.ts\na       b\n");
    const counts = pages.map((page) => /^\d+ of \d+ lines/.exec(page)?.[0]).filter(Boolean);
    // A prompt of several rows is redrawn while its answer is typed.
    expect([...new Set(counts)]).toEqual(["8 of 34 lines", "18 of 34 lines"]);
    expect(shown).not.toContain("line 20");
  });

  it("counts wide characters as two columns, so that no line of a page scrolls off the screen", async () => {
    const text = ["把\tb", ...Array.from({ length: 12 }, () => "把".repeat(20))].join("\n");
    const { streams, said } = smallTerminal("s", "q", "n");
    await decideOn({ items: [], texts: () => [{ path: "a.md", text }] }, "New", { text: "Take it?" }, streams);
    const shown = said();
    expect(shown).toContain("\n把      b\n");
    // Ten rows: the heading, the line with the tab, and four lines of two rows each.
    expect(shown.split("把".repeat(20)).length - 1).toBe(4);
  });
});
