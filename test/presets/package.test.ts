import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Asked } from "../../presets/composition/asked.ts";
import { hostPlugins } from "../../presets/composition/composition.ts";
import { askedIn, composed } from "./asked.ts";
import { type Place, place } from "./place.ts";

const plugin = (id: string, more = "") =>
  `export default { id: "${id}", name: "${id}", version: "1.0.0", needs: [], ${more} };`;

/** The contributions of a preset to a session in the project. */
async function sessionOf({ project }: Place, preset: string, more: Partial<Asked> = {}) {
  const { asked } = askedIn(project, { preset, ...more });
  const { entries, problems, packages } = await composed(asked).sessionPlugins(project);
  const own = entries.filter(({ contained }) => contained);
  return {
    own: own.map(({ plugin, origin }) => [plugin.id, plugin.name, origin]),
    config: Object.fromEntries(entries.map(({ plugin: { id }, config }) => [id, config])),
    problems: problems.map(({ message }) => message),
    required: entries.filter(({ required }) => required).map(({ plugin: { id } }) => id),
    packages,
    host: async () => (await hostPlugins(asked)).entries.map((entry) => entry.plugin.id),
  };
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    ({ code, message }) => ({ code, message }),
  );

describe("a preset that is a folder", () => {
  it("provides its settings, its extensions, and the root of its other files", async () => {
    using at = place();
    const file = at.file("~/.scorel/presets/team/preset.toml", 'extends = "none"', "[prompt]", 'user = "Be kind."');
    const rules = at.file("~/.scorel/presets/team/extensions/rules.ts", plugin("rules"));
    const folder = dirname(file);
    expect(await sessionOf(at, "team")).toMatchObject({
      own: [["rules", "rules", rules]],
      config: { prompt: { user: "Be kind." } },
      problems: [],
      packages: [{ name: "team", folder, root: folder }],
    });
  });

  it("names itself in the servers that it configures, which no file can do in its place", async () => {
    using at = place();
    const lines = (name: string) => ["[[mcp.servers]]", `name = "${name}"`, 'command = "node"', 'ofPreset = "/etc"'];
    const file = at.file("~/.scorel/presets/team/preset.toml", 'extends = "none"', 'use = ["mcp"]', ...lines("team"));
    at.file("~/.scorel/config.toml", ...lines("own"));
    at.file(".scorel/config.toml", ...lines("project"));
    const { config } = await sessionOf(at, "team", { trust: true });
    expect((config.mcp as { servers: object[] }).servers).toEqual([
      { name: "team", command: "node", ofPreset: dirname(file) },
      { name: "own", command: "node" },
      { name: "project", command: "node", ofProject: true },
    ]);
  });

  it("may be in a trusted project, and is read from the private copy", async () => {
    using at = place();
    at.file(".scorel/presets/team/preset.toml", 'extends = "none"');
    const rules = at.file(".scorel/presets/team/extensions/rules.ts", plugin("rules"));
    const { own, packages } = await sessionOf(at, "team", { trust: true });
    expect(own).toEqual([["rules", "rules", rules]]);
    expect(packages).toEqual([
      {
        name: "team",
        folder: join(at.project, ".scorel/presets/team"),
        root: expect.stringContaining(join(at.home, ".scorel/cache/trusted")),
      },
    ]);
    expect(await failure(sessionOf(at, "team"))).toMatchObject({ code: "CONFIG_PRESET_UNTRUSTED" });
  });

  it("overrides the shipped preset of its name, and is overridden by the file of its name and by the project's", async () => {
    using at = place();
    at.file("~/.scorel/presets/none/preset.toml", "[prompt]", 'user = "folder"', "[tools]", 'preset = "none"');
    at.file("~/.scorel/presets/none.toml", "[prompt]", 'user = "file"', "[agent]", "idleTimeout = 7");
    at.file(".scorel/presets/none/preset.toml", "[agent]", "idleTimeout = 9");
    const { config } = await sessionOf(at, "none", { trust: true });
    expect([config.prompt, config.agent]).toEqual([{ user: "file" }, { idleTimeout: 9 }]);
  });

  it("is extended by name, and extends its own files by path", async () => {
    using at = place();
    at.file("~/.scorel/presets/team/preset.toml", 'extends = ["none", "./parts/words.toml"]');
    at.file("~/.scorel/presets/team/parts/words.toml", "[prompt]", 'user = "Be kind."');
    at.file(".scorel/config.toml", 'extends = "team"');
    const { config, packages } = await sessionOf(at, "none", { trust: true });
    expect(config.prompt).toEqual({ user: "Be kind." });
    expect(packages?.map(({ name }) => name)).toEqual(["team"]);
  });

  it("cannot extend a path outside of its folder, not even through a link", async () => {
    using at = place();
    const outside = at.file("outside.toml", "[prompt]", 'user = "outside"');
    const folder = dirname(at.file("~/.scorel/presets/far/preset.toml", `extends = "${outside}"`));
    at.file("~/.scorel/presets/linked/preset.toml", 'extends = "./inside.toml"');
    symlinkSync(outside, join(at.home, ".scorel/presets/linked/inside.toml"));
    expect(await failure(sessionOf(at, "far"))).toMatchObject({
      code: "CONFIG_OUTSIDE",
      message: expect.stringContaining(`outside of ${folder}`),
    });
    expect(await failure(sessionOf(at, "linked"))).toMatchObject({ code: "CONFIG_OUTSIDE" });
  });

  it("is refused when other users can write to it", async () => {
    using at = place();
    const real = dirname(at.file("elsewhere/preset.toml"));
    at.file("~/.scorel/presets/other.toml");
    symlinkSync(real, join(at.home, ".scorel/presets/team"));
    expect(await failure(sessionOf(at, "team"))).toMatchObject({ code: "EXTENSION_FOLDER" });
  });
});

