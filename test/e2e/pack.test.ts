import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "./scorel.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const npm = { npm_config_update_notifier: "false", npm_config_audit: "false", npm_config_fund: "false" };
/** Nothing listens on this port, so nothing outside of the tarball can be downloaded. */
const nowhere = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };

let home: Scratch;
/** An empty folder in which the published package was installed without network. */
let folder: string;
let tarball: string;

beforeAll(() => {
  home = scratch();
  folder = join(home.project, "installed");
  const tarballs = join(home.project, "tarballs");
  mkdirSync(folder);
  mkdirSync(tarballs);
  tarball = pack(root, tarballs);
  for (const installed of runtimePackages()) pack(installed, tarballs);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", version: "1.0.0", private: true }));
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  run("npm", ["install", "--offline", "--ignore-scripts", "--cache", join(home.home, "npm-cache"), ...files], folder);
});
afterAll(() => home[Symbol.dispose]());

describe("the packed command", () => {
  it("contains its code, presets, skills, the README and the licenses, and nothing else", () => {
    const listed = run("tar", ["-tzf", tarball], root).trim().split("\n");
    const tops = new Set(listed.map((path) => path.split("/").slice(1, 2).join("/")));
    expect([...tops].sort()).toEqual(["LICENSE", "README.md", "dist", "package.json", "presets", "skills"]);
    expect(listed.filter((path) => path.startsWith("package/presets/") && !path.endsWith(".toml"))).toEqual([]);
    expect(listed).toContain("package/dist/THIRD-PARTY.txt");
    expect(listed).toEqual(
      expect.arrayContaining(["worker.js", "photon_rs_bg.wasm"].map((name) => `package/dist/images/${name}`)),
    );
  });

  it("prints its version and help", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(scorel(["--version"])).toBe(`${version}\n`);
    expect(scorel(["--help"])).toContain("Usage:\n  scorel [options]");
  });

  it("lists the shipped presets", () => {
    const files = readdirSync(join(root, "presets")).filter((name) => name.endsWith(".toml"));
    const listed = scorel(["preset", "list"]);
    expect(files.filter((name) => !listed.includes(name.replace(".toml", "")))).toEqual([]);
  });

  it("includes the shipped skills, and finds their files", () => {
    const names = readdirSync(join(root, "skills"));
    const listed = scorel(["skill", "list"]);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    expect(scorel(["skill", "show", "git-commit"])).toContain("# Make a commit");
  });

  it("plays the offline demonstration to the end", () => {
    expect(scorel(["demo"])).toContain("Checked once more, outside the session: the tests pass.");
  });

  it("loads an extension, which gets the shipped kernel", () => {
    home.file(
      "~/.scorel/extensions/note.ts",
      `import { writeFileSync } from "node:fs";
       import { definePlugin } from "@scorel/kernel";
       const text: string = typeof definePlugin;
       export default definePlugin({
         id: "note", name: "Note", version: "1.0.0",
         activate: () => writeFileSync("note.txt", text),
       });`,
    );
    scorel(["--model", "offline/demo", "-p", "list files"]);
    expect(readFileSync(join(folder, "note.txt"), "utf8")).toBe("function");
  });
});

function scorel(args: readonly string[]): string {
  return run(join(folder, "node_modules/.bin/scorel"), args, folder);
}

/** Packs a package folder as publishing does, without building it again; returns the tarball. */
function pack(packageFolder: string, into: string): string {
  const out = run("npm", ["pack", packageFolder, "--ignore-scripts", "--json", "--pack-destination", into], into);
  return join(into, (JSON.parse(out) as [{ filename: string }])[0].filename);
}

/** The folders of the installed packages that the published package needs at run time. */
function runtimePackages(): string[] {
  const { resolve } = createRequire(join(root, "package.json"));
  const ripgrep = realpathSync(dirname(dirname(resolve("@vscode/ripgrep"))));
  const native = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  const binary = createRequire(join(ripgrep, "package.json")).resolve(`${native}/package.json`);
  return [dirname(resolve("jiti/package.json")), ripgrep, dirname(realpathSync(binary))];
}

function run(command: string, args: readonly string[], cwd: string): string {
  const env = { PATH: process.env.PATH, HOME: home.home, LANG: "C.UTF-8", ...npm, ...nowhere };
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
