import { describe, expect, it } from "vitest";
import { type MarkdownFile, parseFrontMatter } from "../../../plugins/kit/markdown/front-matter.ts";
import { yamlIn } from "../../../plugins/kit/markdown/yaml.ts";
import { docsIn } from "../../../plugins/skills/format/docs.ts";
import { findingsIn } from "../../../plugins/skills/format/open-format.ts";
import { readSkill, summaryOf } from "../../../plugins/skills/format/read.ts";
import { fc } from "../../property.ts";
import { ground, skillText } from "./setup.ts";

const parsed = async (text: string) => (await parseFrontMatter(text)) as MarkdownFile;
const valuesOf = async (matter: string) =>
  Object.fromEntries([...(await parsed(`---\n${matter}\n---\nbody`)).fields].map(([key, { value }]) => [key, value]));
const summary = async (text: string, folder = "/skills/a") => {
  const read = await parsed(text);
  return summaryOf({ text: read, digest: "d", findings: findingsIn(read, folder) }, folder);
};
const lint = async (text: string, folder = "/skills/a") =>
  findingsIn(await parsed(text), folder).map(({ line, level, message }) => `${line} ${level}: ${message}`);

describe("a front matter", () => {
  it.each([
    ["a block", "description: |-\n  One\n  two", "One\ntwo"],
    ["a folded block", "description: >\n  One\n  two\n", "One two\n"],
    ["a quoted text", `description: "Say: \\"hi\\", it's # 1"`, `Say: "hi", it's # 1`],
    ["single quotes", "description: 'It''s: so'", "It's: so"],
    ["more than one line", "description: One\n  two\n  three", "One two three"],
    ["a number", "description: 1.50", "1.50"],
    ["a word that means no in YAML 1.1", "description: no", "no"],
  ])("is real YAML: %s", async (_what, matter, value) => {
    expect(await valuesOf(matter)).toEqual({ description: value });
  });

  it.each([
    ["a colon in a plain text", "name: a\ndescription: Use when: always", "Use when: always"],
    ["a quote that does not end", `name: a\ndescription: "Use it`, `"Use it`],
    ["a text that begins with a mark", "name: a\ndescription: @home and *more*", "@home and *more*"],
    ["lines below it", "name: a\ndescription: Use: it\n  and more", "Use: it and more"],
    ["a block beside a wrong line", "description: |\n  One\n  two\nname: a: b", "One\ntwo"],
    ["tabs", "name: a\nother:\n\t- x\ndescription: d", "d"],
    ["a key that is there twice", "description: first\ndescription: second", "first"],
    ["a list of keys", "- x\ndescription: d", "d"],
    ["more than one document", "description: d\n--- x", "d"],
  ])("that is not YAML is read leniently: %s", async (_what, matter, description) => {
    expect(await valuesOf(matter)).toMatchObject({ description });
    expect((await parsed(`---\n${matter}\n---\n`)).flaws).toEqual([
      {
        line: expect.any(Number),
        message: expect.stringMatching(/^no valid YAML \(.*\), so it was read line by line$/),
      },
    ]);
  });

  it("that needs no YAML library gives the same result as with the library", async () => {
    const texts = fc.string({ unit: fc.constantFrom(..."abcZ09 :#-'\"[]{},&*!|>%@`~é中\t.".split("")), maxLength: 30 });
    const keys = fc.constantFrom("name", "description", "allowed-tools", "x_1");
    const lines = fc.array(fc.tuple(keys, texts), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lines, async (pairs) => {
        const matter = pairs.map(([key, value]) => `${key}: ${value}`).join("\n");
        const { fields, flaws } = await parsed(`---\n${matter}\n---\n`);
        const yaml = yamlIn(matter);
        if ("fields" in yaml) expect({ fields, flaws }).toEqual({ fields: yaml.fields, flaws: [] });
        else expect(flaws).toHaveLength(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it("ends at the first line --- after it, also at the end of the file, and with any line ends", async () => {
    for (const text of ["---\nname: a\n---", "\ufeff---\r\nname: a\r\n---\r\n", "---  \nname: a\n---  \n"])
      expect(await parsed(text)).toMatchObject({ body: "", flaws: [] });
    expect(await parsed("---\nname: a\n---\n\nOne\n---\ntwo\n")).toMatchObject({ body: "One\n---\ntwo", bodyLine: 5 });
    expect(await parseFrontMatter("---\nname: a\n")).toEqual({
      reason: "its front matter is not closed by a line ---",
    });
  });

  it("cannot grow by references to itself", async () => {
    const levels = Array.from(
      { length: 12 },
      (_x, at) => `a${at}: &a${at} [${Array(9).fill(at === 0 ? "x" : `*a${at - 1}`)}]`,
    );
    expect((await parsed(`---\n${levels.join("\n")}\n---\n`)).flaws).toMatchObject([
      { message: expect.stringContaining("Excessive alias count") },
    ]);
  });
});

describe("a skill", () => {
  it("is used even if it violates the open format", async () => {
    expect(
      await summary(`---\nname: File Tools\ndescription: ${"long ".repeat(230)}\ncolor: red\n---\nText`),
    ).toMatchObject({
      name: "File Tools",
      warnings: [{ line: 2 }, { line: 2 }, { line: 2 }, { line: 3 }, { line: 4 }],
    });
  });

  it.each(["123", "1.50", "true", "null", "2024-01-01", "0x1f"])("may be named %s", async (name) => {
    expect(await summary(`---\nname: ${name}\ndescription: d\n---\nText`)).toMatchObject({ name });
  });

  it("with a description longer than the format allows is shown completely, with a warning", async () => {
    const description = "word ".repeat(214).trim().slice(0, 1_068);
    const text = `---\nname: a\ndescription: |-\n  ${description}\n---\nText`;
    expect(await summary(text)).toMatchObject({ description });
    expect(await lint(text)).toEqual([
      `3 error: description has ${description.length} characters; at most 1024 are allowed`,
    ]);
  });

  it("can be in a file skill.md", async () => {
    using g = ground();
    g.file("s/a/skill.md", skillText("a", "d"));
    const read = await readSkill({ path: `${g.home}/s/a`, file: "skill.md", root: g.home });
    expect(read).toMatchObject({
      findings: [{ line: 1, level: "warning", message: "the file is named skill.md, not SKILL.md" }],
    });
  });

  it("without a name has that of its folder, and so has one whose name cannot be used as key or path", async () => {
    for (const name of [
      "",
      "name: ",
      "name: ../../etc",
      "name: a/b",
      "name: [a]",
      'name: "a\\u0000"',
      `name: ${"x".repeat(200)}`,
      // An invisible letter, U+3164.
      "name: pdf\u3164",
    ])
      expect(await summary(`---\ndescription: d\n${name}\n---\n`)).toMatchObject({ name: "a" });
    expect(await summary("---\nname: ..\ndescription: d\n---\n", "/")).toEqual({
      reason: 'neither its name ("..") nor its folder\'s can be used',
    });
  });

  it("without a description is described by its first words; without any text it is not a skill", async () => {
    expect(await summary("# Title\n\n- point\n\nDoes it all.\n")).toMatchObject({
      name: "a",
      description: "Does it all.",
    });
    expect(await summary("# Title only")).toMatchObject({ description: "Title only" });
    expect(await summary("---\nname: a\n---\n")).toEqual({ reason: "it has neither a description nor any text" });
  });

  it("can be hidden from the model", async () => {
    expect(await summary("---\ndescription: d\ndisable-model-invocation: true\n---\n")).toMatchObject({
      userOnly: true,
    });
    expect(await summary("---\ndescription: d\ndisable-model-invocation: false\n---\n")).not.toHaveProperty("userOnly");
  });
});

describe("the open format", () => {
  it("has no findings for a valid skill", async () => {
    const more = "license: MIT\ncompatibility: Needs git\nmetadata:\n  author: me\n  version: 1.0";
    expect(await lint(`---\nname: a\ndescription: d\n${more}\n---\nText`)).toEqual([]);
    expect(await lint(skillText("мой-навык", "d"), "/skills/мой-навык")).toEqual([]);
  });

  it.each([
    ["name: A", '2 error: name "A" must be in lower case'],
    ["name: -a", '2 error: name "-a" may neither begin or end with - nor contain --'],
    ["name: a--b", '2 error: name "a--b" may neither begin or end with - nor contain --'],
    ["name: a_b", '2 error: name "a_b" may contain only letters, digits and -'],
    [`name: ${"a".repeat(65)}`, "2 error: name has 65 characters; at most 64 are allowed"],
    ["name: b", '2 error: name "b" differs from the name of its folder, a'],
    ["", "1 error: name is missing"],
    ["name: [a]", "2 error: name must be a string"],
    ["name: 'ａ b'", '2 error: name "a b" may contain only letters, digits and -'],
  ])("has rules for names: %s", async (name, finding) => {
    expect(await lint(`---\n${name}\ndescription: d\n---\nText`)).toContain(finding);
  });

  it.each([
    ["description: ''", "3 error: description is empty"],
    [`description: ${"x".repeat(1_025)}`, "3 error: description has 1025 characters; at most 1024 are allowed"],
    ["description: [a]", "3 error: description must be a string"],
    ["other: x", "1 error: description is missing"],
    [`compatibility: ${"x".repeat(501)}`, "3 error: compatibility has 501 characters; at most 500 are allowed"],
    ["compatibility: ''", "3 error: compatibility is empty"],
    ["license: [MIT]", "3 error: license must be a string"],
    ["allowed-tools: [Read, Bash]", "3 error: allowed-tools must be a string"],
    ["metadata: x", "3 error: metadata must be a map of strings"],
    ["metadata: {a: [b]}", "3 error: metadata must be a map of strings"],
    ["colour: red", '3 error: the open format does not know "colour"'],
    ["version: 1", '3 warning: the open format does not know "version"'],
    ["allowed-tools: Bash(git:*)", "3 warning: allowed-tools grants nothing in Scorel: see [permissions]"],
  ])("has rules for the other keys: %s", async (line, finding) => {
    expect(await lint(`---\nname: a\n${line}\n---\nText`)).toContain(finding);
  });

  it("advises on the body, with the line where it begins", async () => {
    const long = await lint(skillText("a", "d", `${"word ".repeat(50)}\n`.repeat(501)));
    expect(long).toEqual([
      "6 warning: the body has 501 lines; up to 500 are recommended, the rest in docs",
      expect.stringMatching(
        /^6 warning: the body takes about \d+ tokens; up to 5000 are recommended, the rest in docs$/,
      ),
    ]);
    expect(await lint("---\nname: a\ndescription: d\n---\n")).toEqual([
      "5 warning: the body is empty: there is nothing to load",
    ]);
    expect(
      await lint(skillText("a", "d", "One\nSee [b](./references/b/c.md#x), [d](d/e.md) and [f](https://g.h/i/j).")),
    ).toEqual([
      "7 warning: references/b/c.md is more than one folder deep; references should be at most one folder deep",
    ]);
    expect((await lint("no front matter"))[0]).toBe("1 error: it has no front matter: the first line is not ---");
  });
});

describe("the docs of a skill", () => {
  it.each([
    ["license-server.md", true],
    ["license-mit-or-apache-guide.md", true],
    ["how-to-license.md", true],
    ["licenses-of-packages.md", true],
    ["copying-files.md", true],
    ["notice-board.md", true],
    ["third-party-tools.md", true],
    ["LICENSE.md", false],
    ["licenses.txt", false],
    ["LICENSE-APACHE-2.0.txt", false],
    ["LICENSE-BSD-3-Clause.txt", false],
    ["license_cc-by-4.0.md", false],
    ["MIT-LICENSE.txt", false],
    ["Inter-LICENSE.txt", false],
    ["COPYING.LESSER.txt", false],
    ["LICENSE-GPLv2.0-or-later.txt", false],
    ["license-mit-.md", true],
    ["ThirdPartyNoticeText.txt", false],
    ["LICENSE-THIRD-PARTY.md", false],
  ])("count %s: %s", (name, isDoc) => {
    using g = ground();
    g.file(`s/${name}`, "x");
    expect(docsIn(`${g.home}/s`)).toEqual({ docs: isDoc ? [name] : [], others: false });
  });

  it("are told from licences in linear time, however a file is named", () => {
    using g = ground();
    const name = `license-mit-${"1".repeat(200)}x.md`;
    g.file(`s/${name}`, "x");
    expect(docsIn(`${g.home}/s`)).toEqual({ docs: [name], others: false });
  });

  it("are its text files by path, without licences and nested skills", async () => {
    using g = ground();
    const docs = ["USAGE.md", "requirements.txt", "references/b.MD", "references/a.md", "zz.txt", "licensing-guide.md"];
    const others = ["scripts/run.py", "data.json"];
    const licences = [
      "LICENSE.txt",
      "LICENSE",
      "license.md",
      "LICENCE-MIT.txt",
      "fonts/Inter-OFL.txt",
      "OFL.txt",
      "NOTICE.txt",
      "COPYING.txt",
      "THIRD_PARTY_NOTICES.md",
      "UNLICENSE.txt",
    ];
    for (const path of [...docs, ...others, ...licences]) g.file(`s/${path}`, "x");
    for (const path of ["SKILL.md", "templates/skill.md", "nested/SKILL.md", "nested/inner.md", ".venv/x.txt"])
      g.file(`s/${path}`, "x");
    const path = `${g.home}/s`;
    expect(docsIn(path)).toEqual({
      docs: ["USAGE.md", "licensing-guide.md", "references/a.md", "references/b.MD", "requirements.txt", "zz.txt"],
      others: true,
    });
  });
});

describe("any SKILL.md", () => {
  it("is a skill with a usable name, or none with a reason; its description is a single line", async () => {
    const lines = fc.constantFrom(
      "---",
      "name: a",
      "name: ../x",
      "description: d",
      "description: |",
      "  more",
      "- x",
      "# T",
      "",
      "\t",
      "*a",
      "&a b",
      "? k",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(fc.oneof(lines, fc.string({ maxLength: 20 })), { maxLength: 12 }).map((all) => all.join("\n")),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        const read = await parseFrontMatter(given);
        if ("reason" in read) return;
        const found = summaryOf({ text: read, digest: "d", findings: findingsIn(read, "/s/a") }, "/s/a");
        if ("reason" in found) return;
        expect(found.name).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}._ -]*$/u);
        expect(found.description).toMatch(/^\S.*$/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