describe("an extension of a preset", () => {
  it("is replaced by one with its id of a later preset, of the user, or of the project, the last of which wins", async () => {
    using at = place();
    at.file("~/.scorel/presets/base-team/preset.toml", 'extends = "none"');
    at.file("~/.scorel/presets/team/preset.toml", 'extends = "base-team"');
    for (const name of ["a", "b", "c", "d"])
      at.file(
        `~/.scorel/presets/base-team/extensions/${name}.ts`,
        plugin(name).replace(`name: "${name}"`, 'name: "1"'),
      );
    for (const name of ["b", "c", "d"])
      at.file(`~/.scorel/presets/team/extensions/${name}.ts`, plugin(name).replace(`name: "${name}"`, 'name: "2"'));
    for (const name of ["c", "d"])
      at.file(`~/.scorel/extensions/${name}.ts`, plugin(name).replace(`name: "${name}"`, 'name: "3"'));
    at.file(".scorel/extensions/d.ts", plugin("d").replace('name: "d"', 'name: "4"'));
    const { own } = await sessionOf(at, "team", { trust: true });
    expect(own.map(([id, name]) => [id, name])).toEqual([
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
      ["d", "4"],
    ]);
  });

  it("imports only from its preset's folder and node_modules", async () => {
    using at = place();
    at.file("~/.scorel/presets/team/preset.toml", 'extends = "none"');
    const good = ['import { word } from "polite";', 'import { more } from "../common/more.ts";'];
    at.file(
      "~/.scorel/presets/team/extensions/good.ts",
      ...good,
      plugin("good").replace('name: "good"', "name: word + more"),
    );
    at.file("~/.scorel/presets/team/common/more.ts", 'export const more = "!";');
    at.file("~/.scorel/presets/team/node_modules/polite/package.json", '{ "name": "polite", "main": "index.js" }');
    at.file("~/.scorel/presets/team/node_modules/polite/index.js", 'exports.word = "please";');
    const bad = at.file("~/.scorel/presets/team/extensions/bad.ts", 'import "../../../secret.ts";', plugin("bad"));
    at.file("~/.scorel/secret.ts", "export {};");
    const { own, problems } = await sessionOf(at, "team");
    expect(own.map(([, name]) => name)).toEqual(["please!"]);
    expect(problems).toEqual([
      `Extension "bad" is left out: it imports "../../../secret.ts", which is not among its preset's files (${bad}:1). Move what it needs into the preset's folder.`,
    ]);
  });

  it("must have session scope: one with host scope is left out, and the host does not run it", async () => {
    using at = place();
    at.file("~/.scorel/presets/team/preset.toml", 'extends = "none"');
    at.file("~/.scorel/presets/team/extensions/clock.ts", plugin("clock", 'scope: "host"'));
    const { own, problems, host } = await sessionOf(at, "team");
    expect([own, problems]).toEqual([
      [],
      [expect.stringContaining("an extension of a preset cannot run once per process")],
    ]);
    expect(await host()).not.toContain("clock");
  });

  it("can be configured, used and left out by its id", async () => {
    using at = place();
    at.file(
      "~/.scorel/presets/team/preset.toml",
      'extends = "none"',
      'without = ["b"]',
      'use = ["c"]',
      "[a]",
      "level = 3",
    );
    for (const name of ["a", "b", "c"]) at.file(`~/.scorel/presets/team/extensions/${name}.ts`, plugin(name));
    const { own, config } = await sessionOf(at, "team");
    expect(own.map(([id]) => id)).toEqual(["c", "a"]);
    expect(config.a).toMatchObject({ a: { level: 3 } });
  });
});

