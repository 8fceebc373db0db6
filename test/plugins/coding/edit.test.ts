import { chmodSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fileOf, store, textOf, type Workshop, workshop } from "./workshop.ts";

const edit = (w: Workshop, file_path: string, old_string: string, new_string: string, replace_all?: boolean) =>
  w.call("Edit", { file_path, old_string, new_string, replace_all });
const codeOf = (result: { details?: unknown }) => (result.details as { code?: string }).code;

describe("Edit", () => {
  it("replaces one text in lines that were read, and shows the diff to users only", async () => {
    await using w = await workshop();
    const path = w.file("a.txt", "one\ntwo\nthree\n");
    await w.call("Read", { file_path: "a.txt" });
    const result = await edit(w, "a.txt", "two", "2");
    expect(w.text("a.txt")).toBe("one\n2\nthree\n");
    expect(result).toEqual({
      content: [{ type: "text", text: "Edited a.txt: 1 replacement, line 2." }],
      details: {
        file: { path, version: expect.stringMatching(/^[0-9a-f]{64}$/), ranges: [[0, 12]] },
        diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
        replacements: 1,
      },
    });
    expect(w.tools.display("Edit", { file_path: "a.txt" }, result)).toEqual({
      display: "card",
      title: "Edit a.txt",
      status: "done",
      text: "Edited a.txt: 1 replacement, line 2.",
      body: [{ display: "diff", path: "a.txt", text: expect.stringContaining("+2") }],
    });
  });

  it("requires that the changed lines were read, and only those", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\nthree\nfour\n");
    expect(textOf(await edit(w, "a.txt", "three", "3"))).toBe(
      "You have not read line 3 of a.txt, which this edit changes. Read from offset 3 first.",
    );
    await w.call("Read", { file_path: "a.txt", offset: 3, limit: 1 });
    expect(textOf(await edit(w, "a.txt", "two\nthree", "2\n3"))).toContain("You have not read line 2 of a.txt");
    expect(textOf(await edit(w, "a.txt", "three\nfour", "3\n4"))).toContain("You have not read line 4 of a.txt");
    expect(w.text("a.txt")).toBe("one\ntwo\nthree\nfour\n");
    expect(textOf(await edit(w, "a.txt", "three", "3"))).toBe("Edited a.txt: 1 replacement, line 3.");
  });

  it("joins parts that were read one after the other", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\nthree\n");
    await w.call("Read", { file_path: "a.txt", offset: 2, limit: 1 });
    const last = await w.call("Read", { file_path: "a.txt", offset: 3 });
    expect(fileOf(last).ranges).toEqual([[4, 14]]);
    expect(textOf(await edit(w, "a.txt", "two\nthree", "2\n3"))).toContain("Edited");
  });

  it("replaces all occurrences on request, if all were read", async () => {
    await using w = await workshop();
    w.file("a.txt", "a b\nc\na\naa\n");
    await w.call("Read", { file_path: "a.txt", limit: 2 });
    expect(textOf(await edit(w, "a.txt", "a", "x", true))).toContain("You have not read line 3 of a.txt");
    await w.call("Read", { file_path: "a.txt", offset: 3 });
    expect(textOf(await edit(w, "a.txt", "a", "xyz", true))).toBe("Edited a.txt: 4 replacements, lines 1, 3, 4.");
    expect(w.text("a.txt")).toBe("xyz b\nc\nxyz\nxyzxyz\n");
  });

  it("keeps coverage after its own edits, including moved lines", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\nthree\nfour\n");
    await w.call("Read", { file_path: "a.txt", offset: 2, limit: 2 });
    expect(fileOf(await edit(w, "a.txt", "two", "two\nand a half")).ranges).toEqual([[4, 25]]);
    expect(textOf(await edit(w, "a.txt", "half\nthree", "3"))).toContain("Edited");
    expect(w.text("a.txt")).toBe("one\ntwo\nand a 3\nfour\n");
    expect(textOf(await edit(w, "a.txt", "four", "4"))).toContain("You have not read line 4");
  });

  it("refuses a file that changed since it was read", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\n");
    await w.call("Read", { file_path: "a.txt" });
    w.file("a.txt", "one\ntwo\nmore\n");
    const result = await edit(w, "a.txt", "one", "1");
    expect([textOf(result), codeOf(result), result.isError]).toEqual([
      "a.txt has changed since you read it. Read it again, then repeat the call.",
      "FILE_STALE",
      true,
    ]);
    await w.call("Read", { file_path: "a.txt", limit: 1 });
    expect(textOf(await edit(w, "a.txt", "one", "1"))).toContain("Edited");
  });

  it("reports a text that is missing, ambiguous, identical or empty", async () => {
    await using w = await workshop();
    w.file("a.txt", "  one\ntwo\naaa\n");
    await w.call("Read", { file_path: "a.txt" });
    expect(textOf(await edit(w, "a.txt", "nowhere", "x"))).toBe(
      "old_string was not found in a.txt. Read the part to change again and copy it exactly.",
    );
    expect(textOf(await edit(w, "a.txt", "\tone\nthree", "x"))).toBe(
      'old_string was not found in a.txt. Its line "one" is on line 1; blanks or what follows differ. Read it again and copy it exactly.',
    );
    expect(textOf(await edit(w, "a.txt", "aa", "x"))).toBe(
      "old_string occurs 2 times in a.txt (lines 3). Add surrounding lines to make it unique, or set replace_all.",
    );
    expect(codeOf(await edit(w, "a.txt", "one", "one"))).toBe("EDIT_IDENTICAL");
    expect(codeOf(await edit(w, "a.txt", "", "x"))).toBe("EDIT_EMPTY");
    expect(codeOf(await edit(w, "b.txt", "one", "x"))).toBe("FILE_MISSING");
    expect(w.text("a.txt")).toBe("  one\ntwo\naaa\n");
  });

  it("counts no more places of a text than it could replace", async () => {
    await using w = await workshop();
    // A list of all places would take seconds and gigabytes.
    w.file("a.csv", "1,2,\n".repeat(12_000_000));
    expect(textOf(await edit(w, "a.csv", ",", ";"))).toBe(
      "old_string occurs over 100000 times in a.csv (lines 1, 2, 3, 4, 5 …). Add surrounding lines to make it unique, or set replace_all.",
    );
    expect(
      textOf(await w.call("Edit", { file_path: "a.csv", old_string: ",", new_string: ";", replace_all: true })),
    ).toBe("old_string occurs over 100000 times in a.csv, which is more than an edit can replace. Use Bash (sed).");
    expect(textOf(await edit(w, "a.csv", "1,2,\n3", ";"))).toContain(
      'Its line "1,2," is on line 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …',
    );
  });

  it("keeps CRLF, byte order mark, mode and a missing last line break", async () => {
    await using w = await workshop();
    w.file("a.sh", "\ufeffone\r\ntwo\r\nthree");
    chmodSync(w.path("a.sh"), 0o757);
    await w.call("Read", { file_path: "a.sh" });
    await edit(w, "a.sh", "one\ntwo", "1\n1.5\n2");
    expect(w.text("a.sh")).toBe("\ufeff1\r\n1.5\r\n2\r\nthree");
    await edit(w, "a.sh", "three", "3\n4");
    expect(w.text("a.sh")).toBe("\ufeff1\r\n1.5\r\n2\r\n3\r\n4");
    expect(statSync(w.path("a.sh")).mode & 0o777).toBe(0o757);
  });

  it("uses the line breaks around the change if a file has both kinds", async () => {
    await using w = await workshop();
    w.file("a.txt", "a\r\nb\nc\r\nd\n");
    await w.call("Read", { file_path: "a.txt" });
    await edit(w, "a.txt", "b\nc", "B\nB\nC");
    expect(w.text("a.txt")).toBe("a\r\nB\nB\nC\r\nd\n");
    await edit(w, "a.txt", "a\nB", "A\nA\nB");
    expect(w.text("a.txt")).toBe("A\r\nA\r\nB\nB\nC\r\nd\n");
  });

  it("keeps Latin-1, and refuses characters that it cannot encode", async () => {
    await using w = await workshop();
    w.file("a.txt", Buffer.from("caf\xe9 noir\n\xff\n", "latin1"));
    await w.call("Read", { file_path: "a.txt" });
    expect(textOf(await edit(w, "a.txt", "café", "thé €"))).toContain('cannot represent "€"');
    await edit(w, "a.txt", "café", "thé");
    expect(w.bytes("a.txt").toString("latin1")).toBe("th\xe9 noir\n\xff\n");
  });

  it("writes through a symbolic link, and leaves other hard links alone", async () => {
    await using w = await workshop();
    w.file("real.txt", "one\n");
    symlinkSync("real.txt", w.path("soft.txt"));
    linkSync(w.path("real.txt"), w.path("hard.txt"));
    await w.call("Read", { file_path: "soft.txt" });
    await edit(w, "real.txt", "one", "two");
    expect([w.text("soft.txt"), w.text("real.txt"), w.text("hard.txt")]).toEqual(["two\n", "two\n", "one\n"]);
  });

  it("changes one line of 20,000 with a small model", async () => {
    await using w = await workshop({ window: 8_000 });
    const lines = Array.from({ length: 20_000 }, (_, i) => `const value${i + 1} = ${i + 1};`);
    w.file("big.ts", `${lines.join("\n")}\n`);
    expect(await w.say("Grep", { pattern: "value15000\\b" })).toBe(
      "[1 match]\nbig.ts\n15000:const value15000 = 15000;",
    );
    await w.call("Read", { file_path: "big.ts", offset: 15_000, limit: 1 });
    const result = await edit(w, "big.ts", "value15000 = 15000", "value15000 = 0");
    lines[14_999] = "const value15000 = 0;";
    expect(textOf(result)).toBe("Edited big.ts: 1 replacement, line 15000.");
    expect(w.text("big.ts")).toBe(`${lines.join("\n")}\n`);
    expect((result.details as { diff: string }).diff).toContain("@@ -14997,7 +14997,7 @@");
  });

  it("changes one place of a 5 MB line with a small model", async () => {
    await using w = await workshop({ window: 8_000 });
    const half = "0123456789".repeat(260_000);
    w.file("line.json", `${half}"needle"${half}`);
    const found = await w.say("Grep", { pattern: "needle" });
    const [, from] = /\n1@(\d+):\S*"needle"/.exec(found) ?? [];
    expect(found.length).toBeLessThan(700);
    expect(textOf(await edit(w, "line.json", '"needle"', '"pin"'))).toBe(
      "You have not read byte 2600000 of line 1 of line.json, which this edit changes. Read from offset 1:2600000 first.",
    );
    const text = textOf(await w.call("Read", { file_path: "line.json", offset: `1:${from}` }));
    expect(text).toContain('"needle"');
    expect(text.length).toBeLessThanOrEqual(8_000);
    const result = await edit(w, "line.json", '"needle"', '"pin"');
    expect(textOf(result)).toBe("Edited line.json: 1 replacement, line 1.");
    expect(w.text("line.json") === `${half}"pin"${half}`).toBe(true);
    expect((result.details as { diff: string }).diff.length).toBeLessThan(1_200);
    expect((result.details as { diff: string }).diff).toContain('"pin"');
  });

  it("keeps coverage of a resumed session, and drops that of a rewound one", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\n");
    const { session } = w.kernel;
    await w.call("Read", { file_path: "a.txt", limit: 1 });
    const leaf = session.activeLeaf as string;
    await w.call("Read", { file_path: "a.txt", offset: 2 });
    expect(Object.values(session.projection("fileCoverage")).map(({ ranges }) => ranges)).toEqual([[[0, 8]]]);
    await session.append("rewind", { targetEventId: leaf });
    expect(Object.values(session.projection("fileCoverage")).map(({ ranges }) => ranges)).toEqual([[[0, 4]]]);
    expect(textOf(await edit(w, "a.txt", "two", "2"))).toContain("You have not read line 2");
    expect(textOf(await edit(w, "a.txt", "one", "1"))).toContain("Edited");
  });

  it("drops coverage after a compaction", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\n");
    await w.call("Read", { file_path: "a.txt" });
    const { session } = w.kernel;
    const compactedThrough = session.activeLeaf as string;
    await session.append("compact", { summary: "s", compactedThrough, tokensBefore: 2, tokensAfter: 1 });
    expect(session.projection("fileCoverage")).toEqual({});
  });

  it("takes coverage from its own results only", async () => {
    await using w = await workshop();
    const file = { path: w.file("a.txt", "one\n"), version: "v", ranges: [[0, 4]] };
    await store(w.kernel, "x", "Other", { content: [], details: { file } });
    await store(w.kernel, "y", "Read", { content: [], details: { file: { ...file, ranges: "all" } } });
    expect(w.kernel.session.projection("fileCoverage")).toEqual({});
  });
});

