import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { npmTarball } from "../../tarball.ts";
import { type Registry, startRegistry } from "./npm-registry.ts";
import { type Shop, shop } from "./shop.ts";

const packages = ({ home }: Shop) => join(home, ".scorel/packages");
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
const locked = (at: Shop) => JSON.parse(readFileSync(join(packages(at), "packages.lock.json"), "utf8"));
const rules = (version: string, id = "rules") =>
  `export default { id: "${id}", name: "Rules", version: "${version}", hooks: () => ({ async beforeToolCall() {} }) };\n`;

function shopOf({ url }: Registry): Shop {
  const at = shop();
  at.file("~/.npmrc", `registry=${url}\nfetch-retries=0\n`);
  return at;
}

describe("scorel plugin add", () => {
  it("shows what an extension has, and installs it in one step with the checksums of its files", async () => {
    using at = shop();
    const folder = at.extension("rules", {
      "index.mjs": `import { execFile } from "node:child_process";\nimport { more } from "./lib/more.mjs";\n${rules("1.2.0").replace("version", 'scope: "host", provides: ["houseRules"], commands: () => [], version')}`,
      "lib/more.mjs": "export const more = 1;\n",
      "README.md": "# Rules\n",
      "package.json": '{ "name": "@acme/scorel-rules", "version": "1.2.0" }',
    });
    const shown = await at.plugin("add", ["rules"], {});
    expect(shown.code).toBe("PACKAGES_UNCONFIRMED");
    expect(shown.said.replaceAll(at.cwd, "/work")).toBe(
      [
        'Install "rules" 1.2.0 from the folder /work/rules',
        "runs code with your rights:",
        "  extension rules: runs once per process, for all sessions; hooks beforeToolCall; brings commands; provides houseRules; imports node:child_process  (index.mjs)",
        "  1 more file  (lib/more.mjs)",
        "also contains:",
        "  2 other files  (README.md, package.json)",
        "Nothing was changed: what would be installed is shown above, and there is no one to ask. To install it: scorel plugin add rules --yes",
      ].join("\n"),
    );
    expect(namesIn(packages(at))).toEqual([".staging"]);
    expect(await at.plugin("add", ["rules"])).toMatchObject({ code: 0 });
    expect(namesIn(packages(at))).toEqual([".staging", "packages.lock.json", "rules"]);
    expect(namesIn(join(packages(at), ".staging"))).toEqual([]);
    const sum = expect.stringMatching(/^[\da-f]{64}$/);
    expect(locked(at)).toEqual({
      version: 1,
      extensions: {
        rules: {
          source: { kind: "path", spec: folder, version: "1.2.0" },
          files: { "README.md": sum, "index.mjs": sum, "lib/more.mjs": sum, "package.json": sum },
          packages: [],
          installedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      },
    });
  });

  it("refuses what could never be loaded: imports outside of the package, and another id in CommonJS code", async () => {
    using at = shop();
    at.extension("outside", {
      "index.mjs": `import "../other.mjs";\n${rules("1.0.0").replaceAll("rules", "outside")}`,
    });
    expect(await at.plugin("add", ["outside"])).toMatchObject({
      code: "PACKAGES_CHECK",
      said: expect.stringContaining(
        'it imports "../other.mjs", which is not among the files of its package (index.mjs:1)',
      ),
    });
    at.extension("plain", { "index.js": 'module.exports = { id: "other", name: "Other", version: "1.0.0" };\n' });
    expect(await at.plugin("add", ["plain"])).toMatchObject({ code: 0 });
    expect(Object.keys((locked(at) as { extensions: object }).extensions)).toEqual(["other"]);
  });

  it("installs an extension under the id of its default export, whatever other objects its file has", async () => {
    using at = shop();
    const other = 'const call = { type: "toolCall", id: "1", name: "Read", version: "1" };\n';
    at.extension("folder", { "index.mjs": `${other}${rules("1.0.0")}` });
    expect(await at.plugin("add", ["folder"])).toMatchObject({ code: 0 });
    expect(Object.keys(locked(at).extensions)).toEqual(["rules"]);
    expect(await at.plugin("add", ["folder"], { name: "1", yes: true })).toMatchObject({ code: "PACKAGES_NAME" });
  });

  it.each([
    ["a syntax error", { "index.mjs": "export default { id: 'bad', ;\n" }, "index.mjs:1"],
    [
      "a misspelt hook",
      { "index.mjs": rules("1.0.0", "bad").replace("beforeToolCall", "beforeToolcall") },
      'there is no hook "beforeToolcall". Did you mean "beforeToolCall"?',
    ],
    [
      "a range of versions that is none",
      { "index.mjs": rules("1.0.0", "bad"), "package.json": '{ "engines": { "scorel": "banana" } }' },
      '"engines.scorel" in its package.json is "banana"',
    ],
  ])("does not install, and does not update to, an extension with %s", async (_what, files, told) => {
    using at = shop();
    at.extension("bad", files);
    const added = await at.plugin("add", ["bad"], { name: "bad", yes: true });
    expect(added.said).toContain(told);
    expect(namesIn(packages(at))).toEqual([".staging"]);
    at.extension("good", { "index.mjs": rules("1.0.0", "bad") });
    expect(await at.plugin("add", ["good"])).toMatchObject({ code: 0 });
    const before = locked(at);
    expect((await at.plugin("update", ["bad", "bad"])).said).toContain(told);
    expect(locked(at)).toEqual(before);
  });

  it("says where a single file goes", async () => {
    using at = shop();
    at.file("my.ts", rules("1.0.0", "my"));
    expect(await at.plugin("add", ["my.ts"])).toMatchObject({
      code: "PACKAGES_SOURCE",
      said: expect.stringContaining("a package is a folder; copy a single file into ~/.scorel/extensions"),
    });
  });

  it("installs nothing after an interrupt that comes before the first change, and goes on without a reader", async () => {
    using at = shop();
    at.extension("rules", { "index.mjs": rules("1.0.0") });
    const interrupted = AbortSignal.abort();
    expect(await at.plugin("add", ["rules"], { yes: true }, interrupted)).toMatchObject({
      code: 130,
      said: expect.stringContaining("interrupted; nothing was installed"),
    });
    expect([namesIn(packages(at)), namesIn(join(packages(at), ".staging"))]).toEqual([[".staging"], []]);
    const closed = AbortSignal.abort(Object.assign(new Error("closed"), { code: "OUTPUT_CLOSED" }));
    expect(await at.plugin("add", ["rules"], { yes: true }, closed)).toMatchObject({ code: 0 });
  });

  it("installs a tarball under the id of its extension", async () => {
    using at = shop();
    at.file(
      "scorel-rules-1.0.0.tgz",
      npmTarball({ "index.js": rules("1.0.0"), "package.json": '{ "name": "other" }' }),
    );
    expect(await at.plugin("add", ["scorel-rules-1.0.0.tgz"])).toMatchObject({ code: 0 });
    expect(locked(at).extensions.rules.source).toMatchObject({
      kind: "tarball",
      integrity: expect.stringMatching(/^sha512-/),
    });
  });

  it("installs a package of the registry with what it depends on, and runs no script of either", async () => {
    const scripts = { postinstall: "touch $HOME/ran" };
    await using registry = await startRegistry(
      {
        name: "@acme/scorel-rules",
        version: "1.0.0",
        files: { "index.js": `import left from "left";\n${rules("1.0.0")}` },
        manifest: { scripts, dependencies: { left: "^1.0.0" }, peerDependencies: { "@scorel/kernel": "*" } },
      },
      { name: "left", version: "1.4.0", manifest: { scripts }, files: { "index.js": "export default 1;" } },
    );
    using at = shopOf(registry);
    const { code, said } = await at.plugin("add", ["npm:@acme/scorel-rules@^1"]);
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringContaining("  1 npm package: left 1.4.0  (node_modules)\n"),
    });
    expect(locked(at).extensions.rules.packages).toEqual([
      { name: "left", version: "1.4.0", integrity: expect.stringMatching(/^sha512-/) },
    ]);
    expect(existsSync(join(packages(at), "rules/node_modules/left/index.js"))).toBe(true);
    expect(existsSync(join(at.home, "ran"))).toBe(false);
  }, 60_000);

  it.each<[string, Record<string, string>, string, RegExp]>([
    ["without an index file", { "index.mjs": "", "main.js": "" }, "PACKAGE_NONE", /index\.mjs/],
    [
      "for a newer Scorel",
      { "package.json": '{ "engines": { "scorel": ">=99" } }' },
      "PACKAGES_ENGINE",
      /needs Scorel >=99/,
    ],
    ["for another Node", { "package.json": '{ "engines": { "node": "<1" } }' }, "PACKAGES_ENGINE", /needs Node\.js <1/],
    [
      "with an id that is not a name",
      { "index.mjs": rules("1", "../up") },
      "PACKAGES_NAME",
      /a name consists of lower-case/,
    ],
    ["with a package.json that is none", { "package.json": "{" }, "PACKAGES_MANIFEST", /package\.json/],
  ])("refuses one %s, and leaves no files", async (_, files, error, reason) => {
    using at = shop();
    at.extension("bad", files);
    if (error === "PACKAGE_NONE") rmSync(join(at.cwd, "bad/index.mjs"));
    const { code, said } = await at.plugin("add", ["bad"]);
    expect([code, said]).toEqual([error, expect.stringMatching(reason)]);
    expect(namesIn(packages(at)).filter((name) => name !== ".staging")).toEqual([]);
    expect(namesIn(join(packages(at), ".staging"))).toEqual([]);
  });

  it("refuses links, and the id of an extension that the user wrote", async () => {
    using at = shop();
    at.extension("linked");
    symlinkSync("/etc/passwd", join(at.cwd, "linked/secret.js"));
    expect(await at.plugin("add", ["linked"])).toMatchObject({ code: "ARCHIVE_ENTRY" });
    at.extension("rules");
    at.file("~/.scorel/extensions/rules.ts", "");
    expect(await at.plugin("add", ["rules"])).toMatchObject({
      code: "PACKAGES_NAME",
      said: expect.stringMatching(/extensions\/rules\.ts has it/),
    });
    await expect(at.extensions.list()).resolves.toEqual([]);
  });

  it("refuses an installed name, and tells how to update it", async () => {
    using at = shop();
    at.extension("rules");
    await at.plugin("add", ["rules"]);
    const { code, said } = await at.plugin("add", ["rules"]);
    expect([code, said]).toEqual([
      "PACKAGES_INSTALLED",
      expect.stringContaining("scorel plugin update rules [source]"),
    ]);
  });
});

