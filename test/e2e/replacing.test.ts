import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

const reader = (more = "") => `export default {
  id: "reader",
  name: "Reader",
  version: "1.0.0",
  needs: [],
  tools: () => [
    {
      name: "Read",
      description: "Reads in its own way.",
      ${more}
      parameters: { type: "object", properties: { file_path: { type: "string" } } },
      access: () => "read",
      execute: async (_id, { file_path }) => ({ content: [{ type: "text", text: "my " + file_path }] }),
    },
  ],
};
`;

/** Runs a prompt that calls Read; returns the result and the notices. */
async function readsAs(s: Scratch, config = "", args: string[] = []) {
  s.file("a.txt", "theirs\n");
  await using server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), text("Done.")]);
  s.useModel(server.baseUrl, config);
  const { code, stderr } = await s.run([...args, "-p", "Go."]);
  return { code, stderr, told: server.requests[1]?.body.messages.at(-1).content as string };
}

describe("a built-in tool", () => {
  it.each([
    ["the tool says so", reader("replaces: true,"), ""],
    ["its plugin says so", reader().replace("needs: [],", 'needs: [],\n  replaces: ["Read"],'), ""],
    ["the configuration says so", reader(), '[tools]\nreplace = ["Read"]\n'],
  ])("is replaced by an extension's tool when %s", async (_how, source, config) => {
    using s = scratch();
    s.file("~/.scorel/extensions/reader.ts", source);
    expect(await readsAs(s, config)).toEqual({ code: 0, stderr: "", told: "my a.txt" });
  });

  it("is kept otherwise, and the warning tells how to replace it", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/reader.ts", reader());
    const { stderr, told } = await readsAs(s);
    expect(told).toContain("theirs");
    expect(stderr).toContain('Rename it, or set `replaces: ["Read"]` in plugin "reader" to use it');
  });
});

describe("a built-in plugin", () => {
  const titles = `export default { id: "titles", name: "Mine", version: "1.0.0", needs: ["tools"], commands: () => ({ mine: () => "mine runs" }) };\n`;

  it("that is switched off can be replaced by an extension with its id, which gets its config table", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/titles.ts", titles);
    s.file("~/.scorel/config.toml", 'without = ["titles"]\n[titles]\ncolour = "red"\n');
    const run = await s.run(["chat", "--model", "offline/demo"], { input: "/mine\n" });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("mine runs"), stderr: "" });
    expect((await s.run(["plugin", "list"])).stdout).toMatch(/^titles +session +loaded .*extensions\/titles\.ts$/m);
  });

  it("that is in use keeps its id, and the warning tells how to switch it off", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/titles.ts", titles);
    const run = await s.run(["chat", "--preset", "all", "--model", "offline/demo"], { input: "/mine\n" });
    expect(run.stdout + run.stderr).toContain('write without = ["titles"] to use this one instead');
  });

  it("that is locked or a guard cannot be replaced by a project", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/presets/team.toml", 'extends = "coding"\nwithout = ["images"]\nlocked = ["images"]\n');
    const images = s.file(".scorel/extensions/images.ts", titles.replace('"titles"', '"images"'));
    const locked = await s.run(["--preset", "team", "--trust", "chat", "--model", "offline/demo"], {
      input: "/mine\n",
    });
    expect([locked.code, locked.stderr]).toEqual([2, expect.stringContaining(`in its place (${images})`)]);
    s.file(".scorel/extensions/images.ts", "");
    s.file("~/.scorel/config.toml", 'without = ["permissions"]\n');
    s.file(".scorel/extensions/permissions.ts", titles.replace('"titles"', '"permissions"'));
    const guard = await s.run(["--trust", "chat", "--model", "offline/demo"], { input: "/mine\n" });
    expect(guard.stdout).not.toContain("mine runs");
  });
});

describe("the store of sessions", () => {
  const example = fileURLToPath(new URL("../../docs/examples/sqlite-logs", import.meta.url));
  const hasSqlite = process.getBuiltinModule("node:sqlite" as never) !== undefined;

  it(`is SQLite where a preset chooses the example's${hasSqlite ? "" : `, and says so where Node ${process.version} has none`}`, async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/presets/sqlite.toml", readFileSync(join(example, "sqlite.toml"), "utf8"));
    s.file("~/.scorel/extensions/logs/index.ts", "");
    cpSync(example, join(s.home, ".scorel/extensions/logs"), { recursive: true });
    await using server = await startModelServer([text("First."), text("Second.")]);
    s.useModel(server.baseUrl);
    const first = await s.run(["--preset", "sqlite", "-p", "one"]);
    if (!hasSqlite) {
      expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining("has no SQLite. Run Scorel with") });
      return;
    }
    expect(first).toMatchObject({ code: 0, stdout: "First.\n" });
    expect(await s.run(["--preset", "sqlite", "--continue", "-p", "two"])).toMatchObject({ stdout: "Second.\n" });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toMatch(/one.*First.*two/);
    const logs = readdirSync(join(s.home, ".scorel/sessions")).filter((name) => /\.(sqlite|jsonl)$/.test(name));
    expect(logs).toEqual([expect.stringMatching(/\.sqlite$/)]);
    const [id] = (logs[0] as string).split(".");
    expect((await s.run(["--preset", "sqlite", "session", "verify", id as string])).stdout).toContain(": sound, ");
    expect((await s.run(["--preset", "sqlite", "session", "list"])).stdout).toContain(id);
  });
});
