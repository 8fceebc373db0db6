import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import images from "@scorel/images";
import { describe, expect, it } from "vitest";
import { itWith } from "../../optional.ts";
import { jpeg, png, quarters } from "../images/pictures.ts";
import { fileOf, textOf, workshop } from "./workshop.ts";

const lines = (count: number, of = (n: number) => `line ${n}`) =>
  Array.from({ length: count }, (_, i) => `${of(i + 1)}\n`).join("");

it.each(["Read", "Write", "Edit", "Glob", "Grep", "Bash"])(
  "%s has a title while its arguments are arriving",
  async (name) => {
    await using w = await workshop();
    for (const args of [{}, { offset: 3 }])
      expect(JSON.stringify(w.tools.display(name, args, undefined))).not.toContain("undefined");
  },
);

describe("Read", () => {
  it("numbers the lines from 1, and states the range and the total", async () => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\nthree\n");
    expect(await w.say("Read", { file_path: "a.txt" })).toBe("[lines 1-3 of 3]\n1\tone\n2\ttwo\n3\tthree");
    expect(await w.say("Read", { file_path: "a.txt", offset: 2, limit: 1 })).toBe(
      "[lines 2-2 of 3; truncated, next offset 3]\n2\ttwo",
    );
    expect(await w.say("Read", { file_path: "a.txt", offset: 3 })).toBe("[lines 3-3 of 3]\n3\tthree");
  });

  it("returns the same as structured details", async () => {
    await using w = await workshop();
    const path = w.file("a.txt", "one\ntwo\nthree\n");
    const { details } = await w.call("Read", { file_path: "a.txt", limit: 2 });
    expect(details).toEqual({
      file: { path, version: expect.stringMatching(/^[0-9a-f]{64}$/), ranges: [[0, 8]] },
      lines: { start: 1, end: 2, total: 3 },
      truncated: true,
      nextOffset: 3,
    });
  });

  it("accepts ~, absolute paths, links and dots", async () => {
    await using w = await workshop();
    w.file("sub/a.txt", "x\n");
    symlinkSync(w.path("sub"), w.path("link"));
    writeFileSync(join(w.home, "b.txt"), "y\n");
    for (const path of ["sub/a.txt", "./sub/../link/a.txt", w.path("link/a.txt")])
      expect(fileOf(await w.call("Read", { file_path: path })).path).toBe(w.path("sub/a.txt"));
    expect(await w.say("Read", { file_path: "~/b.txt" })).toBe("[lines 1-1 of 1]\n1\ty");
  });

  it("returns at most 2,000 lines at once", async () => {
    await using w = await workshop({ window: 10_000_000 });
    w.file(
      "a.txt",
      lines(2_500, () => "x"),
    );
    const text = await w.say("Read", { file_path: "a.txt", full: true });
    expect(text.split("\n", 1)[0]).toBe("[lines 1-2000 of 2500; truncated, next offset 2001]");
    await expect(w.call("Read", { file_path: "a.txt", limit: 2_001 })).rejects.toMatchObject({
      code: "TOOL_ARGUMENTS",
    });
  });

  it.each([
    { window: 128_000, used: 0, full: false, tokens: 2_000 },
    { window: 1_000_000, used: 0, full: false, tokens: 10_000 },
    { window: 8_000, used: 0, full: true, tokens: 4_000 },
    { window: 64_000, used: 0, full: true, tokens: 8_000 },
    { window: 200_000, used: 0, full: true, tokens: 20_000 },
    { window: 128_000, used: 126_000, full: false, tokens: 1_000 },
    { window: 128_000, used: 120_000, full: true, tokens: 4_000 },
  ])("fits its budget: %j", async ({ tokens, full, ...surroundings }) => {
    await using w = await workshop(surroundings);
    w.file(
      "a.txt",
      lines(2_000, (n) => `${n} `.padEnd(99, "x")),
    );
    const text = await w.say("Read", { file_path: "a.txt", full });
    expect(text.length).toBeLessThanOrEqual(tokens * 4);
    expect(text.length).toBeGreaterThan(Math.min(tokens * 4 - 400, 2_000 * 100));
  });

  it("refuses to fill a context that is full", async () => {
    await using w = await workshop({ window: 8_000, used: 8_000 });
    w.file("a.txt", "one\n");
    expect(await w.say("Read", { file_path: "a.txt" })).toBe(
      "The context is nearly full, so a.txt was not read. Finish or summarize first.",
    );
  });

  it("returns a line over the budget by byte range, without splitting a character", async () => {
    await using w = await workshop({ window: 8_000 });
    w.file("a.txt", `first\n${"äö".repeat(5_000)}\nlast\n`);
    const first = await w.say("Read", { file_path: "a.txt" });
    expect(first).toBe("[lines 1-1 of 3; truncated, next offset 2]\n1\tfirst");
    let offset: number | string = 2;
    let text = "";
    while (String(offset).startsWith("2")) {
      const result = await w.call("Read", { file_path: "a.txt", offset });
      const [header, body = ""] = textOf(result).split("\n");
      expect(header).toMatch(/^\[line 2 of 3, bytes \d+-\d+ of 20001; truncated, next offset (2:\d+|3)\]$/);
      expect(body).toMatch(/^2@\d+\t[äö]+$/);
      text += body.replace(/^2@\d+\t/, "");
      offset = (result.details as { nextOffset: number | string }).nextOffset;
    }
    expect(text).toBe("äö".repeat(5_000));
    expect(offset).toBe(3);
  });

  it("reports an empty file and an offset past the end", async () => {
    await using w = await workshop();
    w.file("empty", "");
    w.file("a.txt", "one");
    expect(await w.say("Read", { file_path: "empty" })).toBe("[empty file, 0 lines]");
    expect(await w.say("Read", { file_path: "a.txt" })).toBe("[lines 1-1 of 1; no line break at the end]\n1\tone");
    expect(await w.call("Read", { file_path: "a.txt", offset: 5 })).toEqual({
      content: [{ type: "text", text: "Offset 5 is past the end of a.txt, which has 1 lines." }],
      details: { code: "FILE_OFFSET" },
      isError: true,
    });
  });

  it.each([2, "2", "2:0"])("accepts the offset %j", async (offset) => {
    await using w = await workshop();
    w.file("a.txt", "one\ntwo\n");
    expect(await w.say("Read", { file_path: "a.txt", offset })).toBe("[lines 2-2 of 2]\n2\ttwo");
  });

  it("shows CRLF, byte order mark and Latin-1 as text, and names them", async () => {
    await using w = await workshop();
    w.file("crlf.txt", "\ufeffone\r\ntwo\r\n");
    w.file("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
    expect(await w.say("Read", { file_path: "crlf.txt" })).toBe("[lines 1-2 of 2; CRLF]\n1\tone\n2\ttwo");
    expect(await w.say("Read", { file_path: "latin.txt" })).toBe("[lines 1-1 of 1; Latin-1]\n1\tcafé");
  });

  itWith("linux", "reads a file whose name is not UTF-8", async () => {
    await using w = await workshop();
    writeFileSync(Buffer.concat([Buffer.from(`${w.dir}/caf`), Buffer.from([0xe9]), Buffer.from(".txt")]), "here\n");
    expect(await w.say("Read", { file_path: "caf\\xe9.txt" })).toBe("[lines 1-1 of 1]\n1\there");
    expect(await w.say("Glob", { pattern: "*.txt" })).toBe("[1 file]\ncaf\\xe9.txt");
    expect(await w.say("Grep", { pattern: "here" })).toBe("[1 match]\ncaf\\xe9.txt\n1:here");
    expect(await w.say("Edit", { file_path: "caf\\xe9.txt", old_string: "here", new_string: "there" })).toContain(
      "Edited caf\\xe9.txt",
    );
  });

  describe("with an image", () => {
    const small = png(4, 2, quarters(4, 2));

    it("shows it as it is", async () => {
      await using w = await workshop({ images: true, plugins: [images] });
      const path = w.file("a.png", small);
      expect(await w.call("Read", { file_path: "a.png" })).toMatchObject({
        content: [
          { type: "text", text: `[a.png: image/png, 4x2, ${small.length} bytes]` },
          { type: "image", data: small.toString("base64"), mimeType: "image/png" },
        ],
        details: { image: { path, shown: true, mimeType: "image/png", bytes: small.length, width: 4, height: 2 } },
      });
    });

    it("converts one that is too large or has a wrong extension", async () => {
      await using w = await workshop({ images: true, plugins: [images] });
      w.file("b.txt", jpeg(2500, 100, quarters(2500, 100)));
      const [text, image] = (await w.call("Read", { file_path: "b.txt" })).content;
      expect([text, image]).toMatchObject([
        { text: expect.stringMatching(/^\[b\.txt: image\/jpeg, 2000x80, \d+ bytes; made from image\/jpeg, 2500x100/) },
        { type: "image", mimeType: "image/jpeg" },
      ]);
    });

    it("describes it for a model without image support, and reads SVG as text for all", async () => {
      await using w = await workshop({ plugins: [images] });
      w.file("a.png", small);
      w.file("a.svg", "<svg/>\n");
      expect(await w.say("Read", { file_path: "a.png" })).toMatch(
        /^\[a\.png: .* Not shown, because the model .* does not support images/,
      );
      expect(await w.say("Read", { file_path: "a.svg" })).toBe("[lines 1-1 of 1]\n1\t<svg/>");
    });

    it("reports that the plugin images is not loaded", async () => {
      await using w = await workshop({ images: true });
      w.file("a.png", small);
      expect(await w.say("Read", { file_path: "a.png" })).toBe(
        'a.png is an image (image/png). This preset has no plugin "images"; inspect it with Bash (file, identify).',
      );
    });
  });

  describe("refuses by name", () => {
    it.each([
      ["zeros", Buffer.from([1, 0, 2]), "zeros is a binary file. Inspect it with Bash (file, xxd, strings)."],
      [
        "control",
        Buffer.from(Array.from({ length: 50 }, (_, i) => (i % 2 ? 1 : 200))),
        "control is a binary file. Inspect it with Bash (file, xxd, strings).",
      ],
      ["wide", Buffer.from("\ufeffwide", "utf16le"), "wide is UTF-16 text. Convert it with Bash (iconv -t UTF-8)."],
    ])("binary content: %s", async (name, content, says) => {
      await using w = await workshop();
      w.file(name, content);
      const result = await w.call("Read", { file_path: name });
      expect([textOf(result), result.isError]).toEqual([says, true]);
    });

    it("a directory, a FIFO, a socket and a device", async () => {
      await using w = await workshop();
      mkdirSync(w.path("dir"));
      execFileSync("mkfifo", [w.path("fifo")]);
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(w.path("socket"), resolve));
      expect(await w.say("Read", { file_path: "dir" })).toBe(
        "dir is a directory, not a regular file. List it with Glob.",
      );
      expect(await w.say("Read", { file_path: "fifo" })).toMatch(/^fifo is a FIFO/);
      expect(await w.say("Read", { file_path: "socket" })).toMatch(/^socket is a socket/);
      expect(await w.say("Read", { file_path: "/dev/zero" })).toMatch(/^\/dev\/zero is a device/);
      await new Promise((resolve) => server.close(resolve));
    });

    it("a missing file, with a suggestion", async () => {
      await using w = await workshop();
      w.file("src/Main.ts");
      expect(await w.say("Read", { file_path: "src/main.ts" })).toBe(
        "src/main.ts does not exist. Did you mean Main.ts?",
      );
      expect(await w.say("Read", { file_path: "src/main.js" })).toBe(
        "src/main.js does not exist. Did you mean Main.ts?",
      );
      expect(await w.say("Read", { file_path: "nowhere/a" })).toBe("nowhere/a does not exist. Find it with Glob.");
      expect(await w.say("Read", { file_path: "src/Main.ts/a" })).toContain("a part of it is a file, not a directory");
      expect(await w.say("Read", { file_path: "a\0b" })).toContain("NUL");
      symlinkSync("loop", w.path("loop"));
      expect(await w.say("Read", { file_path: "loop" })).toContain("its links form a cycle");
    });
  });
});