describe("an installed extension", () => {
  it("is updated from its source after a diff, alone or with all others", async () => {
    using at = shop();
    for (const id of ["one", "two"]) at.extension(id, { "index.mjs": rules("1.0.0", id) });
    for (const id of ["one", "two"]) await at.plugin("add", [id]);
    at.file("two/index.mjs", rules("2.0.0", "two"));
    const shown = await at.plugin("update", ["two"], {});
    expect([shown.code, shown.said]).toEqual([
      "PACKAGES_UNCONFIRMED",
      expect.stringMatching(/ {2}changed {2}index\.mjs\n {4}-.*1\.0\.0.*\n {4}\+.*2\.0\.0/),
    ]);
    const { code, said } = await at.plugin("update", []);
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringMatching(/^"one" is up to date; nothing was changed\.\n[\s\S]*Updated "two"\.\n$/),
    });
    expect(readFileSync(join(packages(at), "two/index.mjs"), "utf8")).toContain("2.0.0");
  });

  it("is updated with all others even if one of those cannot be fetched", async () => {
    using at = shop();
    for (const id of ["one", "two"]) at.extension(id, { "index.mjs": rules("1.0.0", id) });
    for (const id of ["one", "two"]) await at.plugin("add", [id]);
    rmSync(join(at.cwd, "one"), { recursive: true });
    at.file("two/index.mjs", rules("2.0.0", "two"));
    const { code, said } = await at.plugin("update", []);
    expect({ code, said }).toEqual({
      code: 2,
      said: expect.stringMatching(/^scorel: "one" was not updated: .*\n[\s\S]*Updated "two"\.\n$/),
    });
  });

  it("keeps its version when the new one is refused", async () => {
    using at = shop();
    at.extension("rules", { "index.mjs": rules("1.0.0") });
    await at.plugin("add", ["rules"]);
    at.file("rules/index.mjs", rules("2.0.0", "renamed"));
    expect(await at.plugin("update", ["rules"])).toMatchObject({ code: "PACKAGES_NAME" });
    expect(readFileSync(join(packages(at), "rules/index.mjs"), "utf8")).toContain("1.0.0");
  });

  it("shows what was changed since, and is repaired by an update", async () => {
    using at = shop();
    at.extension("rules");
    await at.plugin("add", ["rules"]);
    at.file("~/.scorel/packages/rules/index.mjs", "// nothing");
    expect(await at.plugin("diff", ["rules"])).toMatchObject({
      code: 1,
      said: expect.stringContaining("changed  index.mjs"),
    });
    expect(await at.plugin("update", ["rules"])).toMatchObject({ code: 0 });
    expect(await at.extensions.list()).toMatchObject([{ name: "rules", state: "installed" }]);
  });

  it("is removed with all its copies, and leaves its source", async () => {
    using at = shop();
    at.extension("rules");
    await at.plugin("add", ["rules"]);
    expect(await at.plugin("remove", ["rules"])).toEqual({ code: 0, said: 'Removed "rules".\n' });
    expect(namesIn(packages(at))).toEqual([".staging", "packages.lock.json"]);
    expect(namesIn(join(packages(at), ".staging"))).toEqual([]);
    expect(namesIn(join(at.home, ".scorel/cache/packages"))).toEqual([]);
    expect(existsSync(join(at.cwd, "rules/index.mjs"))).toBe(true);
    expect(await at.plugin("remove", ["rules"])).toMatchObject({ code: "PACKAGES_UNKNOWN" });
  });

  it("is installed once if two install it at the same time", async () => {
    using at = shop();
    const begun = async (version: string) => {
      const staging = await at.extensions.stage();
      const folder = join(staging.folder, "source");
      mkdirSync(folder);
      writeFileSync(join(folder, "index.js"), rules(version));
      const source = { kind: "path", spec: "/work/rules" } as const;
      return await staging.review(folder, { name: "rules", source, packages: [] });
    };
    const [one, two] = [await begun("1.0.0"), await begun("2.0.0")];
    await one.accept();
    await expect(two.accept()).rejects.toMatchObject({ code: "PACKAGE_TAKEN" });
    expect(readFileSync(join(packages(at), "rules/index.js"), "utf8")).toContain("1.0.0");
  });

  it("is not used if the lock file is damaged", async () => {
    using at = shop();
    at.extension("rules");
    await at.plugin("add", ["rules"]);
    const path = join(packages(at), "packages.lock.json");
    const whole = readFileSync(path, "utf8");
    for (const text of ["{", "[]", '{ "version": 1, "presets": {} }', whole.replace('"rules"', '"../rules"')]) {
      writeFileSync(path, text);
      await expect(at.extensions.list()).rejects.toMatchObject({ code: "PACKAGE_LOCK" });
    }
    expect(existsSync(join(packages(at), "rules/index.mjs"))).toBe(true);
  });
});
