import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandsInGuide, playEditors } from "../docs/editors-stage.ts";
import { playExtensions } from "../docs/extension-stage.ts";
import { comparable } from "../docs/guide.ts";
import { playGuide, talkAsGuide } from "../docs/guide-stage.ts";
import { playMcpServer } from "../docs/mcp-server-stage.ts";
import { playMcp } from "../docs/mcp-stage.ts";
import { playPresets } from "../docs/presets-stage.ts";
import { read } from "../docs/source.ts";
import { playSubagents } from "../docs/subagents-stage.ts";
import { playTimeTravel } from "../docs/time-travel-stage.ts";
import { playTrust } from "../docs/trust-stage.ts";
import { playWorktrees } from "../docs/worktrees-stage.ts";
import { itWith } from "../optional.ts";
import { editor } from "./acp-editor.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

const guide = read("docs/guide/first-session.md");

it("the outputs in the guide are those of its commands", async () => {
  expect(comparable(await playGuide())).toBe(comparable(guide));
});

it("the conversation in the guide is a real one", async () => {
  const shown = /```text\n(New session [\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const lines = shown.trimEnd().split("\n");
  const typed = lines.filter((line) => line.startsWith("> ")).map((line) => line.slice("> ".length));
  // The usage of a turn is printed only at a terminal.
  const isPiped = (line: string) => !line.startsWith("> ") && !/^\[.* tokens in,/.test(line);
  const answered = lines.slice(1, -1).filter(isPiped);
  expect(comparable(await talkAsGuide(typed))).toBe(comparable(`${answered.join("\n")}\n`));
});

it("the outputs in the guide to time travel are those of its commands", async () => {
  expect(comparable(await playTimeTravel())).toBe(comparable(read("docs/guide/time-travel.md")));
});

it("the outputs in the guide to trust are those of its commands", async () => {
  expect(comparable(await playTrust())).toBe(comparable(read("docs/guide/trust.md")));
});

it("the outputs in the guide on MCP servers are those of its commands", async () => {
  expect(comparable(await playMcp())).toBe(comparable(read("docs/guide/mcp.md")));
});

it("the output in the guide on Scorel as an MCP server is that of its command", () => {
  expect(comparable(playMcpServer())).toBe(comparable(read("docs/guide/mcp-server.md")));
});

it("the outputs in the guide to presets are those of its commands", async () => {
  expect(comparable(await playPresets())).toBe(comparable(read("docs/guide/presets.md")));
});

it("the output in the guide to editors is that of its command, and its settings start an agent", async () => {
  expect(comparable(await playEditors())).toBe(comparable(read("docs/guide/editors.md")));
  const commands = commandsInGuide();
  expect(commands).toEqual(Array.from({ length: 4 }, () => ["scorel", "acp"]));
  using s = scratch();
  s.useModel("http://127.0.0.1:9/v1");
  await using e = await editor(s, { args: ["--permission", "edits"] });
  const { modes } = await e.agent.request("session/new", { cwd: s.project, mcpServers: [] });
  expect([e.introduced.agentInfo?.name, modes?.currentModeId]).toEqual(["scorel", "edits"]);
});

it("the outputs in the guide to subagents are those of its commands", async () => {
  expect(comparable(await playSubagents())).toBe(comparable(read("docs/guide/subagents.md")));
});

it("the outputs in the guide to worktrees are those of its commands", async () => {
  expect(comparable(await playWorktrees())).toBe(comparable(read("docs/guide/worktrees.md")));
});

it("the outputs in the guide to extensions are those of its steps", async () => {
  expect(comparable(await playExtensions())).toBe(comparable(read("docs/guide/write-an-extension.md")));
});

itWith("script", "the question in the guide to extensions is shown as in a terminal", async () => {
  const extensions = read("docs/guide/write-an-extension.md");
  const shown = /```text\n> (\/clean\n[\s\S]*?)```/.exec(extensions)?.[1] ?? "";
  using s = scratch();
  s.file(
    "~/.scorel/extensions/clean-up.ts",
    /```ts\n([^`]*id: "clean-up"(?:(?!```)[\s\S])*)```/.exec(extensions)?.[1] ?? "",
  );
  s.useModel("http://127.0.0.1:9/v1");
  s.file("coverage/report.txt", "");
  await using t = terminal(s);
  await t.shows("> ");
  for (const line of shown.trimEnd().replaceAll("/home/you/shop", s.project).split("\n")) {
    const [, prompt = "", typed] = /^(\[.*\] |(?=\/clean))(.*)$/.exec(line) ?? [];
    await t.shows(typed === undefined ? line : prompt);
    if (typed !== undefined) t.type(`${typed}\r`);
  }
  expect(existsSync(join(s.project, "coverage"))).toBe(false);
  t.type("/exit\r");
  expect(await t.code).toBe(0);
});
