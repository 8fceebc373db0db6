import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "@scorel/workspace/contract";
import { afterAll, describe, expect, it } from "vitest";
import { changeOf } from "../../../plugins/permissions/change.ts";

const dir = mkdtempSync(join(tmpdir(), "scorel-change-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const LINES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
writeFileSync(join(dir, "a.txt"), LINES.map((line) => `${line}\n`).join(""));
const change = (args: unknown, tool = "Edit") => changeOf(tool, args, { cwd: dir } as Workspace);
const diff = (...lines: string[]) => ({
  display: "diff",
  path: "a.txt",
  text: ["--- a/a.txt", "+++ b/a.txt", ...lines].join("\n"),
});

describe("a change that a person is asked about", () => {
  const a = { file_path: "a.txt" };

  it.each([
    [
      "one place",
      { old_string: "five", new_string: "5" },
      diff("@@ -2,7 +2,7 @@", " two", " three", " four", "-five", "+5", " six", " seven", " eight"),
    ],
    [
      "the first line",
      { old_string: "one", new_string: "1" },
      diff("@@ -1,4 +1,4 @@", "-one", "+1", " two", " three", " four"),
    ],
    [
      "the last line",
      { old_string: "nine", new_string: "$&" },
      diff("@@ -6,4 +6,4 @@", " six", " seven", " eight", "-nine", "+$&"),
    ],
    [
      "only the first of several places",
      { old_string: "e\n", new_string: "E\n" },
      diff("@@ -1,4 +1,4 @@", "-one", "+onE", " two", " three", " four"),
    ],
    [
      "all places, with the lines between them as they are",
      { old_string: "n", new_string: "N", replace_all: true },
      diff(
        "@@ -1,9 +1,9 @@",
        ...["-one", "+oNe", " two", " three", " four", " five", " six", "-seven", "+seveN", " eight", "-nine", "+NiNe"],
      ),
    ],
    ["the whole file", { content: "new\n" }, diff("@@ -1,9 +1,1 @@", ...LINES.map((line) => `-${line}`), "+new")],
    [
      "an added line",
      { content: ["zero", ...LINES, ""].join("\n") },
      diff("@@ -1,3 +1,4 @@", "+zero", " one", " two", " three"),
    ],
    [
      "a missing newline at the end",
      { content: LINES.join("\n") },
      diff("@@ -6,4 +6,4 @@", " six", " seven", " eight", "-nine", "+nine", "\\ No newline at end of file"),
    ],
  ])("is shown as a diff of %s", async (_what, args, shown) => {
    expect(await change({ ...a, ...args })).toEqual(shown);
  });

  it("shows carriage returns, except those that every line has before and after it", async () => {
    const all = LINES.map((line) => `${line}\r\n`).join("");
    writeFileSync(join(dir, "crlf.txt"), all);
    const at = { file_path: "crlf.txt" };
    const text = async (args: unknown) => ((await change({ ...at, ...(args as object) })) as { text: string }).text;
    expect((await text({ old_string: "one\ntwo", new_string: "1\n2" })).split("\n").slice(2, 8)).toEqual([
      ...["@@ -1,5 +1,5 @@", "-one", "-two", "+1", "+2", " three"],
    ]);
    expect((await text({ old_string: "one", new_string: "one\rrm" })).split("\n").slice(3, 5)).toEqual([
      ...["-one\\u{d}", "+one\\u{d}rm\\u{d}"],
    ]);
    const mixed = await change({ ...a, old_string: "one", new_string: "one\r" });
    expect((mixed as { text: string }).text.split("\n").slice(3, 5)).toEqual(["-one", "+one\\u{d}"]);
    const endings = await change({ ...a, content: all }, "Write");
    expect((endings as { text: string }).text.split("\n").filter((line) => line === "+two\\u{d}")).toHaveLength(1);
  });

  it("shows blanks at the ends of changed lines, and counts many", async () => {
    const shown = await change({ ...a, old_string: "one", new_string: `one \t\ntwo${" ".repeat(500)}` });
    expect((shown as { text: string }).text.split("\n").slice(3, 6)).toEqual([
      ...["-one", "+one\\u{20}\\u{9}", "+two\\u{20}… (500 blanks)"],
    ]);
  });

  it("of a new file is shown as added lines", async () => {
    expect(await change({ file_path: "new.txt", content: "a\n" }, "Write")).toEqual({
      ...{ display: "diff", path: "new.txt", text: "--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+a" },
    });
  });

  it("names its file so that no two files look the same", async () => {
    const names = [" q", "q", "q ", "a\n.sh", "a .sh", "a  .sh", "a\t.sh", "a\r.sh", "a\u200b.sh", "a\\u{200b}.sh"];
    const shown = names.map(
      async (file_path) => (await change({ file_path, content: "a\n" }, "Write")) as { path: string },
    );
    expect((await Promise.all(shown)).map(({ path }) => path)).toEqual([
      ...[
        "\\u{20}q",
        "q",
        "q\\u{20}",
        "a\\u{a}.sh",
        "a .sh",
        "a \\u{20}.sh",
        "a\\u{9}.sh",
        "a\\u{d}.sh",
        "a\\u{200b}.sh",
      ],
      "a\\u{5c}u{200b}.sh",
    ]);
  });

  it("is shown whole, however long it is", async () => {
    const content = Array.from({ length: 3_000 }, (_, at) => `${at} ${"x".repeat(500)}\n`).join("");
    const { text } = (await change({ file_path: "new.txt", content }, "Write")) as { text: string };
    const added = text.split("\n").filter((line) => line.startsWith("+"));
    expect(
      added
        .slice(1)
        .map((line) => `${line.slice(1)}\n`)
        .join(""),
    ).toBe(content);
  });

  it("that changes nothing is shown by its arguments", async () => {
    const args = { ...a, old_string: "", new_string: "x" };
    expect(await change(args)).toEqual({ display: "fold", title: "Edit a.txt", text: JSON.stringify(args, null, 2) });
  });

  it("of a folder, of a very large file, or without a file is shown by its arguments", async () => {
    writeFileSync(join(dir, "large"), "x".repeat(1_048_577));
    const args = [{ file_path: dir, content: "" }, { file_path: "large", content: "" }, { command: "ls" }];
    expect(await Promise.all(args.map((given) => change(given, "Tool")))).toEqual([
      { display: "fold", title: `Tool ${dir}`, text: JSON.stringify(args[0], null, 2) },
      { display: "fold", title: `Tool ${join(dir, "large")}`, text: JSON.stringify(args[1], null, 2) },
      { display: "fold", title: "Tool", text: JSON.stringify(args[2], null, 2) },
    ]);
    const read = { file_path: "new.txt" };
    expect(await change(read, "Read")).toEqual({ display: "fold", title: "Read", text: JSON.stringify(read, null, 2) });
    expect(await change(undefined)).toEqual({ display: "fold", title: "Edit", text: "" });
  });
});
