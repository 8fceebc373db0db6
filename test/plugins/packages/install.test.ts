import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageStore } from "@scorel/packages/contract";
import { describe, expect, it } from "vitest";
import { extensionCommands, presetCommands } from "../../../plugins/packages/commands/commands.ts";
import type { LockEntry } from "../../../plugins/packages/contract.ts";
import { presets as kind } from "../../../plugins/packages/store/kinds.ts";
import type { Plan } from "../../../plugins/packages/store/staging.ts";
import { carryOut } from "../../../plugins/packages/store/steps.ts";
import { npmTarball } from "../../tarball.ts";
import { zip } from "../../zip.ts";
import { guard, type Shop, shop } from "./shop.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
/** `presets` are the names in the folder of presets, and `left` those of unfinished installs. */
const presets = ({ home }: Shop) => namesIn(join(home, ".scorel/presets")).filter((name) => name !== ".staging");
const left = ({ home }: Shop) => namesIn(join(home, ".scorel/presets/.staging"));
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

describe("scorel preset add", () => {
  it("installs a folder under its name, with the checksums of all files in the lock file", async () => {
    using at = shop();
    const folder = at.preset("team", { "skills/ship/SKILL.md": "Ship", "node_modules/x/index.js": "not taken" });
    expect(await at.run("add", ["team"])).toMatchObject({ code: 0 });
    expect(presets(at)).toEqual(["presets.lock.json", "team"]);
    expect(left(at)).toEqual([]);
    expect(at.lock()).toEqual({
      team: {
        source: { kind: "path", spec: folder },
        files: {
          "extensions/guard.js": sha256(guard),
          "preset.toml": sha256('description = "ours"\n'),
          "skills/ship/SKILL.md": sha256("Ship"),
        },
        packages: [],
        installedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    });
  });

  it("leaves out packages inside of a source, of any kind: no list and no integrity covers them", async () => {
    using at = shop();
    const files = { "preset.toml": "", "node_modules/evil/index.js": "evil", "package.json": '{ "name": "packed" }' };
    at.file("packed.tgz", npmTarball(files));
    at.file("zipped.zip", zip(Object.entries(files).map(([path, content]) => ({ path: `top/${path}`, content }))));
    at.preset("folder", files);
    execFileSync(
      "sh",
      [
        "-c",
        "cp -r folder checkout && cd checkout && git init -q && git add -f . && git -c user.name=A -c user.email=a@b commit -qm One",
      ],
      { cwd: at.cwd },
    );
    for (const source of ["packed.tgz", "zipped.zip", "folder", "checkout"])
      expect(await at.run("add", [source], { yes: true, name: source.replace(/\.\w+$/, "") })).toMatchObject({
        code: 0,
      });
    for (const { files: locked } of await at.store.list())
      expect(Object.keys(locked).filter((path) => path.includes("node_modules"))).toEqual([]);
    expect(await at.store.list()).toHaveLength(4);
  });

  it("tells before what would run, which hooks it has layers on, what it adds, and what it would redirect or weaken", async () => {
    using at = shop();
    at.preset("team", {
      "preset.toml": 'extends = "coding"\nwithout = ["checkpoints"]\n[model]\nbaseUrl = "http://10.0.0.9"\n',
      "extensions/notes/index.ts":
        'import { spawn } from "node:child_process";\nexport default { id: "notes", name: "N", version: "1", scope: "host", tools: () => [] };',
      "instructions/style.md": "Be brief.",
      "skills/ship/SKILL.md": "Ship",
    });
    const { code, said } = await at.run("add", ["team"], {});
    expect(code).toBe("PACKAGES_UNCONFIRMED");
    expect(said.replaceAll(at.cwd, "/work")).toBe(
      [
        'Install "team" from the folder /work/team',
        "It may not work; scorel preset check reports:",
        '  Invalid value of model.type: is missing: write type = "builtin" (a known provider) or type = "custom" (any server) (preset.toml:3)',
        '  "notes" cannot run once per process (scope "host") as part of a preset (extensions/notes/index.ts)',
        "changes what keeps you safe:",
        "  switches off checkpoints  (preset.toml:2)",
        "sends your prompts and keys elsewhere:",
        '  model.baseUrl = "http://10.0.0.9": what you say, and the key, go to this address  (preset.toml:4)',
        "runs code with your rights:",
        "  extension guard: hooks beforeToolCall  (extensions/guard.js)",
        "  extension notes: asks to run once per process, which only a user's may, and is left out; brings tools; imports node:child_process  (extensions/notes/index.ts)",
        "chooses what is loaded:",
        "  team  (preset.toml)",
        "  builds on coding  (preset.toml:1)",
        "tells the model:",
        "  instructions for each session  (instructions/style.md)",
        "adds skills:",
        "  ship  (skills/ship/SKILL.md)",
        "Nothing was changed: what would be installed is shown above, and there is no one to ask. To install it: scorel preset add team --yes",
      ].join("\n"),
    );
    await expect(at.store.list()).resolves.toEqual([]);
    expect(left(at)).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    [
      "a file of the author",
      'extends = "ours"',
      /^preset\.toml:1 extends "ours", which is \S+\/presets\/ours\.toml on this/,
    ],
    [
      "a folder of the author",
      'extends = ["coding", "unpacked"]',
      /"unpacked", which is \S+\/unpacked\/preset\.toml on this/,
    ],
    [
      "a preset of the project",
      'extends = "local"',
      /"local", which is \S+\/work\/\.scorel\/presets\/local\.toml on this/,
    ],
    ["a preset that is nowhere", 'extends = "codin"', /which neither ships .* installed \(did you mean "coding"\?\)/],
    ["itself", 'extends = "team"', /which is its own name/],
    ["a file outside of it", 'extends = "../more.toml"', /which is outside of its folder/],
    ["a file by its full path", 'extends = "/etc/more.toml"', /which is outside of its folder/],
    ["a file that is not in it", 'extends = "./more.toml"', /which is not in its folder/],
    [
      "a file of it that extends one of the author",
      'extends = "./parts/a.toml"',
      /^parts\/a\.toml:1 extends "ours", which/,
    ],
    [
      "a file of it that extends it",
      'extends = "parts/b.toml"',
      /^parts\/b\.toml:1 extends "\.\.", which extends this file/,
    ],
  ])("refuses a preset that extends %s, which other users could not load", async (_, text, reason) => {
    using at = shop();
    for (const path of ["~/.scorel/presets/ours.toml", "~/.scorel/presets/unpacked/preset.toml"]) at.file(path, "");
    at.file(".scorel/presets/local.toml", "");
    at.file("more.toml", "");
    const parts = { "parts/a.toml": 'extends = "ours"', "parts/b.toml": 'extends = ".."' };
    at.preset("team", { "preset.toml": text, ...parts });
    const { code, said } = await at.run("add", ["team"]);
    expect(code).toBe("PRESET_EXTENDS");
    expect(said.replace('The preset "team" was not installed: ', "")).toMatch(reason);
    expect(left(at)).toEqual([]);
    expect(existsSync(join(at.home, ".scorel/presets/team"))).toBe(false);
  });

  it("accepts one that extends its own files, shipped presets, or installed ones", async () => {
    using at = shop();
    at.preset("first", { "preset.toml": 'extends = "coding"' });
    expect(await at.run("add", ["first"])).toMatchObject({ code: 0 });
    at.preset("team", {
      "preset.toml": 'extends = ["base", "first", "./parts", "parts/more.toml"]',
      "parts/preset.toml": 'extends = "more.toml"',
      "parts/more.toml": "",
    });
    expect(await at.run("add", ["team"])).toMatchObject({ code: 0 });
    at.file("team/preset.toml", 'extends = "gone"');
    expect(await at.run("update", ["team"])).toMatchObject({ code: "PRESET_EXTENDS" });
    expect(at.installed("team/preset.toml")).toContain("first");
  });

  it("uses the name in its package.json without the scope, or the one of --name", async () => {
    using at = shop();
    at.preset("folder", { "package.json": '{ "name": "@acme/house", "version": "1.2.0" }' });
    await at.run("add", ["folder"]);
    await at.run("add", ["folder"], { yes: true, name: "other" });
    const listed = (await at.store.list()).map(({ name, state, source }) => [name, state, source.version]);
    expect(listed).toEqual([
      ["house", "installed", "1.2.0"],
      ["other", "installed", "1.2.0"],
    ]);
  });

  it.each([
    ["a preset of Scorel", "coding", "a preset of Scorel has this name"],
    ["a file of the user", "mine", "mine.toml has it"],
    ["a folder of the user", "own", "already exists and was not installed"],
    ["what is no name", "../up", "a name consists of lower-case letters"],
    ["what other systems cannot have", "con/aux", "a name consists of lower-case letters"],
  ])("refuses the name of %s", async (_, name, reason) => {
    using at = shop();
    at.file("~/.scorel/presets/mine.toml", "");
    at.file("~/.scorel/presets/own/preset.toml", "");
    at.preset("team");
    const { code, said } = await at.run("add", ["team"], { yes: true, name });
    expect([code, said.includes(reason)]).toEqual(["PACKAGES_NAME", true]);
    expect(await at.store.list()).toEqual([]);
  });

  it("refuses an installed name, and tells how to update it", async () => {
    using at = shop();
    at.preset("team");
    await at.run("add", ["team"]);
    const { code, said } = await at.run("add", ["team"]);
    expect(code).toBe("PACKAGES_INSTALLED");
    expect(said).toContain("scorel preset update team [source]");
  });

  it.each([
    ["nothing", "nowhere", "PACKAGES_SOURCE"],
    ["an address", "https://example.com/team.tgz", "PACKAGES_SOURCE"],
    ["an address of git without encryption", "git://example.com/team.git", "PACKAGES_SOURCE"],
    ["a folder without preset.toml", "empty", "PRESET_NONE"],
    ["a folder with a link in it", "linked", "ARCHIVE_ENTRY"],
    ["a package.json that is none", "broken", "PACKAGES_MANIFEST"],
    ["dependencies from elsewhere than a registry", "elsewhere", "PACKAGES_MANIFEST"],
  ])("refuses %s, and leaves no files", async (_, source, error) => {
    using at = shop();
    mkdirSync(join(at.cwd, "empty"));
    at.preset("linked");
    symlinkSync("/etc/passwd", join(at.cwd, "linked/extensions/secret.js"));
    at.preset("broken", { "package.json": "{" });
    at.preset("elsewhere", { "package.json": '{ "dependencies": { "x": "git+ssh://example.com/x" } }' });
    expect(await at.run("add", [source])).toMatchObject({ code: error });
    expect(await at.store.list()).toEqual([]);
    expect([presets(at), left(at)]).toEqual([[], []]);
  });
});

describe("two installs under one name", () => {
  const source = { kind: "path", spec: "/work/team" } as const;

  /** A staged and reviewed preset, right before the question. */
  async function begun(at: Shop, words: string, replaces?: string) {
    const staging = await at.store.stage();
    cpSync(at.preset("team", { "instructions/a.md": words }), join(staging.folder, "source"), { recursive: true });
    return () => staging.review(join(staging.folder, "source"), { name: "team", source, packages: [], replaces });
  }

  it("result in one installed and one refused, whenever the first one finishes", async () => {
    using at = shop();
    const [first, second, third] = [await begun(at, "1"), await begun(at, "2"), await begun(at, "3")];
    const [one, two] = [await first(), await second()];
    await one.accept();
    await expect(two.accept()).rejects.toMatchObject({ code: "PRESET_TAKEN" });
    await expect(third()).rejects.toMatchObject({ code: "PRESET_TAKEN" });
    expect(at.installed("team/instructions/a.md")).toBe("1");
  });

  it("result in the same if both are updates", async () => {
    using at = shop();
    await (await (await begun(at, "1"))()).accept();
    const [{ installedAt } = { installedAt: "" }] = await at.store.list();
    const [one, two] = [await (await begun(at, "2", installedAt))(), await (await begun(at, "3", installedAt))()];
    const late = await begun(at, "4", installedAt);
    await one.accept();
    await expect(two.accept()).rejects.toMatchObject({ code: "PRESET_TAKEN" });
    // The fetched version may be older than the one that was installed in the meantime.
    await expect(late()).rejects.toMatchObject({ code: "PRESET_TAKEN" });
    expect(at.installed("team/instructions/a.md")).toBe("2");
    const gone = await begun(at, "5", (await at.store.list())[0]?.installedAt);
    await at.store.remove("team");
    await expect(gone()).rejects.toMatchObject({ code: "PRESET_TAKEN" });
    expect(await at.store.list()).toEqual([]);
  });

  it("are refused if the user creates a folder with that name meanwhile", async () => {
    using at = shop();
    const review = await (await begun(at, "1"))();
    at.file("~/.scorel/presets/team/preset.toml", "");
    await expect(review.accept()).rejects.toMatchObject({ code: "PRESET_TAKEN" });
    expect(at.installed("team/preset.toml")).toBe("");
  });
});

describe("an installed preset", () => {
  it("is compared with what was installed: changed, added and removed files, with a diff", async () => {
    using at = shop();
    at.preset("team", { "instructions/a.md": "one\ntwo\n", "instructions/b.md": "gone" });
    await at.run("add", ["team"]);
    expect(await at.run("diff", ["team"])).toEqual({ code: 0, said: '"team" is what was installed.\n' });
    at.file("~/.scorel/presets/team/instructions/a.md", "one\nthree\n");
    at.file("~/.scorel/presets/team/extensions/more.js", "x");
    rmSync(join(at.home, ".scorel/presets/team/instructions/b.md"));
    const { code, said } = await at.run("diff", ["team"]);
    expect(code).toBe(1);
    expect(said.split("\n").slice(1)).toEqual([
      "  added    extensions/more.js",
      "  changed  instructions/a.md",
      "    -two",
      "    +three",
      "  removed  instructions/b.md",
      "",
    ]);
    expect((await at.store.list()).map(({ state }) => state)).toEqual(["changed"]);
  });

  it("is updated from its source, after a diff", async () => {
    using at = shop();
    at.preset("team", { "instructions/a.md": "one\n" });
    await at.run("add", ["team"]);
    expect(await at.run("update", ["team"])).toEqual({
      code: 0,
      said: '"team" is up to date; nothing was changed.\n',
    });
    at.file("team/instructions/a.md", "two\n");
    const shown = await at.run("update", ["team"], {});
    expect(shown.code).toBe("PACKAGES_UNCONFIRMED");
    expect(shown.said).toContain("  changed  instructions/a.md\n    -one\n    +two\n");
    expect(at.installed("team/instructions/a.md")).toBe("one\n");
    expect(await at.run("update", ["team"])).toMatchObject({ code: 0 });
    expect(at.installed("team/instructions/a.md")).toBe("two\n");
    expect(left(at)).toEqual([]);
  });

  it("is repaired by an update after its files were changed, which names the changes that are lost", async () => {
    using at = shop();
    at.preset("team");
    await at.run("add", ["team"]);
    at.file("~/.scorel/presets/team/extensions/guard.js", "// nothing");
    at.file("~/.scorel/presets/team/mine.md", "my words");
    const { code, said } = await at.run("update", ["team"]);
    expect([code, said.split("\n").slice(0, 2)]).toEqual([
      0,
      [
        `Update "team" from the folder ${join(at.cwd, "team")}`,
        "Changes since it was installed are lost: extensions/guard.js, mine.md",
      ],
    ]);
    expect([at.installed("team/extensions/guard.js"), (await at.store.list())[0]?.state]).toEqual([guard, "installed"]);
  });

  it("can be updated from another source, which then becomes its source", async () => {
    using at = shop();
    at.preset("team");
    const next = at.preset("next", { "instructions/a.md": "new" });
    await at.run("add", ["team"]);
    expect(await at.run("update", ["team", "next"])).toMatchObject({ code: 0 });
    expect(at.lock().team?.source).toEqual({ kind: "path", spec: next });
  });

  it("keeps its files when an update fails half-way, and the next command completes the update", async () => {
    using at = shop();
    at.preset("team", { "instructions/a.md": "one" });
    await at.run("add", ["team"]);
    const path = join(at.home, ".scorel/presets/presets.lock.json");
    const { team } = at.lock();
    const entry = { ...team, files: { ...team?.files, "instructions/a.md": sha256("two") } } as LockEntry;
    const staging = await at.store.stage();
    cpSync(at.preset("team", { "instructions/a.md": "two" }), join(staging.folder, "package"), { recursive: true });
    // A folder in the place of the lock file makes the step fail after the files were exchanged.
    const lock = readFileSync(path);
    const broken = carryOut(kind, staging.folder, { name: "team", entry }, () => {
      rmSync(path);
      mkdirSync(join(path, "x"), { recursive: true });
      return undefined;
    });
    await expect(broken).rejects.toMatchObject({ code: "PACKAGES_UNFINISHED" });
    staging.discard();
    await expect(at.store.list()).rejects.toMatchObject({ code: "PACKAGES_UNFINISHED" });
    rmSync(path, { recursive: true });
    writeFileSync(path, lock, { mode: 0o600 });
    const [listed] = await at.store.list();
    expect([listed?.state, at.installed("team/instructions/a.md"), left(at)]).toEqual(["installed", "two", []]);
  });

  it("stays as it is when its folder cannot be moved, and no plan is left that would fail again", async () => {
    using at = shop();
    at.preset("team", { "instructions/a.md": "one" });
    await at.run("add", ["team"]);
    const { team: entry } = at.lock();
    const staging = await at.store.stage();
    cpSync(at.preset("team", { "instructions/a.md": "two" }), join(staging.folder, "package"), { recursive: true });
    // A folder cannot be moved into one below itself, so the first step of this plan fails.
    const plan = { name: "team/../.staging", entry } as Plan;
    await expect(carryOut(kind, staging.folder, plan)).rejects.toMatchObject({ syscall: "rename" });
    staging.discard();
    expect([(await at.store.list()).map(({ name, state }) => [name, state]), left(at)]).toEqual([
      [["team", "installed"]],
      [],
    ]);
  });

  it("is removed with all its copies", async () => {
    using at = shop();
    at.preset("team");
    await at.run("add", ["team"]);
    expect(await at.run("remove", ["team"])).toEqual({ code: 0, said: 'Removed "team".\n' });
    expect(presets(at)).toEqual(["presets.lock.json"]);
    expect(readdirSync(join(at.home, ".scorel/cache/presets"))).toEqual([]);
    expect(await at.run("remove", ["team"])).toMatchObject({ code: "PACKAGES_UNKNOWN" });
  });

  it("is not used if the lock file is damaged, or other users could write it", async () => {
    using at = shop();
    at.preset("team");
    await at.run("add", ["team"]);
    const path = join(at.home, ".scorel/presets/presets.lock.json");
    const whole = readFileSync(path, "utf8");
    for (const text of [
      "{",
      "[]",
      whole.replace("preset.toml", "../preset.toml"),
      whole.replace('"team"', '"../team"'),
    ]) {
      writeFileSync(path, text);
      await expect(at.store.list()).rejects.toMatchObject({ code: "PRESET_LOCK" });
    }
    expect(existsSync(join(at.home, ".scorel/presets/team/preset.toml"))).toBe(true);
  });
});

it("update takes presets and extensions without a name", () => {
  const ending = { signal: new AbortController().signal, running: new Set<Promise<unknown>>() };
  const store = {} as PackageStore;
  const commands = [...presetCommands(store, ending), ...extensionCommands(store, ending)];
  const args = commands.filter(({ action }) => action === "update").map((command) => command.args);
  expect(args).toEqual(["[name] [source]", "[name] [source]"]);
});
