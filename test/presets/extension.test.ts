import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as kernel from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import * as zod from "zod";
import { createLoader } from "../../plugins/extensions/load/entries.ts";
import { virtualNames } from "../../plugins/extensions/load/virtual-modules.ts";
import { projectDir } from "../../plugins/kit/files/home.ts";
import { extensionEntries } from "../../presets/composition/extension-entries.ts";
import { findExtensions } from "../../presets/composition/extension-files.ts";
import { resolve } from "../../presets/composition/resolution.ts";
import { testKernel } from "../harness.ts";
import { itWith } from "../optional.ts";
import { type Place, place } from "./place.ts";

const plugin = (id: string, more = "") => `export default { id: "${id}", name: "${id}", version: "1.0.0", ${more} };`;

/** The extensions that a session in the project would load, and the problems of the others. */
async function session({ project }: Place, trusted = false) {
  const dir = projectDir(project);
  const request = { preset: "none", by: "--preset", cwd: project, project: dir ? { dir, trusted } : undefined };
  const resolution = await resolve(request);
  const { entries, problems } = await extensionEntries(resolution, resolution.extensions, "session");
  const field = (id: string, name: string) => {
    const found = entries.find((entry) => entry.plugin.id === id)?.plugin as Record<string, unknown> | undefined;
    return found?.[name];
  };
  return {
    entries,
    field,
    ids: entries.map((entry) => entry.plugin.id),
    problems: [...resolution.problems, ...problems],
  };
}

describe("an extension", () => {
  it("may be an object, a class, an instance of one, or a function that returns one, in any of four languages", async () => {
    using at = place();
    const greeter = (id: string) =>
      `class Greeter { id = "${id}"; name = "G"; version = "1"; #greeting = "hello"; tools() { return this.#greeting; } }`;
    at.file(
      "~/.scorel/extensions/object.ts",
      "const id: string = 'object';",
      "export default { id, name: id, version: '1', tools: () => 'hello' };",
    );
    at.file("~/.scorel/extensions/klass.mts", `export default ${greeter("klass")}`);
    at.file("~/.scorel/extensions/instance.js", greeter("instance"), "export default new Greeter()");
    at.file("~/.scorel/extensions/made/index.mjs", greeter("made"), "export default async () => new Greeter()");
    at.file("~/.scorel/extensions/common/index.js", greeter("common"), "module.exports = new Greeter()");
    const { ids, field, problems } = await session(at);
    expect(problems).toEqual([]);
    expect(ids).toEqual(["common", "instance", "klass", "made", "object"]);
    for (const id of ids) expect((field(id, "tools") as () => string)()).toBe("hello");
  });

  it("needs the agent if it has no `needs`", async () => {
    using at = place();
    at.file("~/.scorel/extensions/old.ts", plugin("old"));
    at.file("~/.scorel/extensions/new.ts", plugin("new", "needs: []"));
    const { field } = await session(at);
    expect([field("old", "needs"), field("new", "needs")]).toEqual([["agent"], []]);
  });

  it("of the project wins over the user's of the same id, once the project is trusted", async () => {
    using at = place();
    at.file("~/.scorel/extensions/both.ts", plugin("both", "of: 'user'"));
    at.file(".scorel/extensions/both/index.ts", plugin("both", "of: 'project'"));
    expect((await session(at, false)).field("both", "of")).toBe("user");
    expect((await session(at, true)).field("both", "of")).toBe("project");
  });

  it("has one instance per session, and shares no module, whatever its language", async () => {
    using at = place();
    for (const [id, ending] of [
      ["one", "ts"],
      ["two", "mjs"],
      ["three", "js"],
    ] as const)
      at.file(`~/.scorel/extensions/${id}.${ending}`, "let count = 0;", plugin(id, "needs: [], tools: () => ++count"));
    const [first, second] = [await session(at), await session(at)];
    for (const id of ["one", "two", "three"]) {
      const count = (from: typeof first) => (from.field(id, "tools") as () => number)();
      expect([count(first), count(first), count(second)]).toEqual([1, 2, 1]);
    }
  });

  it("that changed on disk is reloaded in the next session", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", plugin("mine", "v: 1"));
    const before = await session(at);
    at.file("~/.scorel/extensions/mine.ts", plugin("mine", "v: 2"));
    const after = await session(at);
    expect([before.field("mine", "v"), after.field("mine", "v")]).toEqual([1, 2]);
  });

  it("is left out when switched off, and loaded in the order of use when named", async () => {
    using at = place();
    for (const id of ["a", "b", "c", "d"]) at.file(`~/.scorel/extensions/${id}.ts`, plugin(id));
    at.file("~/.scorel/config.toml", 'use = ["c", "b"]', "[extensions]", 'disabled = ["d"]');
    expect((await session(at)).ids).toEqual(["c", "b", "a"]);
  });

  it("with a schema gets its own table, checked; without one the whole configuration, frozen and without secrets", async () => {
    using at = place();
    const schema = "config: z.object({ word: z.string() })";
    at.file("~/.scorel/extensions/strict.ts", 'import { z } from "zod";', plugin("strict", schema));
    at.file("~/.scorel/extensions/wrong.ts", 'import { z } from "zod";', plugin("wrong", schema));
    at.file("~/.scorel/extensions/whole.ts", plugin("whole"));
    const file = at.file(
      "~/.scorel/config.toml",
      "[strict]",
      'word = "yes"',
      "[wrong]",
      "word = 1",
      "words = 2",
      "[whole]",
      'url = "https://me:canary@example.org/x"',
      'apiKeyEnv = "NAME"',
      'token = "canary"',
      'headers = { Authorization = "canary" }',
    );
    const { entries, problems } = await session(at);
    const config = (id: string) => entries.find((entry) => entry.plugin.id === id)?.config;
    expect(config("strict")).toEqual({ word: "yes" });
    expect(config("whole")).toEqual({
      strict: { word: "yes" },
      wrong: { word: 1, words: 2 },
      whole: {
        url: "https://example.org/x",
        apiKeyEnv: "NAME",
        token: "[hidden]",
        headers: { Authorization: "[hidden]" },
      },
    });
    expect(Object.isFrozen((config("whole") as { whole: object }).whole)).toBe(true);
    expect(problems).toEqual([
      {
        plugin: "wrong",
        origin: join(at.home, ".scorel/extensions/wrong.ts"),
        code: "CONFIG_INVALID",
        message: expect.stringMatching(
          `^Extension "wrong" is left out: Invalid value of wrong.word: .* \\(${file}:4\\)\nExtension "wrong" is left out: Unsupported config key: wrong.words \\(${file}:5\\) Did you mean "word"\\?$`,
        ),
      },
    ]);
  });
});

