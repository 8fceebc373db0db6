import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRange, npmSpec } from "../../../plugins/packages/sources/npm-names.ts";
import { npmTarball } from "../../tarball.ts";
import { type Published, type Registry, startRegistry } from "./npm-registry.ts";
import { guard, type Shop, shop } from "./shop.ts";

const files = { "preset.toml": 'description = "ours"\n', "extensions/guard.js": guard };
const team: Published = { name: "@acme/team", version: "1.0.0", files };

/** A home whose npm uses this registry and a separate cache. */
function shopOf({ url }: Registry, env: Record<string, string> = {}, more = ""): Shop {
  const at = shop(env);
  at.file("~/.npmrc", `registry=${url}\nfetch-retries=0\n${more}`);
  return at;
}

const integrityOf = (bytes: Buffer) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

describe("a package from the user's registry", () => {
  it("tells what every file of an extension does, and what a preset in a dependency sets", async () => {
    const files = {
      "preset.toml": 'extends = "./node_modules/left/base.toml"',
      "extensions/notes/index.js":
        'import { hooks } from "./more.js";\nexport default { id: "notes", name: "N", version: "1", hooks };',
      "extensions/notes/more.js": 'import "node:http";\nexport const hooks = () => ({ beforeToolCall() {} });',
      "extensions/notes/node_modules/own/index.js": "",
    };
    await using registry = await startRegistry(
      { ...team, files, manifest: { dependencies: { left: "1" } } },
      { name: "left", version: "1.0.0", files: { "base.toml": 'without = ["permissions"]' } },
    );
    using at = shopOf(registry);
    const { said } = await at.run("add", ["npm:@acme/team"], {});
    expect(said.split("\n").slice(2, -1)).toEqual([
      "It may not work; scorel preset check reports:",
      '  "notes" needs the service "agent", which no plugin in use provides (extensions/notes/index.js:1). Add "agent" to "use".',
      "changes what keeps you safe:",
      "  switches off permissions  (node_modules/left/base.toml:1)",
      "runs code with your rights:",
      "  package own  (extensions/notes/node_modules/own)",
      "  extension notes: hooks beforeToolCall; imports node:http  (extensions/notes/index.js)",
      "  a file next to it  (extensions/notes/more.js)",
      "  1 npm package: left 1.0.0  (node_modules)",
      "chooses what is loaded:",
      "  team  (preset.toml)",
      "  builds on ./node_modules/left/base.toml  (preset.toml:1)",
      "also contains:",
      "  a file that a skill or an extension may use  (package.json)",
    ]);
  });

  it("is installed with its version, its integrity and its dependency tree", async () => {
    await using registry = await startRegistry(
      {
        ...team,
        manifest: { dependencies: { left: "^1.0.0", alias: "npm:right@2.x" }, devDependencies: { dev: "1" } },
      },
      { name: "left", version: "1.4.0", manifest: { dependencies: { deep: "1.0.0" } } },
      { name: "right", version: "2.1.0" },
      { name: "deep", version: "1.0.0", files: { "index.js": "deep" } },
    );
    using at = shopOf(registry);
    const { code, said } = await at.run("add", ["npm:@acme/team@^1.0.0"]);
    expect({ code, said }).toMatchObject({ code: 0 });
    expect(said).toContain('Install "team" 1.0.0 from npm npm:@acme/team@^1.0.0\n');
    expect(said).toContain("  3 npm packages: deep 1.0.0, left 1.4.0, right 2.1.0  (node_modules)\n");
    const { source, packages, files: locked } = at.lock().team ?? {};
    expect(source).toEqual({
      kind: "npm",
      spec: "npm:@acme/team@^1.0.0",
      version: "1.0.0",
      integrity: expect.stringMatching(/^sha512-/),
    });
    expect(packages?.map(({ name, version }) => `${name}@${version}`)).toEqual([
      "deep@1.0.0",
      "left@1.4.0",
      "right@2.1.0",
    ]);
    expect(Object.keys(locked ?? {}).sort()).toEqual([
      "extensions/guard.js",
      "node_modules/alias/package.json",
      "node_modules/deep/index.js",
      "node_modules/deep/package.json",
      "node_modules/left/package.json",
      "package.json",
      "preset.toml",
    ]);
  }, 60_000);

  it("is installed in its newest version by default, and updated to a newer one", async () => {
    await using registry = await startRegistry(team);
    using at = shopOf(registry);
    await at.run("add", ["npm:@acme/team"]);
    registry.publish({ ...team, version: "1.1.0", files: { ...files, "instructions/a.md": "new" } });
    const { said } = await at.run("update", ["team"]);
    expect(said).toContain('Update "team" 1.1.0 from npm npm:@acme/team\n');
    expect(said).toContain("  added    instructions/a.md\n");
    expect(at.lock().team?.source.version).toBe("1.1.0");
  }, 60_000);

  it("runs no scripts, of itself or of its dependencies", async () => {
    const script = (at: Shop) => ({
      install: `touch ${at.home}/ran`,
      prepare: `touch ${at.home}/ran`,
      prepack: `touch ${at.home}/ran`,
    });
    await using registry = await startRegistry();
    using at = shopOf(registry, {}, "ignore-scripts=false\n");
    registry.publish({ ...team, manifest: { scripts: script(at), dependencies: { left: "1" } } });
    registry.publish({
      name: "left",
      version: "1.0.0",
      manifest: { scripts: { ...script(at), postinstall: `touch ${at.home}/ran` }, bin: "run.js" },
      files: { "run.js": "" },
    });
    expect(await at.run("add", ["npm:@acme/team"])).toMatchObject({ code: 0 });
    expect([
      existsSync(join(at.home, "ran")),
      Object.keys(at.lock().team?.files ?? {}).filter((path) => path.includes(".bin")),
    ]).toEqual([false, []]);
  }, 60_000);

  it("is downloaded from the registry in the user's npmrc, whatever a project's files or variables say", async () => {
    await using registry = await startRegistry(
      { ...team, manifest: { dependencies: { left: "1" } } },
      { name: "left", version: "1.0.0" },
    );
    await using theirs = await startRegistry({ ...team, version: "9.0.0" }, { name: "left", version: "1.9.0" });
    const npmrc = `registry=${theirs.url}\n@acme:registry=${theirs.url}\nignore-scripts=false\n`;
    using at = shopOf(registry, {
      npm_config_registry: theirs.url,
      NPM_CONFIG_REGISTRY: theirs.url,
      "npm_config_@acme:registry": theirs.url,
      npm_config_userconfig: "/work/.npmrc",
      NODE_OPTIONS: "--require=/planted.cjs",
      npm_package_name: "x",
    });
    at.file(".npmrc", npmrc);
    at.file("package.json", "{}");
    at.file("~/.scorel/.npmrc", npmrc);
    at.file("~/.scorel/package.json", "{}");
    at.file("~/.scorel/presets/.npmrc", npmrc);
    expect(await at.run("add", ["npm:@acme/team"])).toMatchObject({ code: 0 });
    expect([at.lock().team?.source.version, theirs.requests]).toEqual(["1.0.0", []]);
    at.preset("folder", { ".npmrc": npmrc, "package.json": '{ "dependencies": { "left": "1" } }' });
    expect(await at.run("add", ["folder"])).toMatchObject({ code: 0 });
    expect([at.lock().folder?.packages.map(({ version }) => version), theirs.requests]).toEqual([["1.0.0"], []]);
  }, 60_000);

  it("is downloaded with the token that the user's npmrc reads from a variable; no other variable is passed on", async () => {
    await using registry = await startRegistry(team);
    const host = registry.url.replace(/^http:/, "");
    using at = shopOf(
      registry,
      { ACME_TOKEN: "t-1", ANTHROPIC_API_KEY: "secret" },
      `${host}:_authToken=\${ACME_TOKEN}\n`,
    );
    expect(await at.run("add", ["npm:@acme/team"])).toMatchObject({ code: 0 });
    expect(new Set(registry.requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer t-1"]));
  }, 60_000);

  it("is downloaded by the user's npm, never by one that a project puts on the PATH", async () => {
    await using registry = await startRegistry(team);
    using at = shopOf(registry);
    for (const path of ["node_modules/.bin/npm", "bin/npm", "bin/env", "bin/node"])
      at.file(path, `#!/bin/sh\ntouch ${at.home}/ran\n`);
    execFileSync("chmod", ["-R", "+x", at.cwd]);
    using project = shop({ PATH: `${at.cwd}/node_modules/.bin:bin:./bin:${process.env.PATH}` });
    project.file("~/.npmrc", `registry=${registry.url}\n`);
    expect(await project.run("add", ["npm:@acme/team"])).toMatchObject({ code: 0 });
    expect(existsSync(join(at.home, "ran"))).toBe(false);
  }, 60_000);

  it("with the wrong integrity is refused", async () => {
    await using registry = await startRegistry({
      ...team,
      served: npmTarball({ "package.json": "{}", ...files, evil: "x" }),
    });
    using at = shopOf(registry);
    const { code, said } = await at.run("add", ["npm:@acme/team"]);
    expect([code, said.includes("EINTEGRITY")]).toEqual(["PACKAGES_NPM", true]);
    expect(await at.store.list()).toEqual([]);
  }, 60_000);

  it("keeps the integrity of the installed tarball", async () => {
    const bytes = npmTarball({ "package.json": JSON.stringify({ name: team.name, version: team.version }), ...files });
    await using registry = await startRegistry(team);
    using at = shopOf(registry);
    await at.run("add", ["npm:@acme/team"]);
    expect(at.lock().team?.source.integrity).toBe(integrityOf(bytes));
  }, 60_000);

  it.each<[string, Record<string, unknown>]>([
    ["a repository", { dependencies: { left: "git+ssh://git@127.0.0.1/x.git" } }],
    ["another host", { dependencies: { left: "http://127.0.0.1:1/left.tgz" } }],
    ["a folder", { dependencies: { left: "file:../left" } }],
    ["a shorthand", { dependencies: { left: "acme/left" } }],
    ["an option as its name", { dependencies: { "--registry=http://127.0.0.1:1": "1" } }],
  ])(
    "with a dependency on %s is refused before any request for it",
    async (_, manifest) => {
      await using registry = await startRegistry({ ...team, manifest });
      using at = shopOf(registry);
      expect(await at.run("add", ["npm:@acme/team"])).toMatchObject({ code: "PACKAGES_MANIFEST" });
      expect(registry.requests.filter(({ path }) => !path.startsWith("/@acme/team"))).toEqual([]);
    },
    60_000,
  );

  it("is refused if a dependency needs a repository: git is never run for it", async () => {
    await using registry = await startRegistry(
      { ...team, manifest: { dependencies: { left: "1" } } },
      { name: "left", version: "1.0.0", manifest: { dependencies: { deep: "git+file:///tmp/nothing.git" } } },
    );
    using at = shopOf(registry);
    expect(await at.run("add", ["npm:@acme/team"])).toMatchObject({ code: "PACKAGES_NPM" });
    expect(await at.store.list()).toEqual([]);
  }, 60_000);

  it("is refused if a dependency needs a URL", async () => {
    await using registry = await startRegistry(
      { ...team, manifest: { dependencies: { left: "1" } } },
      { name: "deep", version: "1.0.0" },
    );
    const deep = `${registry.url}deep/-/1.0.0.tgz`;
    registry.publish({ name: "left", version: "1.0.0", manifest: { dependencies: { deep } } });
    using at = shopOf(registry);
    const { code, said } = await at.run("add", ["npm:@acme/team"]);
    expect([code, said.includes(`left wants deep from ${deep}, not from a registry`)]).toEqual(["PACKAGES_NPM", true]);
    expect(await at.store.list()).toEqual([]);
  }, 60_000);

  it("that does not exist is reported with npm's message", async () => {
    await using registry = await startRegistry();
    using at = shopOf(registry);
    const { code, said } = await at.run("add", ["npm:nowhere@1.0.0"]);
    expect(code).toBe("PACKAGES_NPM");
    expect(said).toMatch(/^npm could not fetch the packages, and nothing was installed: E404: .*nowhere/);
  }, 60_000);

  it("leaves nothing behind after an interrupt", async () => {
    const interrupt = new AbortController();
    // The registry gets the request and never answers.
    const silent = createServer(() => interrupt.abort());
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    try {
      using at = shop();
      at.file("~/.npmrc", `registry=http://127.0.0.1:${(silent.address() as AddressInfo).port}/\n`);
      const { code } = await at.run("add", ["npm:@acme/team"], { yes: true }, interrupt.signal);
      expect([code, readdirSync(join(at.home, ".scorel/presets/.staging"))]).toEqual([130, []]);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  }, 60_000);

  it("cannot be installed without npm, and the error tells what can", async () => {
    using at = shop({ PATH: "/nowhere" });
    const { code, said } = await at.run("add", ["npm:@acme/team"]);
    expect([code, said.includes("Install npm")]).toEqual(["PACKAGES_NO_NPM", true]);
  });
});

describe("the name of a package", () => {
  it.each([
    ["left", { name: "left", range: "latest" }],
    ["left@1.2.3", { name: "left", range: "1.2.3" }],
    ["@acme/team@^1 || >=3.0.0-beta.1 <4", { name: "@acme/team", range: "^1 || >=3.0.0-beta.1 <4" }],
    ["left@next", { name: "left", range: "next" }],
  ])("is parsed: %s", (text, expected) => {
    expect(npmSpec(text)).toEqual(expected);
  });

  it.each([
    "",
    "-g",
    "--registry=http://x",
    "left@",
    "left@--registry",
    "left@-g",
    "left@git+ssh://x/y",
    "left@http://x/y.tgz",
    "left@github:x/y",
    "left@x/y",
    "left@file:../x",
    "left@../x",
    "left@..",
    "left@./x",
    "left@~/x",
    "left@/x",
    "left@x.tgz",
    "left@x.tar.gz",
    "left@npm:other@1",
    "x/y",
    "../x",
    ".hidden",
    "@acme",
    "@acme/",
    "@acme/../x",
    "@/x",
    "left right",
    "left\n@1",
    "left@1\n2",
    "https://x/y",
    "git@x:y",
    "left@1$(id)",
    "left@1;id",
    "left@1`id`",
  ])("is refused if invalid: %j", (text) => {
    expect(npmSpec(text)).toBeUndefined();
  });

  it.each(["", "1.x", "*", "npm:other@^2", "workspace:*", "link:../x", "github:a/b", "a/b", "1 - 2"])(
    "tells whether %j is a range",
    (text) => {
      expect(isRange(text)).toBe(["", "1.x", "*", "npm:other@^2", "1 - 2"].includes(text));
    },
  );
});
