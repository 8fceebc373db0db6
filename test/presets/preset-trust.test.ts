import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Asked } from "../../presets/composition/asked.ts";
import { createTrustService } from "../../presets/composition/trust.ts";
import { askedIn, composed } from "./asked.ts";
import { type Place, place } from "./place.ts";

const plugin = (id: string, name = id) =>
  `export default { id: "${id}", name: "${name}", version: "1.0.0", needs: [] };`;

/** One run of the command with a preset outside of the presets folders. */
function run({ project }: Place, more: Partial<Asked> = {}) {
  const { asked, notices } = askedIn(project, { preset: "./team", ...more });
  const composition = composed(asked);
  return {
    notices,
    trust: createTrustService(asked),
    async session() {
      const { entries, problems, packages } = await composition.sessionPlugins(project);
      const own = entries.filter(({ contained }) => contained);
      return {
        own: own.map(({ plugin, origin }) => [plugin.name, origin]),
        user: (entries.find(({ plugin }) => plugin.id === "prompt")?.config as { user?: string } | undefined)?.user,
        problems: problems.map(({ message }) => message),
        packages,
      };
    },
  };
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    ({ code, message }) => ({ code, message }),
  );

/** Writes a preset with code beside the project's other files. */
function team(at: Place, name = "rules") {
  const file = at.file("team/preset.toml", 'extends = "none"', "[prompt]", 'user = "Be kind."');
  const code = at.file("team/extensions/rules.ts", plugin("rules", name));
  at.file("team/.git/HEAD", "1");
  return { file, code, folder: dirname(file) };
}

async function accept(at: Place, path: string): Promise<void> {
  await (await run(at, { preset: "none" }).trust.review(path, true))?.accept();
}

describe("a preset outside of ~/.scorel that is not trusted", () => {
  it("is refused before it is read; the error names the command that shows it", async () => {
    using at = place();
    const file = at.file("team/preset.toml", "not [even TOML");
    expect(await failure(run(at).session())).toEqual({
      code: "CONFIG_PRESET_UNCONFIRMED",
      message: `The preset ${file} is outside of ~/.scorel and is not trusted, so it is not read. To see it and trust it: scorel trust add ${file}; for one run: --trust`,
    });
  });

  it("is also refused when a file of the user names it, by any kind of path", async () => {
    using at = place();
    const { file, folder } = team(at);
    for (const path of [file, folder, join(at.home, ".scorel/../../project/team")]) {
      at.file("~/.scorel/config.toml", `extends = "${path}"`);
      expect(await failure(run(at, { preset: "none" }).session())).toMatchObject({ code: "CONFIG_PRESET_UNCONFIRMED" });
    }
  });

  it("is read in a run with --trust, from a private copy made when the run began", async () => {
    using at = place();
    const { code, folder } = team(at);
    const { session, notices } = run(at, { trust: true });
    const first = await session();
    expect(first).toMatchObject({ own: [["rules", code]], user: "Be kind.", problems: [] });
    expect(first.packages).toEqual([
      { name: "team", folder, root: expect.stringContaining(join(at.home, ".scorel/cache/trusted")) },
    ]);
    team(at, "changed");
    expect((await session()).own).toEqual([["rules", code]]);
    expect(notices).toEqual([
      `The preset ${folder} has changed since this run began; this run keeps using the earlier version.`,
    ]);
    expect((await run(at, { trust: true }).session()).own).toEqual([["changed", code]]);
  });
});