describe("an extension without the settings that it needs", () => {
  it.each([
    [[], "no file has \\[keen\\]; add it to ~/.scorel/config.toml"],
    [["[keen]"], ":1"],
  ])("is left out with where to add them: %j", async (lines, where) => {
    using at = place();
    at.file(
      "~/.scorel/extensions/keen.ts",
      'import { z } from "zod";',
      plugin("keen", "config: z.object({ word: z.string() })"),
    );
    at.file("~/.scorel/config.toml", ...lines);
    expect((await session(at)).problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        `^Extension "keen" is left out: Invalid value of keen.word: it is missing, a text is needed \\([^()]*${where}\\)$`,
      ),
    ]);
  });
});

describe("a broken extension", () => {
  it.each([
    ["does not parse", ["", "const = 1"], 2, "Unexpected"],
    ["throws while it loads", ["", "", 'throw new Error("no luck")'], 3, "no luck"],
    [
      "throws in its class",
      ["export default class {", "  constructor() {", '    throw new Error("no luck");', "  }", "}"],
      3,
      "no luck",
    ],
    ["imports what is not there", ["", 'import "nowhere-at-all";', plugin("broken")], undefined, "nowhere-at-all"],
    ["throws a value that is not an Error", ["throw null;"], undefined, "null"],
    ["has another id", [plugin("other")], undefined, 'its id is "other", but the file or folder is named "broken"'],
    ["exports nothing", ["export const x = 1;"], undefined, "default export"],
    ["has no version", ["export default { id: 'broken', name: 'x' };"], undefined, '"version" is missing'],
    ["has an unknown scope", [plugin("broken", "scope: 'galaxy'")], undefined, "scope"],
  ])("that %s is reported with file, line and reason, and the rest runs", async (_what, lines, line, reason) => {
    using at = place();
    const file = at.file("~/.scorel/extensions/broken.ts", ...lines);
    at.file("~/.scorel/extensions/whole.ts", plugin("whole"));
    const { ids, problems } = await session(at);
    expect(ids).toEqual(["whole"]);
    expect(problems).toEqual([
      {
        plugin: "broken",
        origin: file,
        code: expect.stringMatching(/^EXTENSION_(LOAD|SHAPE)$/),
        message: expect.stringContaining(reason),
      },
    ]);
    expect(problems[0]?.message).toContain(line === undefined ? file : `${file}:${line}`);
  });

  it("with an error in a helper is reported with the helper's line", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine/index.ts", 'import "./helper.ts";', plugin("mine"));
    const helper = at.file("~/.scorel/extensions/mine/helper.ts", "", 'throw new Error("deep down")');
    const { problems } = await session(at);
    expect(problems.map(({ message }) => message)).toEqual([`Extension "mine" is left out: deep down (${helper}:2)`]);
  });

  it("with the id of a plugin, of a configuration key or of another extension is left out", async () => {
    using at = place();
    for (const id of ["model", "extensions", "twin"]) at.file(`~/.scorel/extensions/${id}.ts`, plugin(id));
    at.file("~/.scorel/extensions/twin/index.ts", plugin("twin", "_folder: true"));
    const { ids, problems } = await session(at);
    expect(ids).toEqual(["twin"]);
    expect(problems.map(({ code, message }) => [code, /"(\w+)"/.exec(message)?.[1]])).toEqual([
      ["EXTENSION_SHAPE", "extensions"],
      ["EXTENSION_SHAPE", "model"],
      ["EXTENSION_SHAPE", "twin"],
    ]);
  });

  it("of a project may not have host scope", async () => {
    using at = place();
    const file = at.file(".scorel/extensions/spy.ts", plugin("spy", 'scope: "host"'));
    const { ids, problems } = await session(at, true);
    expect(ids).toEqual([]);
    expect(problems).toEqual([
      { plugin: "spy", origin: file, code: "CONFIG_SCOPE", message: expect.stringContaining(file) },
    ]);
  });
});

