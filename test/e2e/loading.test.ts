import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ApiName, formats, startModelServer, text, toolCall } from "../model-server.ts";
import { modelTable, type Scratch, scratch } from "./scorel.ts";

/** Runs a command and returns the modules that were loaded at its end: by default Node's own. */
async function loadedBy(s: Scratch, args: readonly string[], which = "process.moduleLoadList"): Promise<string[]> {
  const list = join(s.home, "loaded.json");
  const spy = s.file(
    "~/spy.cjs",
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(${which})));`,
  );
  const { code, stderr } = await s.run(args, { env: { NODE_OPTIONS: `--require=${spy}` } });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(readFileSync(list, "utf8")) as string[];
}

describe.each(Object.keys(formats) as ApiName[])("a turn over %s", (api) => {
  it("does not load the built-in fetch", async () => {
    using s = scratch();
    s.file("note.txt", "plum\n");
    await using server = await startModelServer([toolCall("Read", { file_path: "note.txt" }), text("Plum.")]);
    s.file("~/.scorel/config.toml", modelTable(server.baseUrlFor(api)).replace("openai-completions", api));
    const loaded = await loadedBy(s, ["-p", "which word?"]);
    expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
  });
});

describe("the compiler for extensions", () => {
  const plain = 'import { definePlugin } from "@scorel/kernel";\nimport { join } from "node:path";\n';
  const plugin = (id: string) =>
    `export default definePlugin({ id: "${id}", name: join("a"), version: "1" as string });\n`;

  it("is not loaded without extensions, or when all extensions are in the cache", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    expect(await compilersOf(s)).toEqual([]);
    s.file("~/.scorel/extensions/mine.ts", plain + plugin("mine"));
    expect(await compilersOf(s)).toContain("jiti/dist/babel.cjs");
    expect(await compilersOf(s)).toEqual([]);
  });

  it("finds the files that an extension imports, and is not needed when they are in the cache", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    s.file("~/.scorel/extensions/mine/index.ts", `import "./helper.ts";\n${plain}${plugin("mine")}`);
    s.file("~/.scorel/extensions/mine/helper.ts", "export const n: number = 1;\n");
    await compilersOf(s);
    expect(await compilersOf(s)).toEqual(["jiti/dist/jiti.cjs"]);
  });

  /** The files of the compiler's package that a turn loads. */
  async function compilersOf(s: Scratch): Promise<string[]> {
    const files = await loadedBy(s, ["-p", "hi"], "Object.keys(require.cache)");
    return files.flatMap((file) => /jiti\/dist\/\w+\.cjs$/.exec(file) ?? []).sort();
  }
});

describe("the code cache", () => {
  it("is filled by the first turn, and used by the next command", async () => {
    using s = scratch({ cold: true });
    // A turn without a tool loads the file watcher only when its reply takes long.
    const turn = [toolCall("Read", { file_path: "note.txt" }), text("ok")];
    await using server = await startModelServer([...turn, ...turn]);
    s.useModel(server.baseUrl);
    s.file("note.txt", "plum\n");
    await s.run(["-p", "hi"]);
    const folder = join(s.home, ".scorel/cache/code");
    const kept = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    const before = kept();
    expect(before.map(([name]) => name).sort()).toEqual([
      expect.stringMatching(/^first-/),
      expect.stringMatching(/^sessions-/),
    ]);
    expect(await s.run(["-p", "hi"])).toEqual({ code: 0, signal: null, stdout: "ok\n", stderr: "" });
    // Files that are still valid are not written again.
    expect(kept()).toEqual(before);
  });
});