describe("an extension that a preset requires or locks", () => {
  const team = (at: Place, words: string, source: string) => {
    const file = at.file("~/.scorel/presets/team/preset.toml", 'extends = "none"', words);
    return { file, rules: at.file("~/.scorel/presets/team/extensions/rules.ts", source) };
  };

  it.each(['locked = ["rules.level"]', 'requires.plugins = ["rules"]'])(
    "keeps sessions from opening when it cannot be loaded: %s",
    async (words) => {
      using at = place();
      const { file, rules } = team(at, words, "throw new Error('not today');");
      expect(await failure(sessionOf(at, "team"))).toEqual({
        code: "CONFIG_REQUIRES",
        message: `"rules" is required (${file}:2), and without it no session begins: Extension "rules" is left out: not today (${rules}:1)`,
      });
      at.file("~/.scorel/config.toml", 'without = ["rules"]');
      const isNeeded = words.startsWith("requires");
      expect(await failure(sessionOf(at, "team"))).toEqual(
        isNeeded ? expect.objectContaining({ code: "CONFIG_REQUIRES" }) : "no error",
      );
    },
  );

  it("must also start, and starts before the extensions of a project", async () => {
    using at = place();
    team(at, 'locked = ["rules"]', plugin("rules", 'provides: ["names"],'));
    at.file("~/.scorel/presets/team/extensions/words.ts", plugin("words"));
    at.file(".scorel/config.toml", 'use = ["before"]');
    at.file(".scorel/extensions/before.ts", plugin("before", 'provides: ["names"],'));
    const { own, required } = await sessionOf(at, "team", { trust: true });
    expect([own.map(([id]) => id), required]).toEqual([["rules", "words", "before"], ["rules"]]);
  });
});

it("a folder without preset.toml is not a preset", async () => {
  using at = place();
  mkdirSync(join(at.home, ".scorel/presets/empty"), { recursive: true });
  writeFileSync(join(at.home, ".scorel/presets/presets.lock.json"), '{ "version": 1, "presets": {} }');
  expect(await failure(sessionOf(at, "empty"))).toMatchObject({ code: "CONFIG_PRESET_UNKNOWN" });
});
