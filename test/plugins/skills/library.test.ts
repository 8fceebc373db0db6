import { chmodSync, linkSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Skill } from "@scorel/skills/contract";
import { describe, expect, it } from "vitest";
import { Library } from "../../../plugins/skills/library/library.ts";
import type { Root } from "../../../plugins/skills/library/roots.ts";
import { rootsOf } from "../../../plugins/skills/library/roots.ts";
import { type Ground, ground, skillText } from "./setup.ts";

const rootAt = (g: Ground, folder: string, source: Root["source"] = "user"): Root => {
  const path = join(g.home, folder);
  return { source, folder: path, files: path };
};
const lookAt = (...roots: Root[]) => new Library().look(roots, []);
/** Waits until a newly written file gets a later time than earlier ones. */
async function anotherMoment(g: Ground): Promise<void> {
  const timeNow = () => statSync(g.file("clock", "")).ctimeMs;
  const began = timeNow();
  while (timeNow() === began) await setImmediate();
}
const brief = (skills: readonly Skill[]) => skills.map(({ name, description }) => `${name}: ${description}`);
const workspace = (g: Ground, more: object = {}) =>
  ({ cwd: g.project, root: g.project, home: g.home, ...more }) as unknown as Parameters<typeof rootsOf>[0];

describe("a root", () => {
  it("is searched for SKILL.md files below it, including nested ones and its own, in the order of their names", async () => {
    using g = ground();
    g.file("s/SKILL.md", skillText("s", "The root"));
    g.file("s/b/SKILL.md", skillText("b", "Second"));
    g.file("s/a/deep/er/SKILL.md", skillText("er", "Deep"));
    g.file("s/b/nested/SKILL.md", skillText("nested", "Inside of b"));
    g.file("s/.git/hooks/SKILL.md", skillText("hooks", "None"));
    g.file("s/node_modules/x/SKILL.md", skillText("x", "None"));
    g.file("s/c/SKILL.txt", "no skill");
    expect(brief((await lookAt(rootAt(g, "s"))).skills)).toEqual([
      "b: Second",
      "er: Deep",
      "nested: Inside of b",
      "s: The root",
    ]);
  });

  it("is read again only where something changed", async () => {
    using g = ground();
    const library = new Library(() => Date.now() + 10_000);
    const path = g.file("s/a/SKILL.md", skillText("a", "One"));
    g.file("s/b/SKILL.md", skillText("b", "Two"));
    await library.look([rootAt(g, "s")], []);
    expect(library.reads).toBe(2);
    await library.look([rootAt(g, "s")], []);
    expect(library.reads).toBe(2);
    g.file("s/a/SKILL.md", skillText("a", "Other"));
    utimesSync(path, 1, 1);
    g.file("s/c/SKILL.md", skillText("c", "Three"));
    rmSync(join(g.home, "s/b"), { recursive: true });
    expect(brief((await library.look([rootAt(g, "s")], [])).skills)).toEqual(["a: Other", "c: Three"]);
    expect(library.reads).toBe(4);
  });

  it("is also read again where a file may have been written twice at the same time", async () => {
    using g = ground();
    let now = Date.now();
    const library = new Library(() => now);
    g.file("s/a/SKILL.md", skillText("a", "One"));
    const reads: number[] = [];
    for (const later of [0, 1, 3_000, 10_000]) {
      now += later;
      await library.look([rootAt(g, "s")], []);
      reads.push(library.reads);
    }
    expect(reads).toEqual([1, 2, 3, 3]);
  });

  it("shows a new text of the same length and time", async () => {
    using g = ground();
    const library = new Library(() => Date.now() + 10_000);
    const time = new Date(2_000_000_000);
    for (const description of ["One", "Two"]) {
      utimesSync(g.file("s/a/SKILL.md", skillText("a", description)), time, time);
      expect(brief((await library.look([rootAt(g, "s")], [])).skills)).toEqual([`a: ${description}`]);
      await anotherMoment(g);
    }
  });

  it("may be a link, and may contain links to folders of the user", async () => {
    using g = ground();
    g.file("dotfiles/one/SKILL.md", skillText("one", "Kept elsewhere"));
    g.file("real/two/SKILL.md", skillText("two", "At home"));
    symlinkSync(join(g.home, "dotfiles/one"), join(g.home, "real/one"));
    symlinkSync(join(g.home, "real"), join(g.home, "skills"));
    const { skills, skipped } = await lookAt(rootAt(g, "skills"));
    expect([brief(skills), skipped]).toEqual([["one: Kept elsewhere", "two: At home"], []]);
    expect(brief((await lookAt(rootAt(g, "skills", "project"))).skills)).toEqual(["two: At home"]);
  });

  it("contains a skill that is linked to a file of the root", async () => {
    using g = ground();
    g.file("s/common.md", skillText("one", "Linked"));
    mkdirSync(join(g.home, "s/one"));
    symlinkSync("../common.md", join(g.home, "s/one/SKILL.md"));
    expect(brief((await lookAt(rootAt(g, "s"))).skills)).toEqual(["one: Linked"]);
  });

  it("does not read files that are outside of it, not text, or too large", async () => {
    using g = ground();
    g.file("secret", "---\nname: stolen\ndescription: d\n---\n");
    for (const name of ["out", "pipe", "large", "binary", "folder"])
      mkdirSync(join(g.home, "s", name), { recursive: true });
    symlinkSync(join(g.home, "secret"), join(g.home, "s/out/SKILL.md"));
    g.file("s/large/SKILL.md", skillText("large", "d", "x".repeat(300_000)));
    g.file("s/binary/SKILL.md", Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0x00]));
    mkdirSync(join(g.home, "s/folder/SKILL.md"));
    g.file("s/good/SKILL.md", skillText("good", "d"));
    const { skills, skipped } = await lookAt(rootAt(g, "s"));
    expect(brief(skills)).toEqual(["good: d"]);
    const inRoot = (name: string) => join(g.home, "s", name);
    expect(skipped).toEqual([
      { folder: inRoot("binary"), reason: "SKILL.md: it is not UTF-8 text" },
      { folder: inRoot("large"), reason: "SKILL.md: it is larger than 256 KiB" },
      {
        folder: inRoot("out"),
        reason: `SKILL.md: it is a link to ${join(g.home, "secret")}, which is outside of ${join(g.home, "s")}`,
      },
    ]);
  });

  it("contains nothing if it cannot be read", async () => {
    using g = ground();
    const path = g.file("s/a/SKILL.md", skillText("a", "d"));
    linkSync(path, join(g.home, "s/a/other.md"));
    chmodSync(join(g.home, "s"), 0o000);
    const isRoot = process.getuid?.() === 0;
    expect((await lookAt(rootAt(g, "s"))).skills).toHaveLength(isRoot ? 1 : 0);
    chmodSync(join(g.home, "s"), 0o700);
    expect(await lookAt(rootAt(g, "nowhere"))).toEqual({ skills: [], shadowed: [], skipped: [] });
  });
});

