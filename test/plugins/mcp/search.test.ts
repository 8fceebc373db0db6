import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import subagents from "@scorel/subagents";
import { expect, it } from "vitest";
import { budgetIn } from "../../../plugins/mcp/tools/selection.ts";
import { text, toolCall } from "../../model-server.ts";
import { type TestHome, testHome } from "../host/home.ts";
import { lastText, offered, server, talk } from "./setup.ts";

const find = (args: object) => toolCall("ToolSearch", args);
/** Every tool costs more than one token, so all are deferred. */
const deferring = { toolBudget: 2 };
const toolsOf = ({ body }: any) => body.tools.map((tool: object) => JSON.stringify(tool));

/** Writes the definition of an agent: the text after the first line of its file. */
function writeAgent({ home }: TestHome, name: string, definition: string): void {
  const folder = join(home, ".scorel/agents");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), `---\n${definition}`);
}

it("too many tools are replaced by ToolSearch, and found ones are added at the end and can be called", async () => {
  const script = [
    find({ query: "show a folder" }),
    find({ names: ["mcp__test__echo"] }),
    toolCall("mcp__test__echo", { text: "hi" }),
    text("Done."),
    text("Hello."),
  ];
  await using t = await talk(script, { config: deferring, servers: [server("test", ["--only=echo,folder,lists"])] });
  const requests = [...(await t.say("Go.")), ...(await t.say("Go on."))];
  const all = ["ToolSearch", "mcp__test__folder", "mcp__test__echo"];
  expect(requests.map(offered)).toEqual([all.slice(0, 1), all.slice(0, 2), all, all, all]);
  expect(lastText(requests[1] as never)).toBe("You can call these now:\nmcp__test__folder: Does folder.");
  expect(lastText(requests[3] as never)).toBe("hi");
  const tools = requests.map(toolsOf);
  for (const [at, earlier] of tools.slice(0, -1).entries())
    expect(tools[at + 1]?.slice(0, earlier.length)).toEqual(earlier);
});

it("found tools are offered in the same bytes when the session is opened again", async () => {
  const script = [find({ names: ["lists", "echo"] }), text("Done."), text("Hello.")];
  await using t = await talk(script, { config: deferring });
  const [, before] = await t.say("Go.");
  expect(offered(before as never)).toEqual(["ToolSearch", "mcp__test__lists", "mcp__test__echo"]);
  const { sessionId } = t;
  await t.client.request("close_session", { sessionId });
  await t.client.request("load_session", { sessionId });
  const [after] = await t.say("Go on.");
  expect(JSON.stringify(after?.body.tools)).toBe(JSON.stringify(before?.body.tools));
});

it("all tools are offered within the budget, and with a budget of 0", async () => {
  for (const toolBudget of [100_000, 0]) {
    await using t = await talk([text("Hello.")], {
      config: { toolBudget },
      servers: [server("test", ["--only=echo"])],
    });
    expect((await t.say("Go.")).map(offered)).toEqual([["mcp__test__echo"]]);
  }
});

it("names that do not exist, words that match nothing, and servers that have not started are reported", async () => {
  const script = [find({ names: ["mcp__test__none"], query: "zebra" }), text("Done.")];
  const servers = [server("test", ["--only=echo"]), server("slow", ["--silent"])];
  await using t = await talk(script, { config: { ...deferring, wait: 0.5 }, attending: true, servers });
  expect(lastText((await t.say("Go."))[1] as never)).toBe(
    "No tool was found. Try other words.\nThere is no tool named mcp__test__none.\nNot searched, since they are still starting: slow.",
  );
});

it("tools that the configuration forbids are not found", async () => {
  const script = [find({ query: "echo" }), text("Done.")];
  await using t = await talk(script, { config: deferring, tools: { without: ["mcp__test__echo"] } });
  expect(lastText((await t.say("Go."))[1] as never)).toContain("No tool was found");
});

