import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { writtenManifest } from "../../plugins/extensions/checks/manifest.ts";
import { createLoader } from "../../plugins/extensions/load/entries.ts";
import { createAsked } from "../../presets/composition/asked.ts";
import { createLayersService } from "../../presets/composition/layers-service.ts";
import { type Place, place } from "./place.ts";

/** The layers service of a run in a project that is not trusted, and the result of `scorel preset check`. */
function inspected({ project }: Place) {
  const asked = createAsked({ preset: "coding", by: "the default", cwd: project, trust: false, notify: () => {} });
  return createLayersService(asked);
}

const check = async (at: Place, preset = "./team") => await inspected(at).check(preset);
const problems = async (at: Place, preset?: string) => (await check(at, preset)).problems;

/** Code that writes a file when it runs. */
const plugin = (at: Place, id: string, more = "") =>
  [
    `import { writeFileSync } from "node:fs";`,
    `writeFileSync(${JSON.stringify(join(at.home, "ran"))}, "");`,
    "export default {",
    `  id: "${id}",`,
    `  name: "${id}",`,
    `  version: "1.0.0",`,
    more,
    "};",
  ] as const;

describe("scorel preset list", () => {
  it("names every preset, also one that cannot be read, with its error", async () => {
    using at = place();
    const mine = at.file("~/.scorel/presets/mine.toml", 'description = "Mine"');
    const broken = at.file("~/.scorel/presets/e4.toml", 'extends = "coding');
    const presets = await inspected(at).presets();
    expect(presets.map(({ name }) => name)).toEqual(expect.arrayContaining(["coding", "readonly", "e4", "mine"]));
    expect(presets.filter(({ name }) => ["e4", "mine"].includes(name))).toEqual([
      {
        name: "e4",
        description: "",
        files: [],
        problem: { code: "CONFIG_TOML", message: `${broken}:1:18: not valid TOML: the string is not closed` },
      },
      { name: "mine", description: "Mine", files: [mine] },
    ]);
  });
});