describe("folders that are not safe", () => {
  const unsafe = async (at: Place, trusted = false) => (await session(at, trusted)).problems;

  it("are refused when others can write to them, with the command that repairs it", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    const dir = join(at.home, ".scorel/extensions");
    chmodSync(dir, 0o775);
    expect(await unsafe(at)).toEqual([
      {
        origin: dir,
        code: "EXTENSION_FOLDER",
        message: `${dir} can be written by other users, so nothing is loaded from it. If it is yours, run: chmod go-w '${dir}'`,
      },
    ]);
  });

  it("are refused when they are links, both for extensions and for the cache", async () => {
    using at = place();
    at.file("~/elsewhere/mine.ts", plugin("mine"));
    mkdirSync(join(at.home, ".scorel"));
    symlinkSync(join(at.home, "elsewhere"), join(at.home, ".scorel/extensions"));
    expect((await unsafe(at)).map(({ code }) => code)).toEqual(["EXTENSION_FOLDER"]);
    rmSync(join(at.home, ".scorel/extensions"));
    at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    symlinkSync(join(at.home, "elsewhere"), join(at.home, ".scorel/cache"));
    expect((await unsafe(at)).map(({ message }) => message)).toEqual([
      expect.stringContaining(`${join(at.home, ".scorel/cache")} is a link`),
    ]);
  });

  it("are refused wherever others could put compiled code, and so is a .scorel that is a link", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    expect(await unsafe(at)).toEqual([]);
    for (const name of [".scorel/cache/jiti", ".scorel/cache", ".scorel"]) {
      const path = join(at.home, name);
      chmodSync(path, 0o722);
      expect((await unsafe(at)).map(({ message }) => message)).toEqual([
        expect.stringContaining(`run: chmod go-w '${path}'`),
      ]);
      chmodSync(path, 0o700);
    }
    renameSync(join(at.home, ".scorel"), join(at.home, "elsewhere"));
    symlinkSync("elsewhere", join(at.home, ".scorel"));
    expect((await unsafe(at)).map(({ code }) => code)).toEqual(["EXTENSION_FOLDER"]);
  });

  itWith("root", "are refused when they belong to somebody else", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    expect(await unsafe(at)).toEqual([]);
    for (const name of [".scorel/cache/jiti", ".scorel/extensions", ".scorel"]) {
      const path = join(at.home, name);
      chownSync(path, 12345, 12345);
      expect((await unsafe(at)).map(({ message }) => message)).toEqual([
        expect.stringContaining(
          "belongs to another user, so nothing is loaded from it. If it is yours, run: sudo chown",
        ),
      ]);
      chownSync(path, 0, 0);
    }
  });

  it("are also checked in a project", async () => {
    using at = place();
    at.file(".scorel/extensions/mine.ts", plugin("mine"));
    chmodSync(join(at.project, ".scorel"), 0o777);
    expect((await unsafe(at, true)).map(({ message }) => message)).toEqual([
      expect.stringContaining(`chmod go-w '${join(at.project, ".scorel")}'`),
    ]);
  });
});

