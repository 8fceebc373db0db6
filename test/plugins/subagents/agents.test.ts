import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import skills from "@scorel/skills";
import { expect, it } from "vitest";
import { readAgents } from "../../../plugins/subagents/agents/read.ts";
import { type RecordedRequest, text, toolCall } from "../../model-server.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { says, tool } from "../agent/setup.ts";
import { childrenOf, resultsIn, type Script, task, toolsIn, wordsOf, working } from "./working.ts";

const file = (keys: string, prompt = "You are careful.") => `---\n${keys}\n---\n${prompt}\n`;
const reader = tool("Read", async () => says("read"), { access: () => "read" });
const readers = definePlugin({ id: "readers", name: "Readers", version: "1.0.0", tools: () => [reader] });

/** A session whose model gives one task to an agent; by default, the agent reports at once. */
const giving = (
  agent: string,
  files: Record<string, string>,
  more: Parameters<typeof working>[1] = {},
  script?: Script,
) =>
  working(
    { "Go.": [task("One", "One", agent), text("Done.")], One: [text("Report.")], ...script },
    { plugins: [prompt, readers], files, ...more },
  );

type Working = Awaited<ReturnType<typeof working>>;
const requestOf = ({ server }: Working, prompt: string) =>
  server.requests.find((request) => wordsOf(request).first === prompt) as RecordedRequest;
const taskIn = ({ body }: RecordedRequest) =>
  body.tools.find((each: any) => each.function.name === "Task").function.description as string;
const failuresIn = ({ heard }: Working): any[] => heard.filter(({ type }) => type === "plugin_failure");
const onlyResult = async (t: Working) => (await resultsIn(t.client, t.sessionId))[0];

it("shipped agents are described to the model; explore only reads", async () => {
  await using t = await giving("explore", {});
  await t.outcome();
  expect(taskIn(requestOf(t, "Go."))).toMatch(/\n- explore: .*\n- review: .*\n- plan: /);
  expect(toolsIn(requestOf(t, "One"))).toEqual(["Read"]);
  expect(requestOf(t, "One").text).toContain("You search a project");
  expect((await onlyResult(t)).details).toEqual({ sessionId: expect.any(String), agent: "explore" });
});

it("a definition of the user replaces a shipped one, and ~/.scorel comes before ~/.claude", async () => {
  await using t = await giving("explore", {
    ".claude/agents/explore.md": file("name: explore\ndescription: theirs"),
    ".scorel/agents/deep/any.md": file("name: explore\ndescription: Mine: my own", "You are mine."),
  });
  await t.outcome();
  expect(taskIn(requestOf(t, "Go."))).toContain("\n- explore: Mine: my own\n");
  expect(requestOf(t, "One").text).toContain("You are mine.");
  expect(t.notices).toEqual([]);
});

it.each([
  ["names a wider mode", "permissionMode: bypassPermissions", "ask", true],
  ["names no mode", "model: inherit", "full", false],
  ["names a narrower mode", "permission: ask", "full", true],
  ["names a narrower mode as others do", "permission-mode: plan", "full", true],
] as const)("an agent that %s works in the narrower one", async (_, keys, permission, isError) => {
  const files = { ".claude/agents/doer.md": file(`description: Does it\n${keys}`) };
  const script = { One: [toolCall("Touch", {}), text("Report.")] };
  await using t = await giving("doer", files, { permission }, script);
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  expect(await resultsIn(t.client, child?.sessionId as string)).toMatchObject([{ isError }]);
});

it.each([
  ["tools: Touch", {}, ["Touch"]],
  ["tools: [Read, Touch]", { tools: ["Read", "Task"] }, ["Read"]],
  ["disallowedTools: Task, Touch", {}, ["Read"]],
  ["allowed-tools: Read, Task\ndisallowed-tools: Task", {}, ["Read"]],
  ["tools: []", {}, []],
  ['tools: "*"', { tools: ["Read", "Task"] }, ["Read", "Task"]],
])("with %s, it has of its session's tools only those", async (keys, opened, left) => {
  await using t = await giving("some", { ".scorel/agents/some.md": file(`description: Some\n${keys}`) }, { opened });
  await t.outcome();
  const request = requestOf(t, "One");
  expect(request.body.tools === undefined ? [] : toolsIn(request)).toEqual(left);
});

it("people are told once of unknown tools; an agent without any of its tools does not start", async () => {
  const go = [[task("One", "One", "odd"), task("Two", "Two", "odd"), task("Three", "Three", "none")], text("Done.")];
  await using t = await giving(
    "odd",
    {
      ".scorel/agents/odd.md": file("description: Odd\ntools: Read, Raed"),
      ".scorel/agents/none.md": file("description: None\ntools: WebSearch"),
    },
    {},
    { "Go.": go, Two: [text("Report.")] },
  );
  await t.outcome();
  const told = failuresIn(t).map(({ code, message }) => `${code} ${message}`);
  expect(told).toEqual([
    expect.stringMatching(/^SUBAGENT_TOOLS The agent "odd" .*: Raed\. It works without them\./),
    expect.stringMatching(/^SUBAGENT_TOOLS The agent "none"/),
  ]);
  const results = await resultsIn(t.client, t.sessionId);
  expect(results.find(({ isError }) => isError)?.content[0].text).toContain("none of the tools of the agent");
  expect(await childrenOf(t.client, t.sessionId)).toHaveLength(2);
});

