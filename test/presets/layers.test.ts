import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectDir } from "../../plugins/kit/files/home.ts";
import { createAdmission } from "../../presets/layers/admission.ts";
import { readLayers } from "../../presets/layers/layers.ts";
import { mergeLayers } from "../../presets/layers/merge.ts";
import { type Place, place } from "./place.ts";

interface Asked {
  preset?: string;
  trusted?: boolean;
}

/** The layers that a session in the project gets. */
async function layersOf({ project }: Place, { preset = "coding", trusted = false }: Asked = {}) {
  const dir = projectDir(project);
  const layers = await readLayers({
    preset,
    by: "--preset",
    cwd: project,
    project: dir ? { dir, trusted } : undefined,
    admission: createAdmission(trusted),
  });
  return mergeLayers(layers);
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    ({ code, message }) => ({ code, message }),
  );

describe("layers", () => {
  it("are in order: what a preset extends, the preset, the user's file, the project's if trusted", async () => {
    using at = place();
    const user = at.file("~/.scorel/config.toml");
    const project = at.file(".scorel/config.toml");
    const files = async (asked: Asked) => (await layersOf(at, asked)).layers.map(({ file }) => file);
    expect(await files({ trusted: true })).toEqual(["presets/base.toml", "presets/coding.toml", user, project]);
    expect(await files({})).toEqual(["presets/base.toml", "presets/coding.toml", user]);
  });

  it("that several presets extend appear once, at the first place", async () => {
    using at = place();
    const mine = at.file("~/.scorel/presets/mine.toml", 'extends = ["readonly", "coding"]');
    expect((await layersOf(at, { preset: "mine" })).layers.map(({ file }) => file)).toEqual([
      "presets/base.toml",
      "presets/readonly.toml",
      "presets/coding.toml",
      mine,
    ]);
  });

  it("of one name override each other in order: shipped, the user's, the project's", async () => {
    using at = place();
    const user = at.file("~/.scorel/presets/coding.toml", 'extends = "coding"', "[tools]", 'preset = "all"');
    const project = at.file(".scorel/presets/coding.toml", "[tools]", 'preset = "none"');
    const merged = await layersOf(at, { trusted: true });
    expect(merged.layers.map(({ file }) => file)).toEqual(["presets/base.toml", "presets/coding.toml", user, project]);
    expect([...merged.use.keys()]).toContain("coding");
    expect(merged.tables).toEqual({ tools: { preset: "none" } });
  });

  it("can be named by path, relative to the file or directory that names them", async () => {
    using at = place();
    const team = at.file("config/team.toml", 'extends = "./parts/tools.toml"');
    const tools = at.file("config/parts/tools.toml", 'extends = "base"');
    const found = await layersOf(at, { preset: "config/team.toml", trusted: true });
    expect(found.layers.map(({ file, kind }) => [file, kind])).toEqual([
      ["presets/base.toml", "shipped"],
      [tools, "user"],
      [team, "user"],
    ]);
  });

  it("that extend each other in a circle are refused by name", async () => {
    using at = place();
    const a = at.file("~/.scorel/presets/a.toml", 'extends = "b"');
    const b = at.file("~/.scorel/presets/b.toml", 'extends = ["base", "a"]');
    expect(await failure(layersOf(at, { preset: "a" }))).toEqual({
      code: "CONFIG_PRESET_CIRCLE",
      message: `Presets extend each other in a circle: ${a}:1 -> ${b}:1 -> ${a}. Remove one "extends".`,
    });
  });

  it("that do not exist are refused, with the place that names them and the nearest name", async () => {
    using at = place();
    const mine = at.file("~/.scorel/presets/mine.toml", "", 'extends = ["base", "codign"]');
    expect(await failure(layersOf(at, { preset: "mine" }))).toEqual({
      code: "CONFIG_PRESET_UNKNOWN",
      message: `There is no preset "codign" (${mine}:2). Did you mean "coding"? \`scorel preset list\` lists them all.`,
    });
  });

  it("of a project that is not trusted are not read, whichever way they are named", async () => {
    using at = place();
    const evil = at.file(".scorel/presets/evil.toml", "not [even TOML");
    const other = at.file("../other/.scorel/presets/evil.toml", "not [even TOML");
    const ways = ["evil", ".scorel/presets/evil.toml", other].map((preset) => failure(layersOf(at, { preset })));
    expect((await Promise.all(ways)).map((way) => (typeof way === "string" ? way : [way.code, way.message]))).toEqual([
      ["CONFIG_PRESET_UNTRUSTED", expect.stringContaining(evil)],
      ["CONFIG_UNTRUSTED", expect.stringContaining(evil)],
      ["CONFIG_UNTRUSTED", expect.stringContaining(other)],
    ]);
  });

  it("that are not valid TOML are refused with file, line and column", async () => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", "[model]", "id = = 1");
    expect(await failure(layersOf(at))).toEqual({
      code: "CONFIG_TOML",
      message: expect.stringMatching(new RegExp(`^${file}:2:\\d+: not valid TOML: `)),
    });
  });

  it.each([
    ['use = ["tools", "agent]', "1:24", "the string is not closed"],
    ["use = 'tools", "1:13", "the string is not closed"],
    ["use = 'tools\r\n", "1:13", "the string is not closed"],
    ['use = "a\u0001b"', "1:9", "control characters are not allowed in strings"],
  ])("are refused with what is wrong in a string: %j", async (line, at_, reason) => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", line);
    expect(await failure(layersOf(at))).toEqual({
      code: "CONFIG_TOML",
      message: `${file}:${at_}: not valid TOML: ${reason}`,
    });
  });
});

