import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimePackages } from "../packed.ts";
import { brokenLinks } from "../readme-links.ts";
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
  for (const installed of runtimePackages().values()) pack(installed, tarballs);
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
    expect(scorel(["--help"])).toContain("Usage:\n  scorel [prompt] [options]");
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

describe("the packed kernel", () => {
  const extension = `import { definePlugin } from "@scorel/kernel";
export default definePlugin({
  id: "shout",
  name: "Shout",
  version: "1.0.0",
  needs: ["agent"],
  tools: ({ agent }) => [
    {
      name: "Shout",
      description: "Says it loud",
      parameters: { type: "object", properties: { text: { type: "string" } } },
      execute: async (_id, { text }: { text: string }) => ({ content: [{ type: "text", text: text.toUpperCase() }] }),
      about: () => \`\${agent.running}\`,
    },
  ],
});
`;
  let kernel: string;
  /** An empty folder in which only the kernel is installed. */
  let alone: string;

  beforeAll(() => {
    const tarballs = join(home.project, "kernel");
    alone = join(home.project, "alone");
    for (const made of [tarballs, alone]) mkdirSync(made);
    run(process.execPath, [join(root, "presets/bundle/kernel-package.mjs"), tarballs], root);
    kernel = join(tarballs, readdirSync(tarballs)[0] as string);
    installKernel(alone);
  });

  function installKernel(into: string): void {
    if (into === alone)
      writeFileSync(join(into, "package.json"), '{ "name": "alone", "version": "1.0.0", "type": "module" }');
    run("npm", ["install", "--offline", "--ignore-scripts", "--cache", join(home.home, "npm-cache"), kernel], into);
  }

  it("has a README whose links lead somewhere", () => {
    expect(brokenLinks(join(alone, "node_modules/@scorel/kernel"))).toEqual([]);
  });

  it("checks the types of an extension in a folder without Scorel", () => {
    const compiler = join(
      dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")),
      "bin/tsc",
    );
    const check = () => run(process.execPath, [compiler, "--project", alone], alone);
    const config = { extends: "./node_modules/@scorel/kernel/types/tsconfig.json", include: ["*.ts"] };
    writeFileSync(join(alone, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(alone, "shout.ts"), extension);
    expect(check()).toBe("");
    writeFileSync(join(alone, "shout.ts"), extension.replace('needs: ["agent"]', 'needs: ["agnet"]'));
    expect(check).toThrow(expect.objectContaining({ stdout: expect.stringContaining('"agnet"') }));
  });

  it("runs a kernel there", () => {
    const code = `import { createKernel, definePlugin } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
const header = { version: 1, sessionId: "s", deviceId: "d", createdAt: 0, epoch: "e", meta: {} };
const plugin = definePlugin({ id: "one", name: "One", version: "1.0.0", words: () => ["a"] });
const kernel = await createKernel({ entries: [{ plugin, origin: "test" }], store: createMemoryStore(header) });
console.log(JSON.stringify(kernel.collect("words")));
await kernel.stop();
`;
    writeFileSync(join(alone, "run.mjs"), code);
    expect(run(process.execPath, ["run.mjs"], alone)).toBe('[{"plugin":"one","value":["a"]}]\n');
  });

  it("has a test kit where Scorel is installed beside it, and says what is missing elsewhere", () => {
    installKernel(folder);
    const code = `${`import { openSession, toolCall } from "@scorel/kernel/testing";
await using session = await openSession({ plugins: [], replies: [toolCall("Missing"), "Done."] });
console.log((await session.send("Go.")).text);
`.replace("await using", "const")}await session[Symbol.asyncDispose]();\n`;
    for (const place of [folder, alone]) writeFileSync(join(place, "kit.mjs"), code);
    expect(run(process.execPath, ["kit.mjs"], folder)).toBe("Done.\n");
    expect(() => run(process.execPath, ["kit.mjs"], alone)).toThrow(/Cannot find package 'scorel'/);
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

function run(command: string, args: readonly string[], cwd: string): string {
  const env = { PATH: process.env.PATH, HOME: home.home, LANG: "C.UTF-8", ...npm, ...nowhere };
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