describe("scorel preset check", () => {
  it("accepts a valid preset, trusted or not, without running its code", async () => {
    using at = place();
    const file = at.file(
      "team/preset.toml",
      'extends = "coding"',
      'use = ["rules"]',
      'locked = ["permissions.mode", "rules"]',
      "[requires]",
      'node = ">=20"',
      'programs = ["node"]',
      "[permissions]",
      'mode = "ask"',
      "[rules]",
      "level = 3",
    );
    const rules = at.file("team/extensions/rules.ts", ...plugin(at, "rules", '  needs: ["tools"],'));
    at.file("team/extensions/words/index.mjs", ...plugin(at, "words"));
    expect(await check(at)).toEqual({
      files: ["presets/base.toml", "presets/coding.toml", file],
      problems: [],
      unknown: [`[rules] (${file}:9): its schema is known only when ${rules} runs`],
    });
    expect(existsSync(join(at.home, "ran"))).toBe(false);
  });

  it.each(["base", "none", "readonly", "coding", "all"])("accepts the shipped preset %s", async (name) => {
    using at = place();
    expect(await check(at, name)).toMatchObject({ problems: [], unknown: [] });
  });

  it("reports unknown keys, missing plugins, locks on unknown keys and unmet requirements, with file and line", async () => {
    using at = place();
    const file = at.file(
      "team/preset.toml",
      'extends = "none"',
      'use = ["ruels"]',
      'locked = ["permisions"]',
      "colour = 1",
      "[agent]",
      "idle = 7",
      "[requires]",
      'scorel = ">=99"',
      'plugins = ["coding"]',
    );
    at.file("team/extensions/rules.ts", ...plugin(at, "rules"));
    expect((await problems(at)).map((text) => text.replace(/ Did you mean.*| Add it.*| Install one.*/, ""))).toEqual([
      `There is no plugin or extension "ruels" to use (${file}:2).`,
      `"locked" names permisions, but there is no plugin or extension "permisions" (${file}:3).`,
      `Unsupported config key: colour (${file}:4)`,
      `Unsupported config key: agent.idle (${file}:6)`,
      expect.stringMatching(/requires Scorel >=99, and this is .*/),
      `${file} requires the plugin "coding", which is not in use.`,
    ]);
  });

  it("reports only that a preset cannot be read, and ignores problems of the user's own extensions", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", "this does not parse");
    expect(await check(at, "codign")).toEqual({
      files: [],
      problems: [
        'There is no preset "codign" (scorel preset check). Did you mean "coding"? `scorel preset list` lists them all.',
      ],
      unknown: [],
    });
    expect(await problems(at, "./nothing")).toEqual([
      `There is no file ${join(at.project, "nothing")}. Correct the path that names it, after --preset or in "extends" of a preset.`,
    ]);
    expect(await problems(at, "coding")).toEqual([]);
  });

  it("continues after invalid TOML, a missing preset and a preset outside of the folder", async () => {
    using at = place();
    const file = at.file(
      "team/preset.toml",
      'extends = ["none", "./bad.toml", "no-such", "../far.toml"]',
      "colour = 1",
    );
    const bad = at.file("team/bad.toml", "", "a = = 1");
    at.file("far.toml");
    expect(await problems(at)).toEqual([
      expect.stringMatching(new RegExp(`^${bad}:2:\\d+: not valid TOML`)),
      expect.stringContaining(`There is no preset "no-such" (${file}:1).`),
      expect.stringMatching(new RegExp(`far.toml is not read: it is outside of .* \\(${file}:1\\)$`)),
      expect.stringContaining(`Unsupported config key: colour (${file}:2)`),
    ]);
  });

  it("reports presets that extend each other in a circle, with the line of each", async () => {
    using at = place();
    const a = at.file("team/preset.toml", 'extends = ["none", "./b.toml"]');
    const b = at.file("team/b.toml", "", 'extends = "./preset.toml"');
    expect(await problems(at)).toEqual([
      `Presets extend each other in a circle: ${a}:1 -> ${b}:2 -> ${a}. Remove one "extends".`,
    ]);
  });

  it("reports missing services, two providers of one service, and circular needs", async () => {
    using at = place();
    at.file("team/preset.toml", 'extends = "coding"', 'without = ["tools"]');
    const one = at.file("team/extensions/one.ts", ...plugin(at, "one", '  provides: ["names"], needs: ["names2"],'));
    const two = at.file("team/extensions/two.ts", ...plugin(at, "two", '  provides: ["names2"],\n  needs: ["names"],'));
    const too = at.file(
      "team/extensions/too.ts",
      ...plugin(at, "too", '  provides: [\n    "prompt",\n    "names",\n  ],'),
    );
    const lost = at.file("team/extensions/lost.ts", ...plugin(at, "lost", '  needs: ["weather"],'));
    const found = await problems(at);
    expect(found.filter((text) => text.includes(dirname(one)))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^The service "prompt" is provided by both "prompt" \\(presets/base.toml:\\d+\\) and "too" \\(${too}:8\\)`,
        ),
      ),
      `The service "names" is provided by both "one" (${one}:7) and "too" (${too}:9). Leave one out.`,
      `"lost" needs the service "weather", which no plugin in use provides (${lost}:7). Add its provider to "use".`,
      `Circular dependency between plugins: "one" (${one}:7) -> "two" (${two}:8) -> "one". Remove one of these from "needs".`,
    ]);
    expect(found).toContainEqual(
      expect.stringMatching(/^"checkpoints" needs the service "tools", .* \(presets\/coding.toml:3\)/),
    );
  });

  it("reports extensions that do not parse, have another id, import from outside, or have host scope", async () => {
    using at = place();
    at.file("team/preset.toml", 'extends = "none"');
    const broken = at.file("team/extensions/broken.ts", "const a = ;");
    const other = at.file("team/extensions/other.ts", ...plugin(at, "another"));
    const far = at.file("team/extensions/far.ts", 'import "../../secret.ts";', ...plugin(at, "far"));
    const clock = at.file("team/extensions/clock.ts", ...plugin(at, "clock", '  scope: "host",'));
    const model = at.file("team/extensions/model.ts", ...plugin(at, "model"));
    expect((await problems(at)).sort()).toEqual(
      [
        `"broken" does not parse: ${"Unexpected token"} (${broken}:1)`,
        `"clock" cannot run once per process (scope "host") as part of a preset (${clock})`,
        `"far" imports "../../secret.ts", which is not among its preset's files (${far}:1)`,
        `"other": its id is "another", but the file or folder is named "other"; they have to be equal (${other})`,
        `Extension "model" is left out: a plugin of Scorel has this id; rename the file or folder, or write without = ["model"] to use this one instead (${model})`,
      ].sort(),
    );
  });

  it("names rules whose tool is misspelt, with file and line", async () => {
    using at = place();
    const file = at.file(
      "team/preset.toml",
      'extends = "coding"',
      "[permissions]",
      'allow = ["bash(touch*)", "deploy"]',
      'deny = ["Bsh(touch*)"]',
    );
    const doubt = (rule: string, tool: string, line: number) =>
      `The rule "${rule}" matches no call: there is no tool "${tool}". Did you mean "Bash"? (${file}:${line})`;
    expect(await check(at)).toMatchObject({
      problems: [],
      unknown: [doubt("bash(touch*)", "bash", 3), doubt("Bsh(touch*)", "Bsh", 4)],
    });
  });

  it("lists what cannot be checked without running the code", async () => {
    using at = place();
    at.file("team/preset.toml", 'extends = "none"');
    at.file("team/package.json", '{ "name": "team", "dependencies": { "polite": "1.0.0" } }');
    const computed = at.file(
      "team/extensions/computed.ts",
      'import { word } from "polite/words";',
      ...plugin(at, "computed", "  needs: list(), provides: [word],"),
    );
    at.file("team/extensions/lost.ts", ...plugin(at, "lost", '  needs: ["weather"],'));
    expect(await check(at)).toMatchObject({
      problems: [],
      unknown: [
        `"computed": the services that it needs are computed (${computed})`,
        `"computed": the services that it provides are computed (${computed})`,
        `"computed" imports "polite/words" (${computed}:1): package.json lists it, and it is not installed here`,
      ],
    });
  });

  it("ignores the user's own extensions, which other users of the preset do not have", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", ...plugin(at, "mine"));
    at.file("team/preset.toml", 'extends = "none"', 'use = ["mine"]');
    expect(await problems(at)).toEqual([expect.stringContaining('There is no plugin or extension "mine" to use')]);
    const theirs = at.file("team/extensions/mine.ts", "const a = ;");
    expect(await problems(at)).toEqual([
      expect.stringContaining(`"mine" does not parse: Unexpected token (${theirs}:1)`),
    ]);
    at.file("~/.scorel/presets/own.toml", 'extends = "none"', 'use = ["mine"]');
    expect(await problems(at, "own")).toEqual([]);
  });
});

