import { describe, expect, it } from "vitest";
import { config } from "../../../plugins/permissions/config.ts";
import { OWN_TOOLS } from "../../../plugins/permissions/own-tools.ts";
import { doubtAbout, examineRule, warnAbout } from "../../../plugins/permissions/rules/rule-doubts.ts";
import { place } from "../../presets/place.ts";
import { desk } from "../../presets/session-desk.ts";
import { post } from "./setup.ts";

const word = (outcome: string) => outcome.split(":")[0];

describe("a rule in the syntax of Claude Code", () => {
  it("denies a command with and without arguments", async () => {
    await using t = await post({ mode: "full", deny: ["Bash(rm:*)", "bash(git push :*)"] });
    const outcomes: Record<string, unknown> = {};
    for (const command of [
      "rm",
      "rm -rf out.txt",
      "/bin/rm x",
      "ls; rm x",
      "git push",
      "git push -f",
      "rmdir x",
      "git pull",
    ])
      outcomes[command] = word(await t.bash(command));
    expect(outcomes).toEqual({
      rm: "Denied",
      "rm -rf out.txt": "Denied",
      "/bin/rm x": "Denied",
      "ls; rm x": "Denied",
      "git push": "Denied",
      "git push -f": "Denied",
      "rmdir x": "runs",
      "git pull": "runs",
    });
  });

  it("allows what the same rule with a blank allows, and its literal meaning", async () => {
    await using t = await post({ mode: "ask", allow: ["Bash(npm run test:*)", "Bash(sort:*)"] });
    const outcomes: Record<string, unknown> = {};
    for (const command of [
      "npm run test",
      "npm run test -- a",
      "npm run test:unit",
      "npm run tests",
      "sort -u a",
      "sort -o b a",
    ])
      outcomes[command] = word(await t.bash(command));
    expect(outcomes).toEqual({
      "npm run test": "runs",
      "npm run test -- a": "runs",
      "npm run test:unit": "runs",
      "npm run tests": "Denied",
      "sort -u a": "runs",
      "sort -o b a": "Denied",
    });
  });
});

it.each([
  ['git commit -m "a b"', "git commit -m 'a b'"],
  ['git commit -m "*"', "git commit -m 'a b'"],
  ["find * -exec rm {} \\;", "find . -exec rm {} \\;"],
  ["make all >log.txt", "make all >log.txt"],
  ["make all 2>&1", "make all 2>&1"],
  ["make all > /dev/null", "make all >/dev/null"],
])("a rule holds however its words are quoted: %s", async (pattern, command) => {
  await using denying = await post({ mode: "full", deny: [`Bash(${pattern})`] });
  await using allowing = await post({ allow: [`Bash(${pattern})`] });
  expect([word(await denying.bash(command)), await allowing.bash(command)]).toEqual(["Denied", "runs"]);
});

describe("a rule that can match nothing", () => {
  it.each([
    [
      "Bash(:*)",
      '":*" needs the beginning of a command before it, as in "Bash(rm:*)"; for every command, write "Bash"',
    ],
    ["Bash(git:* push)", '":*" may only be at the end, as in "Bash(git push:*)"'],
    ["Bash(cd sub && rm *)", 'each command that a line joins by "&&" needs its own rule'],
    ["Bash(curl * | sh)", 'each command that a line joins by "|" needs its own rule'],
    ["Bash(rm  -rf *)", "commands are compared with one blank between their words"],
    ["Bash(", 'it must name a tool, and may have a pattern in parentheses, as in "Bash(git status*)"'],
  ])("is refused: %s", (rule, fault) => {
    const { error } = config.safeParse({ deny: ["Bash(ls *)", rule] });
    expect(error?.issues).toMatchObject([
      { path: ["deny", 1], message: `the rule ${JSON.stringify(rule)} can match nothing: ${fault}` },
    ]);
  });

  it.each([
    "Bash(grep 'a|b;  c' *)",
    'Bash(echo "a && b")',
    "Bash(echo $(git log | head -1; ls))",
    "Bash(npm test > log.txt)",
    "Bash(npm test >| log.txt)",
    "Bash(git commit -m 'Don'\\''t; stop')",
    "Bash(git commit -m '*; *)",
    "Edit(a  b/**)",
    "Bash",
  ])("is not taken for one that can: %s", (rule) => {
    expect(config.safeParse({ deny: [rule] }).error?.issues).toBe(undefined);
  });
});