describe("a preset that is trusted", () => {
  it("is read in every run until one of its bytes changes; git's own files do not count", async () => {
    using at = place();
    const { code, file, folder } = team(at);
    await accept(at, folder);
    at.file("team/.git/HEAD", "2");
    expect((await run(at).session()).own).toEqual([["rules", code]]);
    team(at, "changed");
    expect(await failure(run(at).session())).toMatchObject({
      code: "CONFIG_PRESET_UNCONFIRMED",
      message: expect.stringContaining(`The preset ${file} has changed since you trusted it`),
    });
    const review = await run(at).trust.review(folder, true);
    expect(review?.changes).toEqual([
      { path: "extensions/rules.ts", how: "changed", diff: expect.stringContaining('+export default { id: "rules"') },
    ]);
    await review?.accept();
    expect((await run(at).session()).own).toEqual([["changed", code]]);
  });

  it("may be a single file: files beside it that it extends are trusted with it, and files elsewhere are not read", async () => {
    using at = place();
    const file = at.file("team/words.toml", 'extends = ["none", "./parts/kind.toml"]');
    at.file("team/parts/kind.toml", "[prompt]", 'user = "Be kind."');
    at.file("team/extensions/rules.ts", plugin("rules"));
    const preset = "team/words.toml";
    await accept(at, file);
    expect(await run(at, { preset }).session()).toMatchObject({ user: "Be kind.", own: [], packages: [] });
    at.file("team/parts/kind.toml", "[prompt]", 'user = "Be rude."');
    expect(await failure(run(at, { preset }).session())).toMatchObject({ code: "CONFIG_PRESET_UNCONFIRMED" });
    at.file("far.toml", "[prompt]", 'user = "far"');
    at.file("team/words.toml", 'extends = ["none", "../far.toml"]');
    await accept(at, file);
    expect(await failure(run(at, { preset }).session())).toMatchObject({ code: "CONFIG_OUTSIDE" });
  });

  it("by its path, for its author, is read in place, and each start says so", async () => {
    using at = place();
    const { code, folder } = team(at);
    expect(await run(at).trust.trustByPath(folder)).toBe(folder);
    team(at, "changed");
    const { session, notices } = run(at);
    expect(await session()).toMatchObject({ own: [["changed", code]], packages: [{ root: folder }] });
    expect(notices).toEqual([
      `The preset ${folder} is trusted whatever it contains (scorel trust --dev). To end that: scorel trust remove ${folder}`,
    ]);
  });

  it("is listed with its state, and can be removed, even if it no longer exists", async () => {
    using at = place();
    const { folder } = team(at);
    const words = at.file("words.toml");
    for (const path of [folder, words]) await accept(at, path);
    const listed = async () => (await run(at).trust.list()).map(({ path, state }) => [path, state]);
    expect(await listed()).toEqual([
      [folder, "trusted"],
      [words, "trusted"],
    ]);
    at.file("words.toml", "use = []");
    rmSync(folder, { recursive: true });
    expect(await listed()).toEqual([
      [folder, "gone"],
      [words, "changed"],
    ]);
    expect(await run(at).trust.remove(join(folder, "preset.toml"))).toBe(folder);
    expect(await run(at).trust.remove(words)).toBe(words);
    expect(await listed()).toEqual([]);
  });

  it("may not contain a link that leads out of it", async () => {
    using at = place();
    const { folder } = team(at);
    symlinkSync("/etc/passwd", join(folder, "instructions.md"));
    const refusal = { code: "TRUST_TREE", message: expect.stringContaining("is a link to /etc/passwd") };
    expect(await failure(run(at).trust.review(folder, true) as Promise<unknown>)).toMatchObject(refusal);
    expect(await failure(run(at, { trust: true }).session())).toMatchObject(refusal);
  });
});

it("trust.json lists presets in addition to projects, and a damaged one trusts nothing", async () => {
  using at = place();
  const { folder } = team(at);
  await accept(at, folder);
  const path = join(at.home, ".scorel/trust.json");
  const record = JSON.parse(readFileSync(path, "utf8"));
  expect(Object.keys(record.presets)).toEqual([folder]);
  at.file("~/.scorel/trust.json", JSON.stringify({ ...record, presets: { [folder]: { hash: "x", since: "" } } }));
  expect(await failure(run(at).session())).toMatchObject({ code: "TRUST_FILE" });
});