describe("an import of an extension", () => {
  it("is the host's own module, with import, require and import(), without an install", async () => {
    using at = place();
    at.file(
      "~/.scorel/extensions/mine/index.ts",
      'import { ScorelError } from "@scorel/kernel";',
      'import z4, { z } from "zod";',
      'import { fromHelper } from "./helper.js";',
      'const required = require("zod");',
      "export default async () => ({",
      '  id: "mine", name: "x", version: "1",',
      '  _got: { ScorelError, z, z4, required: required.z, later: (await import("zod/v4")).z, fromHelper },',
      "});",
    );
    at.file("~/.scorel/extensions/mine/helper.ts", 'export { definePlugin as fromHelper } from "@scorel/kernel";');
    const { field, problems } = await session(at);
    expect(problems).toEqual([]);
    const got = field("mine", "_got") as Record<string, unknown>;
    const { ScorelError, definePlugin: fromHelper } = kernel;
    const own: Record<string, unknown> = {
      ScorelError,
      z: zod.z,
      z4: zod.default,
      required: zod.z,
      later: zod.z,
      fromHelper,
    };
    expect(Object.keys(own).filter((name) => got[name] !== own[name])).toEqual([]);
  });

  it("is the same whether its file is run directly or by the compiler's loader", async () => {
    using at = place();
    const source = (id: string) => [
      'import fs, { readFileSync } from "node:fs";',
      'import * as path from "path";',
      'import assert from "node:assert";',
      'import anything, * as kernel from "@scorel/kernel";',
      'import z4, { z } from "zod";',
      'export * from "node:os";',
      'const later = await import("zod");',
      "const got = {",
      "  read: fs.readFileSync === readFileSync, join: path.join, default: path.default.join, ok: assert.ok, equal: assert,",
      "  kernel: kernel.definePlugin, whole: anything.definePlugin, none: kernel.none, z, z4, later: later.z, defaultLater: later.default,",
      "  names: Object.keys(kernel).sort(), dir: import.meta.dirname, url: import.meta.url, file: typeof __filename, self: this,",
      "};",
      `export default { id: "${id}", name: "x", version: "1", _got: got };`,
    ];
    at.file("~/.scorel/extensions/aaaaa.ts", ...source("aaaaa"));
    // The word "require" alone makes the compiler's loader run the file.
    at.file("~/.scorel/extensions/bbbbb.ts", ...source("bbbbb"), "// biome-ignore-all: require");
    at.file("~/.scorel/extensions/ccccc.ts", ...source("ccccc"), 'export const word = "require";');
    const { field, problems } = await session(at);
    expect(problems).toEqual([]);
    const got = (id: string) => field(id, "_got") as Record<string, unknown>;
    const named = (id: string) => ({ ...got(id), url: String(got(id).url).replace(id, "aaaaa") });
    expect(got("aaaaa")).toMatchObject({ read: true, whole: kernel.definePlugin, z: zod.z, z4: zod.default });
    expect(named("ccccc")).toEqual(got("aaaaa"));
    expect(named("bbbbb")).toEqual(got("aaaaa"));
  });

  it("is loaded only when it is requested", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", 'import "zod";', plugin("mine"));
    const asked: string[] = [];
    const load = await createLoader({ onUse: (name) => void asked.push(name) });
    for (const file of (await findExtensions(undefined)).extensions) await load(file);
    expect(asked).toEqual(["zod"]);
    expect(virtualNames.length).toBeGreaterThan(20);
  });
});

describe("a loaded extension", () => {
  it("leaves nothing registered when it is unloaded", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", plugin("mine", "needs: [], activate(ctx) { ctx.onDispose(() => {}); }"));
    const { entries } = await session(at);
    await using t = await testKernel([]);
    const before = t.kernel.census();
    for (const entry of entries) await t.kernel.load(entry);
    await t.kernel.unload("mine");
    expect(t.kernel.census()).toEqual(before);
  });
});
