import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "@scorel/workspace/contract";
import { afterAll, describe, expect, it } from "vitest";
import { changeOf } from "../../../plugins/permissions/change.ts";

const dir = mkdtempSync(join(tmpdir(), "scorel-change-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const LINES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
writeFileSync(join(dir, "a.txt"), LINES.join("\n"));
const change = (args: unknown, tool = "Edit") => changeOf(tool, args, { cwd: dir } as Workspace);
const diff = (line: number, ...lines: string[]) => ({
  display: "diff",
  path: "a.txt",
  text: ["--- a.txt", "+++ a.txt", `@@ line ${line} @@`, ...lines].join("\n"),
});

describe("a change that a person is asked about", () => {
  const a = { file_path: "a.txt" };

  it.each([
    [
      "one place",
      { old_string: "five", new_string: "5" },
      diff(2, " two", " three", " four", "-five", "+5", " six", " seven", " eight"),
    ],
    ["the first line", { old_string: "one", new_string: "1" }, diff(1, "-one", "+1", " two", " three", " four")],
    ["the last line", { old_string: "nine", new_string: "$&" }, diff(6, " six", " seven", " eight", "-nine", "+$&")],
    [
      "only the first of several places",
      { old_string: "e\n", new_string: "E\n" },
      diff(1, "-one", "+onE", " two", " three", " four"),
    ],
    [
      "all places",
      { old_string: "e\n", new_string: "E\n", replace_all: true },
      diff(
        1,
        "-one",
        "-two",
        "-three",
        "-four",
        "-five",
        "+onE",
        "+two",
        "+threE",
        "+four",
        "+fivE",
        " six",
        " seven",
        " eight",
      ),
    ],
    ["nothing", { old_string: "", new_string: "x" }, diff(7, " seven", " eight", " nine")],
    ["the whole file", { content: "new" }, diff(1, ...LINES.map((line) => `-${line}`), "+new")],
    ["an added line", { content: ["zero", ...LINES].join("\r\n") }, diff(1, "+zero", " one", " two", " three")],
  ])("is shown as a diff of %s", async (_what, args, shown) => {
    expect(await change({ ...a, ...args })).toEqual(shown);
  });

  it("of a new file is shown as added lines", async () => {
    expect(await change({ file_path: "new.txt", content: "a" }, "Write")).toEqual({
      ...{ display: "diff", path: "new.txt", text: "--- new.txt\n+++ new.txt\n@@ line 1 @@\n-\n+a" },
    });
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