describe("a rule that names an MCP server", () => {
  const tool = (name: string) => ({
    name,
    description: "A tool of a server.",
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [], details: undefined }),
  });
  const outcomes = async (config: object) => {
    const names = ["mcp__tracker__drop", "mcp__tracker-two__drop", "mcp__trackers__drop"];
    await using t = await post(config, {}, names.map(tool) as never);
    return await Promise.all(names.map(async (name) => word(await t.judge(name, {}))));
  };

  it.each(["mcp__tracker", "mcp__tracker__*", "mcp__tracker(*)"])("is about all of its tools: %s", async (rule) => {
    expect(await outcomes({ mode: "full", deny: [rule] })).toEqual(["Denied", "runs", "runs"]);
    expect(await outcomes({ mode: "ask", allow: [rule] })).toEqual(["runs", "Denied", "Denied"]);
  });
});

describe("a rule that matches no tool", () => {
  const noTool = (rule: string, tool: string, meant = "") =>
    `The rule "${rule}" matches no call: there is no tool "${tool}".${meant}`;
  const bash = ' Did you mean "Bash"?';

  it.each([
    ["deny", "Bsh(git *)", noTool("Bsh(git *)", "Bsh", bash)],
    ["ask", "Bsh(git *)", noTool("Bsh(git *)", "Bsh", bash)],
    ["allow", "bash(touch*)", noTool("bash(touch*)", "bash", bash)],
    ["allow", "BASH", noTool("BASH", "BASH", bash)],
    ["allow", "write(a.txt)", noTool("write(a.txt)", "write", ' Did you mean "Write"?')],
    ["deny", "WebFetch(domain:x)", noTool("WebFetch(domain:x)", "WebFetch")],
    ["allow", "weather__b", noTool("weather__b", "weather__b")],
    ["allow", "mcp__a__b", undefined],
    [
      "deny",
      "Read(*.{pem,key})",
      'The rule "Read(*.{pem,key})" is about files with braces in their names: write a rule for each name.',
    ],
    [
      "deny",
      "Edit(/no-such-folder/**)",
      'The rule "Edit(/no-such-folder/**)" is about /no-such-folder of this computer, which does not exist: for files of the project, write "Edit(no-such-folder/**)".',
    ],
    ["deny", "Edit(/etc/**)", undefined],
    ["deny", "Read(//tmp/**)", undefined],
    ["deny", "Read(/*/.env)", undefined],
    // These lists ignore case, so the rule works.
    ["deny", "bash(rm *)", undefined],
    ["ask", "bash(rm *)", undefined],
    ["allow", "skill_*", undefined],
    ["allow", "Edit(src/{id}.ts)", undefined],
  ] as const)("is doubted in %s: %s", (list, rule, doubt) => {
    expect(doubtAbout(rule, list, OWN_TOOLS)).toBe(doubt);
  });

  it.each([
    ["allow", "bash(touch*)", noTool("bash(touch*)", "bash", bash)],
    ["deny", "Bsh", noTool("Bsh", "Bsh", bash)],
    ["deny", "bash", undefined],
    ["deny", "WebFetch(domain:x)", undefined],
    ["deny", "Task", undefined],
    ["allow", "mcp__a__b", undefined],
  ] as const)("is doubted by a check of %s, with and without extensions: %s", (list, rule, doubt) => {
    const found = [true, false].map((hasExtensions) => examineRule(rule, list, { hasExtensions })?.text);
    expect(found).toEqual([doubt, doubt]);
  });

  it("about an unknown tool is doubted by a check, but only noted if an extension may have the tool", () => {
    const severities = (["deny", "ask", "allow"] as const).map((list) =>
      [false, true].map((hasExtensions) => examineRule("Shell(rm *)", list, { hasExtensions })?.severity),
    );
    expect(severities).toEqual([
      ["warning", "note"],
      ["warning", "note"],
      ["warning", undefined],
    ]);
  });

  it("is not doubted if it is about a tool of the largest preset", async () => {
    using at = place();
    await using d = await desk(at, { preset: "all" });
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, model: "offline/demo" });
    const tools = (await d.inside(sessionId)).kernel.find("tools")?.list() ?? [];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Bash", "Task", "WebFetch"]));
    const doubts = tools.flatMap(({ name }) => examineRule(name, "allow", { hasExtensions: false }) ?? []);
    expect(doubts).toEqual([]);
  });

  it("is reported in a warning of the session, which knows the tools of extensions", async () => {
    const mine = {
      name: "Mine",
      description: "mine",
      parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [] }),
    };
    await using t = await post({}, {}, [mine]);
    const told: unknown[] = [];
    const ctx = { find: (name: "tools") => t.kernel.find(name), report: (...args: unknown[]) => told.push(args) };
    warnAbout({ deny: ["bash(rm)"], ask: ["Mien(x)"], allow: ["Mine(x)", "Bash(ls)", "bash(ls)"] }, ctx as never);
    expect(told).toEqual([
      [
        "",
        expect.objectContaining({
          code: "PERMISSIONS_NO_EFFECT",
          message: expect.stringMatching(/^.*"Mien".*"Mine"\?\n.*"bash".*"Bash"\?$/),
        }),
      ],
    ]);
  });
});