describe("the parsed source of an extension", () => {
  const examples = fileURLToPath(new URL("../../docs/examples/", import.meta.url));
  // A folder is an extension with an index file; its other files are helpers.
  const isExtension = (path: string) => /^([\w-]+|.*\/extensions\/[\w-]+|.*\/index)\.ts$/.test(path);
  const files = readdirSync(examples, { recursive: true, encoding: "utf8" }).filter(isExtension);
  const idOf = (path: string) => {
    if (path === "sqlite-logs/index.ts") return "logs";
    return parse(path).name === "index" ? basename(dirname(path)) : parse(path).name;
  };

  it.each(files)("matches the loaded extension: %s", async (path) => {
    const file = join(examples, path);
    const plugin = await (await createLoader())({ id: idOf(path), path: file, file, of: "user" });
    const written = writtenManifest(readFileSync(file, "utf8"));
    const names = (services: readonly { name: string }[] | undefined) => services?.map(({ name }) => name);
    expect({ needs: names(written.needs), provides: names(written.provides), host: written.host }).toEqual({
      needs: plugin.needs ?? [],
      provides: plugin.provides ?? [],
      host: plugin.scope === "host",
    });
  });

  it.each([
    ["class X {\n  needs = ['a', \"b\"] as const;\n}", ["a:2", "b:2"]],
    ["export default { needs: [\n  // one\n  'a',\n  `b`,\n] }", ["a:3", "b:4"]],
    ["const p: { needs: string[] } = { 'needs': [] }", undefined],
    ["/* needs: ['no'] */\nexport default { }", ["agent:1"]],
    ["export default { scope: 'host' }", []],
    ["const needs = list(); export default { needs }", undefined],
    ["export default { needs: ['a', ...more] }", undefined],
    ["export default { get needs() { return ['a']; } }", undefined],
  ])("is read with its lines, and what is computed is not guessed at: %j", (source, needs) => {
    expect(writtenManifest(source).needs?.map(({ name, line }) => `${name}:${line}`)).toEqual(needs);
  });
});

