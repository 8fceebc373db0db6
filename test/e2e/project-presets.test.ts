import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const guard = `export default {
  id: "no-push",
  name: "No push",
  version: "1.0.0",
  needs: ["tools"],
  hooks: () => ({
    approveToolCall: {
      critical: true,
      handler: ({ toolCall, args }) =>
        toolCall.name === "Bash" && args.command.includes("push") ? { block: true, reason: "Pushing is left to people." } : undefined,
    },
  }),
};
`;

const NAME = ".scorel/presets/team";
const asked = ["--preset", "team", "-p", "push it"];

/** A repository with a preset "team" that builds on a shipped one. */
function project(s: Scratch, form: "file" | "folder", text = 'description = "Ours"\nextends = "coding"\n'): string {
  mkdirSync(join(s.project, ".git"));
  if (form === "file") return s.file(`${NAME}.toml`, text);
  s.file(`${NAME}/extensions/no-push.ts`, guard);
  s.file(`${NAME}/instructions/tests.md`, "Every change comes with a test.");
  s.file(`${NAME}/skills/release/SKILL.md`, "---\nname: release\ndescription: How we release.\n---\nSlowly.\n");
  return s.file(`${NAME}/preset.toml`, text);
}

describe.each(["file", "folder"] as const)("a project's own preset that is a %s", (form) => {
  it("is refused before the project is trusted, with its place and how to trust it", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const file = project(s, form);
    expect(await s.run(asked)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `scorel: The preset "team" is in ${file}, which is not read until you trust the project: scorel trust add, or --trust for one run.\n`,
    });
    expect(server.requests).toEqual([]);
  });

  it("can be used by name and by path once the project is trusted, also from a folder below it", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const file = project(s, form);
    s.file("src/index.js", "");
    expect(await s.run(["trust", "add", "--yes"])).toMatchObject({ code: 0 });
    const below = { cwd: join(s.project, "src") };
    const runs = [await s.run(asked), await s.run(asked, below), await s.run(["--preset", file, "-p", "hi"])];
    expect(runs).toEqual(runs.map(() => ({ code: 0, signal: null, stdout: "ok\n", stderr: "" })));
    expect(await s.run(["--preset", "team", "preset", "show", "team"])).toMatchObject({ code: 0, stderr: "" });
    expect(await s.run(["preset", "check", "team"])).toMatchObject({
      code: 0,
      stdout: `ok  presets/base.toml\nok  presets/coding.toml\nok  ${file}\n`,
    });
    expect(await s.run(["preset", "list"])).toMatchObject({ stdout: expect.stringMatching(/^team .*Ours/m) });
  });

  it("can be used with --trust for one run, with the tools, checkpoints and rules of its base preset", async () => {
    using s = scratch({ inProcess: true });
    const write = toolCall("Write", { file_path: join(s.project, "a.txt"), content: "a" });
    await using server = await startModelServer([write, text("ok")]);
    s.useModel(server.baseUrl);
    project(s, form, 'extends = "coding"\n[permissions]\nmode = "edits"\n');
    const run = await s.run(["--preset", "team", "--trust", "-p", "go"], { guarded: true });
    expect(run).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(await s.run(asked)).toMatchObject({ code: 2, stdout: "" });
  });

  it("is refused as changed after its files have changed", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const file = project(s, form);
    await s.run(["trust", "add", "--yes"]);
    s.file(file.slice(s.project.length + 1), 'extends = "coding"\n[permissions]\nmode = "full"\n');
    expect(await s.run(asked)).toMatchObject({ code: 2, stderr: expect.stringContaining(`"team" is in ${file}`) });
    expect(server.requests).toEqual([]);
  });

  itWith("script", "is asked about in a terminal before anything is loaded, and is used after a yes", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ours"));
    s.useModel(server.baseUrl);
    project(s, form);
    {
      await using no = terminal(s, ["--preset", "team"]);
      await no.shows("not trusted yet");
      await no.shows("Trust it? ");
      no.type("n\r");
      await no.shows("is not read until you trust the project");
      expect(await no.code).toBe(2);
    }
    await using yes = terminal(s, ["--preset", "team"]);
    await yes.shows("Trust it? ");
    yes.type("y\r");
    await yes.shows("> ");
    yes.type("hi\r");
    await yes.shows("ours");
    yes.type("/exit\r");
    expect(await yes.code).toBe(0);
  });
});

describe("a trusted project", () => {
  it("adds the guard, instructions and skills of a preset folder", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([toolCall("Bash", { command: "git push" }), text("I may not.")]);
    s.useModel(server.baseUrl);
    project(s, "folder");
    await s.run(["trust", "add", "--yes"]);
    expect(await s.run(asked)).toMatchObject({ code: 0, stdout: "I may not.\n" });
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("Every change comes with a test.");
    expect(first).toContain("How we release.");
    expect(second).toContain("Pushing is left to people.");
  });

  it("may build on a shipped preset in its config.toml, whatever preset the command was started with", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    s.file(".scorel/config.toml", 'extends = "coding"\n');
    expect(await s.run(["--preset", "readonly", "--trust", "-p", "hi"])).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it("may extend a shipped preset under its name, and lists it with both files", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const file = s.file(".scorel/presets/coding.toml", 'without = ["artifacts"]\nuse = ["titles"]\n');
    expect(await s.run(["--trust", "-p", "hi"])).toMatchObject({
      code: 2,
      stderr: `scorel: "artifacts" runs once per process, so a project cannot change it. Move this to ~/.scorel/config.toml or your own preset (${file}:1)\n`,
    });
    s.file(".scorel/presets/coding.toml", 'use = ["titles"]\n');
    expect(await s.run(["--trust", "preset", "show", "coding"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ {2}titles +session .*presets\/coding\.toml:1$/m),
    });
    expect(await s.run(["--trust", "-p", "hi"])).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it("with broken files still allows the commands that fix them", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file(".scorel/config.toml", "extends =\n");
    await s.run(["trust", "add", "--yes"]);
    expect(await s.run(["-p", "hi"])).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}:1:`) });
    expect(await s.run(["trust", "remove"])).toMatchObject({ code: 0 });
    expect(await s.run(["--preset", "none", "preset", "list"])).toMatchObject({ code: 0 });
  });
});

describe.each(["base", "none", "readonly", "coding", "all"])("the shipped preset %s", (name) => {
  it("can be used by name, and as the base of a user's file and folder", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    s.file("~/.scorel/presets/mine.toml", `extends = "${name}"\n`);
    s.file("~/.scorel/presets/ours/preset.toml", `extends = "${name}"\n`);
    for (const preset of [name, "mine", "ours"])
      expect(await s.run(["--preset", preset, "-p", "hi"])).toEqual({
        code: 0,
        signal: null,
        stdout: "ok\n",
        stderr: "",
      });
  });
});
