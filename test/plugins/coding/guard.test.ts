import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf, type Workshop, workshop } from "./workshop.ts";

/** Judges a call by the guard and by the tool itself; returns the refusal. */
async function attempt(w: Workshop, file_path: string): Promise<string> {
  const args = { file_path, content: "x", old_string: "x", new_string: "y" };
  const verdicts = await Promise.all(["Write", "Edit"].map((name) => w.judge(name, args)));
  const result = await w.call("Write", { file_path, content: "x" });
  if (verdicts.every((verdict) => verdict === undefined)) return textOf(result);
  expect(verdicts).toEqual([
    { block: true, reason: textOf(result) },
    { block: true, reason: textOf(result) },
  ]);
  expect(result.isError).toBe(true);
  return textOf(result);
}

describe("files that control the agent or git are not written", () => {
  it.each([
    ".scorel/config.toml",
    ".Scorel/extensions/x.ts",
    ".mcp.json",
    "sub/.MCP.json",
    "sub/.scorel/x",
    ".git/hooks/pre-commit",
    ".GIT/Hooks/pre-commit",
    ".git/config",
    ".git/modules/sub/config",
    ".git/worktrees/w/config.worktree",
    ".git/commondir",
    ".git/worktrees/w/gitdir",
    ".git/rebase-merge/git-rebase-todo",
    ".git/sequencer/todo",
    ".git/info/attributes",
    ".git/HEAD",
    "sub/.git/commondir",
    ".git",
    "~/.scorel/config.toml",
    "./a/../.scorel/x",
    "link/config.toml",
    "gitlink/pre-commit",
    "configlink",
  ])("%s", async (path) => {
    await using w = await workshop();
    mkdirSync(w.path(".scorel"));
    mkdirSync(w.path(".git/hooks"), { recursive: true });
    mkdirSync(w.path(".git/inner"));
    writeFileSync(w.path(".git/config"), "[core]\n");
    symlinkSync(w.path(".scorel"), w.path("link"));
    symlinkSync(".git/hooks", w.path("gitlink"));
    symlinkSync(".git/config", w.path("configlink"));
    // An option opens folders, and never a file beside the project's own files.
    const advice = /^(\.mcp\.json|sub\/\.MCP\.json|\.git)$/.test(path)
      ? / controls the agent or git, so it was not written\. Ask the user to change it\.$/
      : / controls the agent or git, so it was not written\. Ask the user to change it, .* --allow-write \//;
    expect(await attempt(w, path)).toMatch(advice);
    expect(w.text(".git/config")).toBe("[core]\n");
  });

  it("a path that cannot exist is refused for that reason, and the guard has not failed", async () => {
    await using w = await workshop();
    writeFileSync(w.path("a.txt"), "x");
    expect(await attempt(w, "a.txt/b")).toContain("cannot be used: a part of it is a file, not a directory");
  });

  it("nor through a folder that is the target of a control path", async () => {
    await using w = await workshop();
    for (const folder of ["settings", "common-hooks", ".git"]) mkdirSync(w.path(folder));
    symlinkSync("settings", w.path(".scorel"));
    symlinkSync("../common-hooks", w.path(".git/hooks"));
    w.file("sub/data/x");
    symlinkSync("data", w.path("sub/.scorel"));
    expect(await attempt(w, "sub/.scorel/config.toml")).toContain("controls the agent or git");
    expect(await attempt(w, "settings/config.toml")).toContain("controls the agent or git");
    expect(await attempt(w, "common-hooks/pre-commit")).toContain("controls the agent or git");
    expect(await attempt(w, ".scorel/config.toml")).toContain("controls the agent or git");
    expect(existsSync(w.path("settings/config.toml"))).toBe(false);
  });

  it("nor through a link that is git's whole folder", async () => {
    await using w = await workshop();
    for (const folder of ["data", "data/hooks"]) mkdirSync(w.path(folder));
    symlinkSync("data", w.path(".git"));
    for (const path of ["data/commondir", "data/hooks/x", ".git/commondir"])
      expect(await attempt(w, path)).toContain("controls the agent or git");
  });

  it("but git's text files and similar names are", async () => {
    await using w = await workshop();
    for (const path of [
      ".git/info/exclude",
      ".git/COMMIT_EDITMSG",
      ".scorelrc",
      "scorel/x",
      ".gitconfig",
      "hooks/pre-commit",
      "config",
    ])
      expect(await attempt(w, path)).toContain("Created");
  });

  it("works where .git is a file", async () => {
    await using w = await workshop();
    w.file(".git", "gitdir: /elsewhere\n");
    expect(await attempt(w, "a.txt")).toContain("Created");
    expect(await attempt(w, ".git")).toContain("controls the agent or git");
  });

  it("unless the user opened that very folder", async () => {
    await using shut = await workshop();
    await using w = await workshop({ workspace: { allowWrite: [join(shut.home, ".scorel"), shut.dir] } });
    mkdirSync(join(shut.home, ".scorel"));
    expect(await attempt(w, join(shut.home, ".scorel/config.toml"))).toContain("Created");
    expect(await attempt(w, shut.path("a.txt"))).toContain("Created");
    expect(await attempt(w, shut.path(".git/hooks/x"))).toContain("controls the agent or git");
  });
});

describe("outside the project", () => {
  it("nothing is written, and the error says how to allow it", async () => {
    await using w = await workshop();
    symlinkSync(w.home, w.path("out"));
    const file = join(w.home, "a.txt");
    const says = `${file} is outside of the project ${w.dir}, so it was not written. Choose a path inside, or ask the user to start scorel with --allow-write ${w.home}`;
    for (const path of [file, "~/a.txt", "../home/a.txt", "out/a.txt"]) expect(await attempt(w, path)).toBe(says);
    expect(existsSync(file)).toBe(false);
  });

  it("a dangling link leads nowhere", async () => {
    await using w = await workshop();
    symlinkSync(join(w.home, "new.txt"), w.path("dangling"));
    expect(await attempt(w, "dangling")).toContain("is outside of the project");
    expect(existsSync(join(w.home, "new.txt"))).toBe(false);
  });

  it("the temporary folder and allowed folders can be written to", async () => {
    await using other = await workshop();
    await using w = await workshop({ workspace: { allowWrite: [other.dir] } });
    expect(await attempt(w, join(w.temp, "a.txt"))).toContain("Created");
    expect(await attempt(w, other.path("a.txt"))).toContain("Created");
    expect(await attempt(w, join(other.home, "a.txt"))).toContain("is outside of the project");
  });
});

it("the guard leaves other tools alone", async () => {
  await using w = await workshop();
  expect(await w.judge("Read", { file_path: "/etc/passwd" })).toBeUndefined();
  expect(await w.judge("Write", { content: "no path" })).toBeUndefined();
});

it("the guard denies what it cannot judge", async () => {
  await using w = await workshop();
  symlinkSync("loop", w.path("loop"));
  expect(await w.judge("Write", { file_path: "loop/a", content: "" })).toEqual({
    block: true,
    reason: 'The path "loop/a" cannot be used: its links form a cycle.',
  });
});
