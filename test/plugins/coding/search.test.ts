import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { searchContents } from "../../../plugins/coding/search/grep-search.ts";
import { ripgrepJson } from "../../../plugins/coding/search/ripgrep.ts";
import { textOf, type Workshop, workshop } from "./workshop.ts";

/** A project with ignored, hidden and odd files. */
function writeFiles(w: Workshop): void {
  w.file(".gitignore", "*.log\nnode_modules\n!keep.log\n");
  w.file("a.ts", "import x\nneedle one\n");
  w.file("src/b.ts", "needle two\nneedle three\nlast\n");
  w.file("src/c.js", "no such thing\n");
  w.file("src/deep/d.ts", "x\n");
  w.file("debug.log", "needle log\n");
  w.file("keep.log", "needle kept\n");
  w.file("node_modules/m/i.ts", "needle module\n");
  w.file(".github/w.yml", "needle flow\n");
  w.file(".git/config", "needle git\n");
  w.file("-dash.ts", "--needle\n");
}
const glob = (w: Workshop, pattern: string, more: Record<string, unknown> = {}) => w.say("Glob", { pattern, ...more });
const grep = (w: Workshop, pattern: string, more: Record<string, unknown> = {}) => w.say("Grep", { pattern, ...more });

describe("Glob", () => {
  it.each([
    ["**/*.ts", ["-dash.ts", "a.ts", "src/b.ts", "src/deep/d.ts"]],
    ["*.ts", ["-dash.ts", "a.ts", "src/b.ts", "src/deep/d.ts"]],
    ["/*.ts", ["-dash.ts", "a.ts"]],
    ["./*.ts", ["-dash.ts", "a.ts"]],
    ["src/**/*.{js,ts}", ["src/b.ts", "src/c.js", "src/deep/d.ts"]],
    ["-*.ts", ["-dash.ts"]],
    ["*.log", ["keep.log"]],
    [".github/**", [".github/w.yml"]],
    ["node_modules/**", []],
    [".git/*", []],
  ])("lists %s by path, without what is ignored or hidden", async (pattern, files) => {
    await using w = await workshop();
    writeFiles(w);
    const header = files.length === 0 ? "[no files]" : `[${files.length} ${files.length === 1 ? "file" : "files"}]`;
    expect(await glob(w, pattern)).toBe([header, ...files].join("\n"));
  });

  it("accepts a folder, or a pattern with its full path", async () => {
    await using w = await workshop();
    writeFiles(w);
    expect(await glob(w, "*.ts", { path: "src" })).toBe("[2 files]\nsrc/b.ts\nsrc/deep/d.ts");
    expect(await glob(w, `${w.dir}/src/*.ts`)).toBe("[1 file]\nsrc/b.ts");
    expect(await glob(w, "*", { path: w.home })).toBe("[no files]");
    writeFileSync(join(w.home, "h.txt"), "");
    for (const more of [{ path: "~" }, {}])
      expect(await glob(w, "path" in more ? "*" : "~/*.txt", more)).toBe(`[1 file]\n${w.home}/h.txt`);
    expect(await glob(w, "../home/**/h.txt")).toBe(`[1 file]\n${w.home}/h.txt`);
    expect(await glob(w, join(w.home, "h.txt"))).toBe(`[1 file]\n${w.home}/h.txt`);
  });

  it("shows hidden files when asked", async () => {
    await using w = await workshop();
    writeFiles(w);
    expect(await glob(w, "*.yml")).toBe("[no files]");
    expect(await glob(w, "*.yml", { hidden: true })).toBe("[1 file]\n.github/w.yml");
  });

  it("returns pages as details and as text", async () => {
    await using w = await workshop();
    writeFiles(w);
    const page = await w.call("Glob", { pattern: "*.ts", offset: 1, limit: 2 });
    expect(textOf(page)).toBe("[files 2-3 of 4; next offset 3]\na.ts\nsrc/b.ts");
    expect(page.details).toEqual({ files: ["a.ts", "src/b.ts"], offset: 1, total: 4, nextOffset: 3 });
    expect(await glob(w, "*.ts", { offset: 3 })).toBe("[files 4-4 of 4]\nsrc/deep/d.ts");
    expect(await glob(w, "*.ts", { offset: 9 })).toBe("[offset 9 lies beyond the 4 files]");
  });

  it("reports an invalid pattern or path", async () => {
    await using w = await workshop();
    const bad = await w.call("Glob", { pattern: "a{b" });
    expect([textOf(bad), bad.isError]).toEqual([expect.stringContaining("The pattern is not valid"), true]);
    expect(await glob(w, "*", { path: "gone" })).toBe(
      "gone does not exist, so there is nothing to search. Find it with Glob.",
    );
  });

  it("names files with line breaks and blanks as they are", async () => {
    await using w = await workshop();
    w.file("two words.txt");
    w.file("two\nlines.txt");
    expect((await w.call("Glob", { pattern: "*.txt" })).details).toMatchObject({
      files: ["two\nlines.txt", "two words.txt"],
    });
  });
});