it("a model is chosen as --model takes it, and one that is not known is an error of the task", async () => {
  const files = {
    ".scorel/agents/a.md": file("description: A\nmodel: local/other-model"),
    ".scorel/agents/b.md": file("description: B\nmodel: nonsense"),
    ".scorel/agents/c.md": file("description: C\nmodel: haiku"),
  };
  const go = [[task("One", "One", "a"), task("Two", "Two", "b"), task("Three", "Three", "c")], text("Done.")];
  await using t = await giving("a", files, {}, { "Go.": go, Three: [text("Report.")] });
  await t.outcome();
  const parents = requestOf(t, "Go.").body.model;
  expect([requestOf(t, "One").body.model, requestOf(t, "Three").body.model]).toEqual(["other-model", parents]);
  const results = await resultsIn(t.client, t.sessionId);
  expect(results.filter(({ isError }) => isError).map(({ content }) => content[0].text)).toEqual([
    expect.stringContaining("nonsense"),
  ]);
});

it("an unknown agent and missing skills are errors that say so", async () => {
  const files = { ".scorel/agents/skilled.md": file("description: Skilled\nskills: release") };
  const go = [[task("One", "One", "explor"), task("Two", "Two", "skilled")], text("Done.")];
  await using t = await giving("x", files, {}, { "Go.": go });
  await t.outcome();
  const said = (await resultsIn(t.client, t.sessionId)).map(({ isError, content }) => [isError, content[0].text]);
  expect(said.sort()).toEqual([
    [true, expect.stringContaining('The agent "skilled" needs skills that this session does not have: release.')],
    [
      true,
      expect.stringContaining('There is no agent "explor". Did you mean "explore"? Available agents: skilled, explore'),
    ],
  ]);
  expect(await childrenOf(t.client, t.sessionId)).toEqual([]);
});

it("the skills of a definition are loaded with the first message, and none that the model's text names", async () => {
  const skill = (name: string) => file(`name: ${name}\ndescription: All of ${name}`, `The text of ${name}.`);
  const files = {
    ".scorel/agents/skilled.md": file("description: Skilled\nskills: release"),
    ".scorel/skills/release/SKILL.md": skill("release"),
    ".scorel/skills/other/SKILL.md": skill("other"),
  };
  const go = [task("One", "Do it like $other.", "skilled"), text("Done.")];
  await using t = await giving("x", files, { plugins: [prompt, readers, skills] }, { "Go.": go });
  await t.outcome();
  const child = t.server.requests.find(({ text }) => text.includes("Do it like $other.") && text.includes("$release"));
  expect(child?.text).toContain("The text of release.");
  expect(child?.text).not.toContain("The text of other.");
});

it.each([
  ["no description", "You are careful.", 'it has no "description"'],
  ["no prompt", file("description: X", ""), "it has no text below its front matter"],
  ["a rule for a tool", file("description: X\ntools: Read, Bash(git:*)"), '"Bash(git:*)" is not one'],
  ["an empty list", file("description: X\ntools:"), '"tools" lists names of tools'],
  ["YAML that is not closed", file("description: X\ntools: [Read, Grep"), '"tools" lists names of tools'],
  ["an unknown mode", file("description: X\npermission: auto"), 'its permission mode "auto" is not one of plan, ask'],
  ["a key twice", file("description: X\npermission: ask\npermissionMode: plan"), 'it sets "permission" twice'],
  ["a strange name", file("name: a/../b\ndescription: X"), 'its name "a/../b" is not one word'],
  ["no end", "---\ndescription: X\n", "its front matter is not closed"],
  ["too many bytes", file("description: X", "x".repeat(70_000)), "it is larger than 64 KiB"],
])("a definition with %s is left out, and people are told", async (_, content, reason) => {
  await using t = await giving("broken", { ".claude/agents/broken.md": content });
  await t.outcome();
  expect(t.notices).toMatchObject([{ code: "SUBAGENT_DEFINITION", message: expect.stringContaining(reason) }]);
  expect(t.notices[0]?.message).toContain(".claude/agents/broken.md is not used");
  expect((await onlyResult(t)).content[0].text).toContain('There is no agent "broken".');
});

it("the text of a definition reaches the model and terminals without control sequences", async () => {
  const files = { ".scorel/agents/loud.md": file("description: Loud \u001b[2Jone", "Be \u001b[31mloud.") };
  await using t = await giving("loud", files);
  await t.outcome();
  expect(taskIn(requestOf(t, "Go."))).toContain("- loud: Loud one\n");
  expect(requestOf(t, "One").text).toContain("Be loud.");
});

it("finds definitions in linked folders, each once, also where links lead around in circles", async () => {
  const home = temporaryFolder("agents-");
  const path = join(home, "agents");
  mkdirSync(join(path, "team"), { recursive: true });
  mkdirSync(join(home, "elsewhere"));
  writeFileSync(join(path, "team", "one.md"), file("name: one\ndescription: One."));
  writeFileSync(join(home, "elsewhere", "two.md"), file("name: two\ndescription: Two."));
  for (let link = 0; link < 20; link++) symlinkSync("..", join(path, "team", `up${link}`));
  symlinkSync("team", join(path, "also-team"));
  symlinkSync(join(home, "elsewhere"), join(path, "mine"));
  symlinkSync("gone", join(path, "lost"));
  const { agents, flaws } = await readAgents([{ source: "user", shown: "~/agents", path }]);
  expect(agents.map(({ name, file }) => [name, file])).toEqual([
    ["two", join("~/agents", "mine", "two.md")],
    ["one", join("~/agents", "team", "one.md")],
  ]);
  expect(flaws).toEqual([]);
});
