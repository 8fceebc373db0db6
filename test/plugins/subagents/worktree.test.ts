import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import coding from "@scorel/coding";
import local from "@scorel/local";
import { expect, it } from "vitest";
import { hang, text, toolCall } from "../../model-server.ts";
import { childrenOf, resultsIn, working } from "./working.ts";

const isolated = (prompt: string, more = {}) =>
  toolCall("Task", { description: prompt, prompt, isolation: "worktree", ...more });
const write = (file_path: string) => toolCall("Write", { file_path, content: "two\n" });
const options = { plugins: [local, coding], committed: "a.txt" };

const treesIn = (cwd: string) => readdirSync(join(cwd, ".scorel-worktrees")).filter((name) => name !== ".gitignore");
const saidIn = (result: any): string => result.content.map((block: any) => block.text).join("\n");

it("a subagent works in a worktree of its own, and hands its changes back as a branch", async () => {
  await using t = await working(
    { "Go.": [isolated("Write it"), text("Done.")], "Write it": [write("b.txt"), text("I wrote it.")] },
    options,
  );
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  expect(child?.cwd).toMatch(/\/work\/\.scorel-worktrees\/[a-z\d]{8}$/);
  const [result] = await resultsIn(t.client, t.sessionId);
  const { worktree } = result.details;
  expect(worktree).toMatchObject({ state: "branch", branch: expect.stringMatching(/^scorel\//) });
  expect(saidIn(result)).toMatch(/^I wrote it\.\n\[Its changes are on the branch scorel\/[\s\S]* b\.txt \| 1 \+/);
  expect([
    existsSync(join(t.home.cwd, "b.txt")),
    t.git("show", `${worktree.branch}:b.txt`),
    treesIn(t.home.cwd),
  ]).toEqual([false, "two", []]);
  expect(t.git("log", "-1", "--format=%s|%b", worktree.branch)).toContain(
    `Write it|By a subagent, session ${child?.sessionId}`,
  );
});

it("a worktree in which nothing was changed is removed, also one that a definition has asked for", async () => {
  await using t = await working(
    {
      "Go.": [toolCall("Task", { description: "Look", prompt: "Look", agent: "finder" }), text("Done.")],
      Look: [text("Nothing.")],
    },
    { ...options, files: { ".scorel/agents/finder.md": "---\ndescription: Finds\nisolation: worktree\n---\nFind.\n" } },
  );
  await t.outcome();
  const [result] = await resultsIn(t.client, t.sessionId);
  expect(result.details.worktree).toEqual({ state: "unchanged" });
  expect([treesIn(t.home.cwd), t.git("branch", "--format=%(refname:short)")]).toEqual([[], "main"]);
});

it("the changes of a cancelled subagent are on its branch", async () => {
  await using t = await working(
    { "Go.": [isolated("Write it"), text("Done.")], "Write it": [write("b.txt"), [hang()]] },
    options,
  );
  await expect.poll(() => t.server.requests.length).toBe(3);
  await t.client.request("cancel", { sessionId: t.sessionId });
  await t.outcome();
  await expect.poll(() => t.git("branch", "--list", "--format=%(refname:short)", "scorel/*")).toMatch(/^scorel\/\w+$/);
  const branch = t.git("branch", "--list", "--format=%(refname:short)", "scorel/*");
  await expect.poll(() => treesIn(t.home.cwd)).toEqual([]);
  expect(t.git("show", `${branch}:b.txt`)).toBe("two");
});

it("outside of git, the call is an error and no session is opened", async () => {
  await using t = await working({ "Go.": [isolated("Write it"), text("Done.")] }, { plugins: [local, coding] });
  await t.outcome();
  const [result] = await resultsIn(t.client, t.sessionId);
  expect([result.isError, saidIn(result)]).toEqual([true, expect.stringContaining("is not in a git repository")]);
  expect(await childrenOf(t.client, t.sessionId)).toEqual([]);
});

it("rules of the parent hold in a worktree: for its files, for those of the checkout, and its mode is no wider", async () => {
  const read = (file_path: string) => toolCall("Read", { file_path });
  await using t = await working(
    {
      "Go.": [isolated("Try it"), text("Done.")],
      "Try it": [
        write("secret/x.txt"),
        write("../../secret/x.txt"),
        read("../../a.txt"),
        read("a.txt"),
        text("Tried."),
      ],
    },
    { ...options, rules: () => ({ deny: ["Write(secret/**)", "Read(a.txt)"] }) },
  );
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  const results = await resultsIn(t.client, child?.sessionId as string);
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true]);
  for (const result of results) expect(saidIn(result)).toMatch(/denies it|outside/);
});

it("a rule with an absolute path of the checkout holds for the same file of a worktree", async () => {
  await using t = await working(
    { "Go.": [isolated("Try it"), text("Done.")], "Try it": [write("secret/x.txt"), text("Tried.")] },
    { ...options, rules: (cwd) => ({ deny: [`Write(${cwd}/secret/**)`] }) },
  );
  await t.outcome();
  const [child] = await childrenOf(t.client, t.sessionId);
  expect(await resultsIn(t.client, child?.sessionId as string)).toMatchObject([{ isError: true }]);
});