describe("merging", () => {
  it("merges tables key by key and replaces every other value, arrays included", async () => {
    using at = place();
    at.file("~/.scorel/presets/mine.toml", "[x]", "list = [1, 2]", 'kept = "a"', "[x.deep]", "a = 1");
    at.file("~/.scorel/config.toml", "[x]", "list = [3]", "[x.deep]", "b = 2");
    const { tables } = await layersOf(at, { preset: "mine" });
    expect(tables).toEqual({ x: { list: [3], kept: "a", deep: { a: 1, b: 2 } } });
  });

  it("keeps a plugin once, where it was first used, until a later layer switches it off", async () => {
    using at = place();
    at.file("~/.scorel/presets/mine.toml", 'use = ["tools", "agent", "tools"]');
    at.file("~/.scorel/config.toml", 'use = ["coding", "tools"]', 'without = ["agent"]');
    const merged = await layersOf(at, { preset: "mine" });
    expect([...merged.use.keys()]).toEqual(["tools", "coding"]);
    expect([...merged.without.keys()]).toEqual(["agent"]);
  });

  it("brings back what a later layer uses again, and the other way round", async () => {
    using at = place();
    at.file("~/.scorel/presets/off.toml", 'use = ["tools"]', 'without = ["coding"]');
    at.file("~/.scorel/presets/on.toml", 'extends = "off"', 'use = ["coding"]', 'without = ["tools"]');
    const off = await layersOf(at, { preset: "off" });
    const on = await layersOf(at, { preset: "on" });
    expect([[...off.use.keys()], [...off.without.keys()]]).toEqual([["tools"], ["coding"]]);
    expect([[...on.use.keys()], [...on.without.keys()]]).toEqual([["coding"], ["tools"]]);
  });

  it("treats [extensions] disabled as `without`", async () => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", "[extensions]", 'disabled = ["memory"]');
    expect((await layersOf(at)).without).toEqual(new Map([["memory", `${file}:2`]]));
  });

  it("knows for every value the file and line that set it", async () => {
    using at = place();
    const mine = at.file("~/.scorel/presets/mine.toml", "[x]", "a = 1", "b = 2", "[x.deep]", "c = { d = 3 }");
    const config = at.file("~/.scorel/config.toml", "# mine", "x.b = 4", "x.deep.e = 5");
    const merged = await layersOf(at, { preset: "mine" });
    const where = [["a"], ["b"], ["deep", "c", "d"], ["deep", "e"], ["deep", "gone"]].map((path) =>
      merged.placeOf(["x", ...path]),
    );
    expect(where).toEqual([`${mine}:2`, `${config}:2`, `${mine}:5`, `${config}:3`, `${mine}:4`]);
  });

  it("treats `__proto__` as an ordinary key", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[x.__proto__]", "admin = true", "[__proto__]", "y = 1");
    const { tables } = await layersOf(at);
    expect(Object.keys(tables)).toEqual(["x", "__proto__"]);
    expect(Object.keys(tables.x as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});

describe("a project's folder", () => {
  it("is the nearest one up to the root of the repository, and never the user's own", () => {
    using at = place();
    at.file(".scorel/config.toml");
    at.file("deep/down/file.txt");
    at.file("~/.scorel/config.toml");
    at.file("~/work/file.txt");
    at.file("../outside/.scorel/config.toml");
    at.file("../outside/repository/.git/HEAD");
    const found = [at.project, join(at.project, "deep/down"), at.home, join(at.home, "work")].map(projectDir);
    expect(found).toEqual([join(at.project, ".scorel"), join(at.project, ".scorel"), undefined, undefined]);
    expect(projectDir(join(at.project, "../outside/repository"))).toBeUndefined();
  });
});