describe("of two skills with one name", () => {
  it("the one of the earlier root is used, and the other is named with it", async () => {
    using g = ground();
    g.file("p/x/SKILL.md", skillText("x", "The project's"));
    g.file("u/x/SKILL.md", skillText("x", "The user's"));
    const shipped: Skill = {
      ...((await lookAt(rootAt(g, "u"))).skills[0] as Skill),
      folder: "/shipped/x",
      files: "/shipped/x",
      source: "shipped",
    };
    const { skills, shadowed } = await new Library().look([rootAt(g, "p", "project"), rootAt(g, "u")], [shipped]);
    expect(brief(skills)).toEqual(["x: The project's"]);
    const by = join(g.home, "p/x");
    expect(shadowed).toEqual([
      { name: "x", folder: join(g.home, "u/x"), source: "user", by },
      { name: "x", folder: "/shipped/x", source: "shipped", by },
    ]);
  });

  it("nothing is shadowed if they are the same folder", async () => {
    using g = ground();
    g.file("u/x/SKILL.md", skillText("x", "Once"));
    symlinkSync(join(g.home, "u"), join(g.home, "also"));
    expect(await lookAt(rootAt(g, "u"), rootAt(g, "also"))).toMatchObject({ skills: [{ name: "x" }], shadowed: [] });
  });
});

describe("the roots", () => {
  it("are the project's, the user's, configured ones and those of packages, if they exist", async () => {
    using g = ground();
    const made = [
      "copy/.scorel/skills",
      "copy/.agents/skills",
      "copy/.claude/skills",
      "copy/sub/.agents/skills",
      ".scorel/skills",
      ".agents/skills",
      ".claude/skills",
      "more/skills",
      "project/own",
      "weak/skills",
      "strong/skills",
    ];
    for (const folder of made) mkdirSync(join(g.home, folder), { recursive: true });
    const place = {
      trusted: join(g.project, "sub/.scorel"),
      trustedCopy: { scorel: join(g.home, "copy/.scorel"), root: join(g.home, "copy") },
      packages: ["weak", "strong"].map((name) => ({ name, folder: `/p/${name}`, root: join(g.home, name) })),
    };
    const complaints: unknown[] = [];
    const configured = [
      "~/more/skills",
      " ",
      "own",
      `file://${g.home}/more/skills`,
      "missing",
      "ftp://ann:secret@example.com/s",
    ];
    const roots = rootsOf(workspace(g, place), configured, (thrown) => complaints.push((thrown as Error).message));
    const at = (path: string) => join(g.home, path);
    expect(roots.map(({ source, folder, files }) => [source, folder, files])).toEqual([
      ["project", join(g.project, "sub/.scorel/skills"), at("copy/.scorel/skills")],
      ["project", join(g.project, "sub/.agents/skills"), at("copy/sub/.agents/skills")],
      ["project", join(g.project, ".agents/skills"), at("copy/.agents/skills")],
      ["project", join(g.project, ".claude/skills"), at("copy/.claude/skills")],
      ["user", at(".scorel/skills"), at(".scorel/skills")],
      ["user", at(".agents/skills"), at(".agents/skills")],
      ["user", at(".claude/skills"), at(".claude/skills")],
      ["configured", at("more/skills"), at("more/skills")],
      ["configured", join(g.project, "own"), join(g.project, "own")],
      ["package", "/p/strong/skills", at("strong/skills")],
      ["package", "/p/weak/skills", at("weak/skills")],
    ]);
    expect(complaints).toEqual([
      '"missing" in [skills] roots is ignored: there is no such folder.',
      '"ftp://…" in [skills] roots is ignored: only folders, archives, https:// and file:// can be roots.',
    ]);
  });

  it("exclude those of an untrusted project", async () => {
    using g = ground();
    for (const folder of [".scorel", ".agents", ".claude"])
      g.file(`project/${folder}/skills/x/SKILL.md`, skillText("x", "d"));
    expect(rootsOf(workspace(g), [], () => {})).toEqual([]);
  });
});