describe("Write", () => {
  it("creates a file with its folders", async () => {
    await using w = await workshop();
    const result = await w.call("Write", { file_path: "new/deep/a.txt", content: "one\ntwo\n" });
    expect(textOf(result)).toBe("Created new/deep/a.txt: 2 lines, 8 bytes.");
    expect(w.text("new/deep/a.txt")).toBe("one\ntwo\n");
    expect((result.details as { diff: string }).diff).toBe(
      "--- a/new/deep/a.txt\n+++ b/new/deep/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two",
    );
    expect(textOf(await edit(w, "new/deep/a.txt", "two", "2"))).toContain("Edited");
  });

  it("replaces a file only when all of it was read", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\nthree\n");
    const replace = () => w.say("Write", { file_path: "a.txt", content: "new\n" });
    expect(await replace()).toBe(
      "a.txt exists, and you have not read lines 1-3 of it. Read from offset 1 before replacing it, or use Edit.",
    );
    await w.call("Read", { file_path: "a.txt", limit: 2 });
    expect(await replace()).toContain("you have not read line 3 of it");
    await w.call("Read", { file_path: "a.txt", offset: 3 });
    expect(await replace()).toBe("Replaced a.txt: 1 line, 4 bytes.");
    expect(await replace()).toBe("Replaced a.txt: 1 line, 4 bytes.");
    writeFileSync(w.path("a.txt"), "other\n");
    expect(await replace()).toBe("a.txt has changed since you read it. Read it again, then repeat the call.");
    expect(w.text("a.txt")).toBe("other\n");
  });

  it("does not replace a file whose secret was not shown", async () => {
    await using w = await workshop({ secret: "hunter2-hunter2" });
    w.file("a.env", "NAME=x\nKEY=hunter2-hunter2\n");
    await w.call("Read", { file_path: "a.env" });
    expect(await w.say("Write", { file_path: "a.env", content: "NAME=y\nKEY=[redacted]\n" })).toBe(
      "a.env contains a secret that you were not shown, and replacing the file would delete it. Change the other parts with Edit.",
    );
    await edit(w, "a.env", "NAME=x", "NAME=y");
    expect(w.text("a.env")).toBe("NAME=y\nKEY=hunter2-hunter2\n");
  });

  it("preserves what the model does not see: mode, CRLF, byte order mark, Latin-1", async () => {
    await using w = await workshop();
    w.file("a.txt", "\ufeffone\r\ntwo\r\n");
    chmodSync(w.path("a.txt"), 0o640);
    w.file("b.txt", Buffer.from("\xe9\n", "latin1"));
    await w.call("Read", { file_path: "a.txt" });
    await w.call("Read", { file_path: "b.txt" });
    await w.call("Write", { file_path: "a.txt", content: "1\n2\n3\n" });
    await w.call("Write", { file_path: "b.txt", content: "è\n" });
    expect(w.text("a.txt")).toBe("\ufeff1\r\n2\r\n3\r\n");
    expect(statSync(w.path("a.txt")).mode & 0o777).toBe(0o640);
    expect(w.bytes("b.txt")).toEqual(Buffer.from("\xe8\n", "latin1"));
    await w.call("Write", { file_path: "b.txt", content: "€\n" });
    expect(w.text("b.txt")).toBe("€\n");
  });

  it("writes where a dangling link points", async () => {
    await using w = await workshop();
    symlinkSync("target.txt", w.path("link.txt"));
    expect(await w.say("Write", { file_path: "link.txt", content: "x" })).toContain("Created target.txt");
    expect(readFileSync(w.path("target.txt"), "utf8")).toBe("x");
  });
});