it("the question lists the contents of a preset, and each installed package once", async () => {
  using at = place();
  const { folder } = team(at);
  at.file("team/preset.toml", 'extends = "none"', "[model]", 'baseUrl = "http://10.0.0.9/v1"');
  for (const path of ["index.js", "package.json"]) at.file(`team/node_modules/@a/b/${path}`, "x");
  at.file("team/node_modules/c/index.js", "x");
  at.file("team/instructions/style.md", "Be kind.");
  at.file("team/skills/review/SKILL.md", "Review.");
  const review = await run(at).trust.review(folder, true);
  expect([review?.path, review?.folders]).toEqual([folder, [folder]]);
  expect(review?.items.map(({ kind, what, place }) => [kind, what.split(":")[0], place])).toEqual([
    ["code", "package @a/b", "node_modules/@a/b"],
    ["code", "package c", "node_modules/c"],
    ["code", "extension rules", "extensions/rules.ts"],
    ["instructions", "instructions for each session", "instructions/style.md"],
    ["preset", "team", "preset.toml"],
    ["preset", "builds on none", "preset.toml:1"],
    ["redirect", 'model.baseUrl = "http', "preset.toml:3"],
    ["skill", "review", "skills/review/SKILL.md"],
  ]);
});

it("the question lists the settings of a file in an installed package that a preset extends, and of no other", async () => {
  using at = place();
  const { folder } = team(at);
  at.file("team/preset.toml", 'extends = ["none", "./node_modules/c/more.toml"]');
  at.file("team/node_modules/c/more.toml", 'extends = "./most.toml"', "[model]", 'baseUrl = "http://10.0.0.9/v1"');
  at.file("team/node_modules/c/most.toml", 'without = ["permissions"]');
  at.file("team/node_modules/c/other.toml", 'without = ["requests"]');
  const review = await run(at).trust.review(folder, true);
  expect(review?.items.map(({ kind, what, place }) => [kind, what.split(":")[0], place])).toEqual([
    ["code", "package c", "node_modules/c"],
    ["code", "extension rules", "extensions/rules.ts"],
    ["preset", "builds on ./most.toml", "node_modules/c/more.toml:1"],
    ["redirect", 'model.baseUrl = "http', "node_modules/c/more.toml:3"],
    ["weakens", "switches off permissions", "node_modules/c/most.toml:1"],
    ["preset", "team", "preset.toml"],
    ["preset", "builds on none", "preset.toml:1"],
    ["preset", "builds on ./node_modules/c/more.toml", "preset.toml:1"],
  ]);
});

it("the question says that a preset widens what a model may do, which it can like the user's own files", async () => {
  using at = place();
  const { folder } = team(at);
  const own = at.file("~/.scorel/config.toml", "[permissions]", 'mode = "ask"');
  at.file("team/preset.toml", 'extends = "none"', "[permissions]", 'mode = "full"', 'allow = ["Bash(git push)"]');
  const review = await run(at, { preset: "none" }).trust.review(folder, true);
  expect(review?.items).toContainEqual({
    kind: "weakens",
    what: `permissions.mode = "full": decides what the model may do unasked (yours: "ask", ${own}:2)`,
    place: "preset.toml:3",
  });
  expect(JSON.stringify(review?.items)).not.toContain("no effect");
});

it("a folder that is both a project and a preset is trusted as a project, its preset by the file's path", async () => {
  using at = place();
  const { folder } = team(at);
  mkdirSync(join(folder, ".scorel"));
  at.file("team/.scorel/config.toml");
  rmSync(join(folder, ".git"), { recursive: true });
  mkdirSync(join(folder, ".git"));
  expect((await run(at).trust.review(folder, true))?.folders).toEqual([join(folder, ".scorel")]);
  expect((await run(at).trust.review(join(folder, "preset.toml"), true))?.folders).toEqual([folder]);
});
