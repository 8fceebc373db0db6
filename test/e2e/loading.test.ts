import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ApiName, formats, startModelServer, text, toolCall } from "../model-server.ts";
import { modelTable, type Scratch, scratch } from "./scorel.ts";

/** Runs a command, and answers which modules of Node it had loaded in the end. */
async function loadedBy(s: Scratch, args: readonly string[]): Promise<string[]> {
  const list = join(s.home, "loaded.json");
  const spy = s.file(
    "~/spy.cjs",
    `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)));`,
  );
  const { code, stderr } = await s.run(args, { env: { NODE_OPTIONS: `--require=${spy}` } });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(readFileSync(list, "utf8")) as string[];
}

describe.each(Object.keys(formats) as ApiName[])("a turn over %s", (api) => {
  it("loads no built-in fetch", async () => {
    using s = scratch();
    s.file("note.txt", "plum\n");
    await using server = await startModelServer([toolCall("Read", { file_path: "note.txt" }), text("Plum.")]);
    s.file("~/.scorel/config.toml", modelTable(server.baseUrlFor(api)).replace("openai-completions", api));
    const loaded = await loadedBy(s, ["-p", "which word?"]);
    expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
  });
});

describe("the code cache", () => {
  it("is filled by the first turn, and used by the next command", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    await s.run(["-p", "hi"]);
    const folder = join(s.home, ".scorel/cache/code");
    const kept = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    const before = kept();
    expect(before.map(([name]) => name)).toEqual([expect.stringMatching(/^together-/)]);
    expect(await s.run(["-p", "hi"])).toEqual({ code: 0, signal: null, stdout: "ok\n", stderr: "" });
    // What fits is not written again.
    expect(kept()).toEqual(before);
  });
});