describe("Grep", () => {
  it("shows matches by file and line, sorted", async () => {
    await using w = await workshop();
    writeFiles(w);
    const result = await w.call("Grep", { pattern: "needle" });
    expect(textOf(result)).toBe(
      "[5 matches]\n-dash.ts\n1:--needle\na.ts\n2:needle one\nkeep.log\n1:needle kept\nsrc/b.ts\n1:needle two\n2:needle three",
    );
    expect(result.details).toEqual({
      mode: "content",
      matches: [
        { path: "-dash.ts", line: 1 },
        { path: "a.ts", line: 2 },
        { path: "keep.log", line: 1 },
        { path: "src/b.ts", line: 1 },
        { path: "src/b.ts", line: 2 },
      ],
      files: 4,
      offset: 0,
      total: 5,
    });
  });

  it("lists files, or counts matching lines", async () => {
    await using w = await workshop();
    writeFiles(w);
    expect(await grep(w, "needle", { mode: "files" })).toBe("[4 files]\n-dash.ts\na.ts\nkeep.log\nsrc/b.ts");
    const counted = await w.call("Grep", { pattern: "needle", mode: "count", limit: 2, offset: 2 });
    expect(textOf(counted)).toBe("[files 3-4 of 4]\nkeep.log:1\nsrc/b.ts:2");
    expect(counted.details).toMatchObject({
      files: [
        { path: "keep.log", count: 1 },
        { path: "src/b.ts", count: 2 },
      ],
    });
  });

  it("returns pages that begin and end within files", async () => {
    await using w = await workshop();
    for (const name of ["a", "b", "c"]) w.file(name, "x\nx\nx\n");
    const shown = async (offset: number) => (await grep(w, "x", { offset, limit: 4 })).split("\n");
    expect(await shown(0)).toEqual(["[matches 1-4 of 9; next offset 4]", "a", "1:x", "2:x", "3:x", "b", "1:x"]);
    expect(await shown(4)).toEqual(["[matches 5-8 of 9; next offset 8]", "b", "2:x", "3:x", "c", "1:x", "2:x"]);
    expect(await shown(8)).toEqual(["[matches 9-9 of 9]", "c", "3:x"]);
    expect(await shown(20)).toEqual(["[offset 20 lies beyond the 9 matches]"]);
  });

  it("accepts patterns that look like options or contain line separators", async () => {
    await using w = await workshop();
    writeFiles(w);
    w.file("odd.txt", "a\u2028b\n");
    expect(await grep(w, "--needle")).toBe("[1 match]\n-dash.ts\n1:--needle");
    expect(await grep(w, "-e")).toBe("[no matches]");
    expect(await grep(w, "a.b")).toBe("[1 match]\nodd.txt\n1:a\u2028b");
  });

  it("narrows by path and glob, and keeps ignored files out", async () => {
    await using w = await workshop();
    writeFiles(w);
    expect(await grep(w, "needle", { path: "src" })).toBe("[2 matches]\nsrc/b.ts\n1:needle two\n2:needle three");
    expect(await grep(w, "needle", { path: "src/b.ts", mode: "count" })).toBe("[1 file]\nsrc/b.ts:2");
    expect(await grep(w, "needle", { glob: "*.log", mode: "files" })).toBe("[1 file]\nkeep.log");
    expect(await grep(w, "needle", { glob: "src/**", mode: "files" })).toBe("[1 file]\nsrc/b.ts");
    expect(await grep(w, "needle", { path: "debug.log" })).toBe("[1 match]\ndebug.log\n1:needle log");
    expect(await grep(w, "needle", { glob: "*.yml" })).toBe("[no matches]");
    expect(await grep(w, "needle", { glob: "*.yml", hidden: true })).toBe("[1 match]\n.github/w.yml\n1:needle flow");
  });

  it("shows context lines, each once", async () => {
    await using w = await workshop();
    w.file(
      "a.txt",
      Array.from({ length: 12 }, (_, i) => `${[3, 5, 11].includes(i + 1) ? "hit" : "row"} ${i + 1}\n`).join(""),
    );
    expect(await grep(w, "hit", { context: 1 })).toBe(
      "[3 matches]\na.txt\n2-row 2\n3:hit 3\n4-row 4\n5:hit 5\n6-row 6\n--\n10-row 10\n11:hit 11\n12-row 12",
    );
  });

  it("finds matches across lines and ignoring case", async () => {
    await using w = await workshop();
    w.file("a.txt", "Begin\nmiddle\nend\nbegin\nend\n");
    expect(await grep(w, "begin")).toBe("[1 match]\na.txt\n4:begin");
    expect(await grep(w, "BEGIN", { ignore_case: true, mode: "count" })).toBe("[1 file]\na.txt:2");
    expect(await grep(w, "Begin.*?end", { multiline: true })).toBe("[1 match]\na.txt\n1:Begin\n2:middle\n3:end");
    expect(await grep(w, "(?<=n)d")).toBe("[2 matches]\na.txt\n3:end\n5:end");
  });

  it("cuts long lines around their match, with an offset for Read", async () => {
    await using w = await workshop();
    w.file("long.txt", `${"ä".repeat(3_000)}needle${"b".repeat(3_000)}\n`);
    const [, , line = ""] = (await grep(w, "needle")).split("\n");
    expect(line).toMatch(/^1@59\d\d:ä+needleb+… \(9006 bytes\)$/);
    expect(Buffer.byteLength(line)).toBeLessThan(450);
  });

  it("reads Latin-1 and CRLF", async () => {
    await using w = await workshop();
    w.file("l.txt", Buffer.from("caf\xe9 needle\r\n", "latin1"));
    for (const pattern of ["needle", "needle$"]) expect(await grep(w, pattern)).toBe("[1 match]\nl.txt\n1:café needle");
    const long = Buffer.from(`${"\xe9".repeat(3_000)}needle${"\xe8".repeat(3_000)}\n`, "latin1");
    w.file("long.txt", long);
    expect(await grep(w, "needle", { path: "long.txt" })).toMatch(/^1@2900:é{100}needleè{294}… \(6006 bytes\)$/m);
  });

  it("fits the free context", async () => {
    await using w = await workshop({ window: 8_000, used: 6_000 });
    w.file("a.txt", "needle in a long row of hay\n".repeat(500));
    const result = await w.call("Grep", { pattern: "needle", limit: 500 });
    const { matches, nextOffset } = result.details as { matches: unknown[]; nextOffset: number };
    expect(Buffer.byteLength(textOf(result))).toBeLessThan(4_100);
    expect([matches.length > 50, nextOffset]).toEqual([true, matches.length]);
  });

  it("cuts a match that does not fit, and names the line to continue from", async () => {
    await using w = await workshop({ window: 8_000, used: 6_000 });
    w.file("a.txt", Array.from({ length: 5_000 }, (_, line) => `line ${line + 1}\n`).join(""));
    const text = await grep(w, "line 2$.*line 4999$", { multiline: true, context: 1 });
    expect(Buffer.byteLength(text)).toBeLessThan(4_100);
    const lines = text.split("\n");
    const shown = lines.length - 3;
    expect(lines).toEqual([
      "[1 match]",
      "a.txt",
      "1-line 1",
      ...Array.from({ length: shown - 1 }, (_, line) => `${line + 2}:line ${line + 2}`),
      `… ${5_000 - shown} more lines; Read continues from offset ${shown + 1}`,
    ]);
  });

  it("reports an invalid expression", async () => {
    await using w = await workshop();
    const bad = await w.call("Grep", { pattern: "a(b" });
    expect(bad.isError).toBe(true);
    expect(textOf(bad)).toMatch(/^The pattern is not valid:\n[\s\S]*unclosed group|missing closing parenthesis/);
  });

  it("ends when it is cancelled", async () => {
    await using w = await workshop();
    execFileSync("mkfifo", [w.path("fifo")]);
    const control = new AbortController();
    // Reading a FIFO waits for a writer, and there is none.
    const searching = w.call("Grep", { pattern: "x", path: "fifo" }, control.signal);
    setImmediate(() => control.abort());
    await expect(searching).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
  });

  it("finds matches over several lines in more files than fit into arguments", async () => {
    await using w = await workshop();
    // The names of these files are longer than the 2 MB that Linux allows a program as arguments.
    const deep = Array.from({ length: 13 }, () => "d".repeat(240)).join("/");
    for (let file = 0; file < 720; file++) w.file(`${deep}/f${file}.txt`, "needle\nin hay\n");
    w.file(".hidden", "needle\nin hay\n");
    const { details } = await w.call("Grep", { pattern: "needle.in", multiline: true, limit: 1 });
    expect(details).toMatchObject({ matches: [{ path: `${deep}/f0.txt`, line: 1 }], files: 720, total: 720 });
  });

  it.each([
    [null, "", "ripgrep was killed before it had finished"],
    [101, "out of memory\n", "ripgrep ended with exit code 101: out of memory"],
  ])("fails when ripgrep ends with the code %s, instead of finding nothing", async (exitCode, stderr, reason) => {
    const run = async () => ({ exitCode, stderr });
    const place = { cwd: "/", target: "./", run, shown: String, hides: () => false, secretsIn: () => [] };
    const ended = { ...place, [Symbol.asyncDispose]: async () => {} };
    await expect(searchContents({ pattern: "x" }, ended, 50_000)).rejects.toMatchObject({
      code: "SEARCH_FAILED",
      message: `The search failed: ${reason}`,
    });
  });

  it("does not follow links out of the folder, and skips binary files", async () => {
    await using w = await workshop();
    writeFileSync(join(w.home, "secret.txt"), "needle\n");
    symlinkSync(w.home, w.path("out"));
    mkdirSync(w.path("bin"));
    w.file("bin/b", Buffer.from("needle\n\0\0\n"));
    expect(await grep(w, "needle", { mode: "files" })).not.toContain("secret.txt");
    const { details } = await w.call("Grep", { pattern: "needle" });
    expect((details as { matches: { path: string }[] }).matches.filter(({ path }) => path !== "bin/b")).toEqual([]);
  });

  it("of whole files is an error if they are too many, instead of filling the memory", async () => {
    await using w = await workshop();
    const line = `${"x".repeat(1023)}\n`;
    for (const name of ["a", "b", "c", "d", "e"]) w.file(name, line.repeat(7 * 1024));
    expect(await grep(w, "x.*", { multiline: true, limit: 1 })).toBe(
      "The search failed: the matches have more than 32 MiB. Narrow the path, the glob or the pattern.",
    );
  });

  describe("reads records of ripgrep", () => {
    const record = (matches: number) => {
      const text = '{"submatches":[{"start":0},{"match":"é"}]}\n';
      const submatches = Array.from({ length: matches }, (_, start) => ({
        match: { text: "é" },
        start,
        end: start + 2,
      }));
      return { type: "match", data: { path: { text: "a" }, lines: { text }, line_number: 1, submatches } };
    };
    const read = async (bytes: Buffer, chunk: number) => {
      const records: unknown[] = [];
      const run = async (_args: readonly string[], { onOutput }: { onOutput(chunk: Uint8Array): void }) => {
        // Output comes from a stream of its own, into which no error may be thrown.
        await new Promise<void>((resolve) => {
          setImmediate(() => {
            for (let at = 0; at < bytes.length; at += chunk) onOutput(bytes.subarray(at, at + chunk));
            resolve();
          });
        });
        return { exitCode: 0, stderr: "" };
      };
      await ripgrepJson([], { cwd: "/", run }, (each) => void records.push(each));
      return records;
    };

    it.each([1, 7, 64, 1_000_000])("with at most one match, in chunks of %s bytes", async (chunk) => {
      const bytes = Buffer.from([0, 1, 2, 500].map((matches) => `${JSON.stringify(record(matches))}\n`).join(""));
      expect(await read(bytes, chunk)).toEqual([0, 1, 1, 1].map(record));
    });

    it("fails if one is too long, instead of ending the process", async () => {
      await expect(read(Buffer.from(`${"x".repeat(65 * 2 ** 20)}\n`), 2 ** 20)).rejects.toMatchObject({
        code: "SEARCH_FAILED",
        message: "The search failed: a match is longer than 64 MiB. Narrow the path or the glob.",
      });
    });
  });
});
