import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type RecordedRequest, type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { editor } from "./acp-editor.ts";
import { modelTable, scratch } from "./scorel.ts";

const program = fileURLToPath(new URL("../fixtures/mcp-tools.mjs", import.meta.url));
const task = (prompt: string, more = {}) => toolCall("Task", { description: prompt, prompt, ...more });
const offered = ({ body }: RecordedRequest) =>
  ((body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
const asked = ({ body }: RecordedRequest) => JSON.stringify(body.messages);

it("an editor's session uses an MCP server and two subagents, which use it, too, one in a worktree of its own", async () => {
  using s = scratch();
  const git = (...args: string[]) => execFileSync("git", ["-C", s.project, ...args], { encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.com");
  git("commit", "--quiet", "--allow-empty", "--message=Begin");
  const echo = (words: string) => toolCall("mcp__words__echo", { text: words });
  const replies: Record<string, Reply[]> = {
    "First part.": [echo("aa"), text("The first says aa.")],
    "Second part.": [
      echo("aaa"),
      toolCall("Write", { file_path: "second.txt", content: "aaa\n" }),
      text("The second says aaa."),
    ],
    "Do both.": [
      echo("a"),
      [task("First part."), task("Second part.", { isolation: "worktree" })],
      text("Both are done."),
    ],
  };
  await using model = await startModelServer((request) => {
    const names = Object.keys(replies).filter((name) => asked(request).includes(`"${name}"`));
    // The session that starts both tasks has the texts of all three conversations.
    const whose = names.includes("Do both.") ? "Do both." : names[0];
    return replies[whose ?? ""]?.shift() ?? text("nothing left");
  });
  s.file("~/.scorel/config.toml", `use = ["subagents"]\n${modelTable(model.baseUrl)}`);
  await using e = await editor(s);
  const server = { name: "words", command: process.execPath, args: [program, "--only=echo"], env: [] };
  const session = await e.open(s.project, [server]);
  expect(await e.prompt(session, "Do both.")).toEqual({ stopReason: "end_turn" });
  expect(e.said(session)).toBe("Both are done.");
  const last = asked(model.requests.at(-1) as RecordedRequest);
  expect(last).toContain("The first says aa.");
  expect(last).toContain("The second says aaa.");
  expect(model.requests.every((request) => offered(request).includes("mcp__words__echo"))).toBe(true);
  // The editor is asked about one call of the session and one call of each subagent.
  const about = e.asked.map(({ toolCall: { title, rawInput } }) => `${title} ${JSON.stringify(rawInput)}`);
  expect(about.filter((each) => each.includes("echo"))).toHaveLength(3);
  expect(about.filter((each) => each.includes("second.txt"))).toHaveLength(1);
  // The file of the second subagent is only on its branch.
  const [, branch = ""] = /on the branch (scorel\/[a-z\d]+)/.exec(last) ?? [];
  expect([git("show", `${branch}:second.txt`), existsSync(join(s.project, "second.txt"))]).toEqual(["aaa", false]);
  expect((await e.leave()).code).toBe(0);
});