it("where the configuration forbids ToolSearch, all tools are offered", async () => {
  const tools = { without: ["ToolSearch"] };
  const servers = [server("test", ["--only=echo,folder"])];
  await using t = await talk([text("Hello."), text("Hello.")], { config: deferring, tools, servers });
  const names = ["mcp__test__echo", "mcp__test__folder"];
  expect([...(await t.say("Go.")), ...(await t.say("Go on."))].map(offered)).toEqual([names, names]);
});

it("a search by words prefers names, splits them at capitals, and adds eight at most", async () => {
  using home = testHome();
  const list = join(home.home, "tools.json");
  const described = (name: string, description = "Other.") => ({ name, description });
  const many = Array.from({ length: 20 }, (_, at) => described(`row${at}`, "Reads a row."));
  const tools = [...many, described("other", "Mentions issues."), described("searchIssues_v2"), described("issue")];
  writeFileSync(list, JSON.stringify(tools));
  const script = [find({ query: "ISSUES search" }), find({ query: "row" }), text("Done.")];
  const servers = [server("test", [], { env: { LIST: list } })];
  await using t = await talk(script, { home, config: deferring, servers });
  const requests = await t.say("Go.");
  expect(offered(requests[1] as never).slice(1)).toEqual(["mcp__test__searchIssues_v2", "mcp__test__other"]);
  expect(offered(requests[2] as never)).toHaveLength(3 + 8);
});

it("a budget up to 1 is a share of the window, and without a known window there is none", () => {
  expect(budgetIn(200_000, 0.1)).toBe(20_000);
  expect(budgetIn(200_000, 5_000)).toBe(5_000);
  expect(budgetIn(0, 0.1)).toBeUndefined();
  expect(budgetIn(200_000, 0)).toBeUndefined();
});

it("an agent that may not use a tool works in a session with ToolSearch", async () => {
  using home = testHome();
  writeAgent(home, "careful", "description: Works alone\ndisallowedTools: Task\n---\nWork.\n");
  const task = toolCall("Task", { description: "One", prompt: "One", agent: "careful" });
  const more = [subagents];
  await using t = await talk([task, text("Report."), text("Done.")], { home, config: deferring, more });
  const requests = await t.say("Go.");
  expect(requests.map(offered)).toEqual([["Task", "ToolSearch"], ["ToolSearch"], ["Task", "ToolSearch"]]);
  expect(lastText(requests[2] as never)).toBe("Report.");
});

it("a subagent finds the tools that its parent could find, except those that are forbidden", async () => {
  const task = toolCall("Task", { description: "One", prompt: "One" });
  const names = ["mcp__test__echo", "mcp__test__folder"];
  const script = [task, find({ names }), toolCall("mcp__test__echo", { text: "hi" }), text("Report."), text("Done.")];
  const tools = { without: ["mcp__test__folder"] };
  await using t = await talk(script, { config: deferring, tools, more: [subagents] });
  const requests = await t.say("Go.");
  const [, , second, third] = requests;
  expect(offered(second as never)).toEqual(["Task", "ToolSearch", "mcp__test__echo"]);
  expect(lastText(second as never)).toBe("You can call these now:\nmcp__test__echo: Does echo.");
  expect(lastText(third as never)).toBe("hi");
});

it("an agent whose definition names a tool that has to be found has it", async () => {
  using home = testHome();
  writeAgent(home, "echoing", "description: Echoes\ntools: mcp__test__echo\n---\nEcho.\n");
  const task = toolCall("Task", { description: "One", prompt: "One", agent: "echoing" });
  const script = [task, toolCall("mcp__test__echo", { text: "hi" }), text("Report."), text("Done.")];
  await using t = await talk(script, { home, config: deferring, more: [subagents] });
  const requests = await t.say("Go.");
  expect(offered(requests[1] as never)).toEqual(["mcp__test__echo"]);
  expect(lastText(requests[2] as never)).toBe("hi");
});