describe("scorel preset show", () => {
  it("shows the origin of each line, including locks, requirements and the preset's files", async () => {
    using at = place();
    const file = at.file(
      "team/preset.toml",
      'extends = "none"',
      'without = ["words"]',
      'locked = ["permissions.mode", "agent"]',
      "[requires]",
      'programs = ["no-such-program"]',
      "[agent]",
      "idleTimeout = 7",
    );
    const rules = at.file("team/extensions/rules.ts", ...plugin(at, "rules"));
    const words = at.file("team/extensions/words.ts", ...plugin(at, "words"));
    const style = at.file("team/instructions/style.md", "Be kind.");
    const review = at.file("team/skills/review/SKILL.md", "Review.");
    at.file("team/skills/empty/notes.md", "none");
    const shown = await inspected(at).preset("team/preset.toml");
    expect(shown.layers).toEqual([
      { file: "presets/base.toml", by: "presets/none.toml:2" },
      { file: "presets/none.toml", by: `${file}:1` },
      { file, by: "scorel preset show" },
    ]);
    expect(shown).toMatchObject({
      plugins: expect.arrayContaining([{ id: "rules", scope: "session", origin: rules }]),
      without: expect.arrayContaining([{ id: "words", origin: `${file}:2` }]),
      settings: expect.arrayContaining([
        { path: "agent.idleTimeout", value: 7, origin: `${file}:7`, locked: `${file}:3`, about: expect.any(String) },
      ]),
      locked: [
        { path: "permissions.mode", origin: `${file}:3` },
        { path: "agent", origin: `${file}:3` },
      ],
      requires: [
        { what: "program no-such-program", origin: `${file}:5`, unmet: expect.stringContaining("not on the PATH") },
      ],
      ships: [
        { kind: "extension", name: "rules", origin: rules },
        { kind: "extension", name: "words", origin: words, unused: `switched off in ${file}:2` },
        { kind: "instructions", name: "style.md", origin: style },
        { kind: "skill", name: "review", origin: review },
      ],
    });
    expect(existsSync(join(at.home, "ran"))).toBe(false);
  });

  it("shows addresses without queries, which may hold keys", async () => {
    using at = place();
    const address = "http://127.0.0.1:9/v1?apikey=secret";
    const table = [
      'type = "custom"',
      'api = "openai-completions"',
      'provider = "local"',
      'id = "m"',
      `baseUrl = "${address}"`,
    ];
    at.file("~/.scorel/config.toml", "[model]", ...table, "contextWindow = 8000", "maxTokens = 1000");
    const { settings } = await inspected(at).config();
    expect(settings).toContainEqual(expect.objectContaining({ path: "model.baseUrl", value: "http://127.0.0.1:9/v1" }));
    expect(JSON.stringify(settings)).not.toContain("secret");
  });

  it("marks locked settings in the configuration, also those that the user has changed", async () => {
    using at = place();
    const lock = at.file(
      "~/.scorel/presets/team/preset.toml",
      'locked = ["permissions.mode"]',
      "[permissions]",
      'mode = "ask"',
    );
    const own = at.file("~/.scorel/config.toml", 'extends = "team"', "[permissions]", 'mode = "full"');
    expect((await inspected(at).config()).settings).toContainEqual({
      path: "permissions.mode",
      value: "full",
      origin: `${own}:3`,
      locked: `${lock}:1`,
      about: expect.any(String),
    });
  });
});
