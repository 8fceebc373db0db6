import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
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

/** A trusted preset of a team, outside of the project. */
async function team(s: Scratch, ...more: string[]): Promise<string> {
  const file = s.file("../team/preset.toml", ['extends = "coding"', ...more, ""].join("\n"));
  s.file("../team/extensions/no-push.ts", guard);
  s.file("../team/instructions/tests.md", "Every change comes with a test.");
  s.file(
    "../team/skills/release/SKILL.md",
    "---\nname: release\ndescription: How we release on Fridays.\n---\nSlowly.\n",
  );
  expect(await s.run(["trust", "add", file, "--yes"])).toMatchObject({ code: 0 });
  return file;
}

const ask = ["--preset", "../team", "-p", "push it"];

describe("a preset that is a folder", () => {
  it("adds its guard, its instructions and its skills to a turn", async () => {
    using s = scratch();
    await using server = await startModelServer([toolCall("Bash", { command: "git push" }), text("I may not.")]);
    s.useModel(server.baseUrl);
    await team(s);
    expect(await s.run(ask)).toMatchObject({ code: 0, stdout: "I may not.\n" });
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("Every change comes with a test.");
    expect(first).toContain("How we release on Fridays.");
    expect(second).toContain("Pushing is left to people.");
  });

  it("is used unchanged for the whole run, and refused in the next run if it has changed", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    await team(s);
    s.file("../team/instructions/tests.md", "Tests are for others.");
    expect(await s.run(ask)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has changed since you trusted it"),
    });
    expect(server.requests).toEqual([]);
  });

  it("keeps a project from changing locked settings: no request is sent, and both lines are named", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const file = await team(s, 'locked = ["permissions.mode", "no-push"]', "[permissions]", 'mode = "ask"');
    const config = s.file(".scorel/config.toml", 'without = ["no-push"]\n[permissions]\nmode = "full"\n');
    expect(await s.run([...ask, "--trust"])).toMatchObject({
      code: 2,
      stderr: [
        `scorel: permissions.mode is locked (${file}:2), so a project cannot set it (${config}:3)`,
        `scorel: "no-push" is locked (${file}:2), so a project cannot leave it out (${config}:1)`,
        "",
      ].join("\n"),
    });
    expect(server.requests).toEqual([]);
    expect(await s.run(ask, { guarded: true })).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it("starts no session without what it requires or without a locked guard; reading sessions still works", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const file = await team(s, "requires.programs = ['no-such-program']");
    expect(await s.run(ask)).toMatchObject({
      code: 2,
      stderr: `scorel: ${file} requires the program no-such-program, which is not on the PATH. Install it (${file}:2)\n`,
    });
    expect(await s.run(["--preset", "../team", "preset", "show", "../team"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`program no-such-program  ${file}:2  not met`),
    });
    s.file("../team/preset.toml", 'extends = "coding"\nlocked = ["no-push"]\n');
    const broken = s.file("../team/extensions/no-push.ts", `throw new Error("not today");`);
    expect(await s.run([...ask, "--trust"])).toMatchObject({
      code: 2,
      stderr: `scorel: "no-push" is required (${file}:2), and without it no session begins: Extension "no-push" is left out: not today (${broken}:1)\n`,
    });
    expect(server.requests).toEqual([]);
  });

  it("can be checked without running it: exit 2, and each mistake with its line", async () => {
    using s = scratch();
    const file = s.file("../team/preset.toml", 'extends = ["coding", "codign"]\ncolour = 1\n');
    const code = s.file("../team/extensions/loud.ts", `console.log("loud");\n${guard}`);
    expect(await s.run(["preset", "check", "../team"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: [
        `scorel: There is no preset "codign" (${file}:1). Did you mean "coding"? \`scorel preset list\` lists them all.`,
        `scorel: Unsupported config key: colour (${file}:2)`,
        `scorel: "loud": its id is "no-push", but the file or folder is named "loud"; they have to be equal (${code})`,
        "",
      ].join("\n"),
    });
  });
});

it("of the user can be chosen by a project by name, and its locks apply", async () => {
  using s = scratch();
  await using server = await startModelServer(() => text("ok"));
  s.useModel(server.baseUrl);
  const file = s.file("~/.scorel/presets/team.toml", 'locked = ["prompt"]\n[prompt]\nuser = "Be kind."\n');
  s.file(".scorel/config.toml", 'extends = "team"\n');
  expect(await s.run(["-p", "hi", "--trust"])).toMatchObject({ code: 0 });
  expect(JSON.stringify(server.requests[0]?.body)).toContain("Be kind.");
  const config = s.file(".scorel/config.toml", 'extends = "team"\n[prompt]\nuser = "Be rude."\n');
  expect(await s.run(["-p", "hi", "--trust"])).toMatchObject({
    code: 2,
    stderr: `scorel: prompt.user is locked (${file}:1), so a project cannot set it (${config}:3)\n`,
  });
});
