import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adminOf } from "../../../plugins/worktrees/admin.ts";
import { worktrees } from "../../../plugins/worktrees/service.ts";
import { repository } from "./repository.ts";

async function begun(files?: Record<string, string>) {
  const r = repository(files && { files });
  const worktree = await worktrees.create(r.root, "task");
  const w = r.at(worktree.path);
  return { r, w, worktree, finish: () => worktrees.finish(worktree, "Do the task\n\nFor session S1") };
}

it("removes a worktree in which nothing was changed, and its branch", async () => {
  const { r, w, finish } = await begun();
  expect(await finish()).toEqual({ state: "unchanged" });
  expect([w.has(), r.git("branch", "--list", "scorel/*"), r.git("worktree", "list").split("\n").length]).toEqual([
    false,
    "",
    1,
  ]);
});

it("names what git ignores, which goes with the worktree", async () => {
  const { r, w, finish } = await begun({ "a.txt": "one\n", ".gitignore": "*.env\ncache/\n" });
  w.file("x.env", "KEY=1\n");
  for (const name of ["cache/a", "cache/b"]) w.file(name, "");
  expect(await finish()).toEqual({ state: "unchanged", ignored: ["cache/", "x.env"] });
  expect([w.has(), r.git("branch", "--list", "scorel/*")]).toEqual([false, ""]);
});

it("commits changes to the branch, and says which files differ", async () => {
  const { r, w, finish } = await begun();
  w.file("a.txt", "changed\n");
  w.file("new/b.txt", "two\n");
  const ended = await finish();
  expect(ended).toMatchObject({ state: "branch", branch: "scorel/task" });
  expect((ended as { stat: string }).stat).toMatch(/a\.txt[\s\S]*new\/b\.txt[\s\S]*2 files changed/);
  expect(w.has()).toBe(false);
  expect(r.git("show", "--no-patch", "--format=%an|%s|%b", "scorel/task")).toBe("Ann|Do the task|For session S1");
  expect(r.git("show", "scorel/task:new/b.txt")).toBe("two");
});

it("keeps commits that were made there", async () => {
  const { r, w, finish } = await begun();
  w.file("a.txt", "changed\n");
  w.git("commit", "--quiet", "--all", "--message=Mine");
  expect(await finish()).toMatchObject({ state: "branch" });
  expect(r.git("log", "--format=%s", "main..scorel/task")).toBe("Mine");
});

it("commits where git knows no name", async () => {
  const { r, w, finish } = await begun();
  r.git("config", "--unset", "user.name");
  r.git("config", "--unset", "user.email");
  r.git("config", "user.useConfigOnly", "true");
  w.file("a.txt", "changed\n");
  expect(await finish()).toMatchObject({ state: "branch" });
  expect(r.git("show", "--no-patch", "--format=%an", "scorel/task")).toBe("Scorel");
});

it("keeps a worktree as it is in which a merge, a detached commit, another branch or a repository would be lost", async () => {
  const merging = await begun();
  merging.w.git("checkout", "--quiet", "-b", "other");
  merging.w.file("a.txt", "other\n");
  merging.w.git("commit", "--quiet", "--all", "--message=Other");
  expect(await merging.finish()).toMatchObject({
    state: "kept",
    reason: expect.stringContaining("other is checked out"),
  });
  merging.w.git("checkout", "--quiet", "scorel/task");
  merging.w.file("a.txt", "mine\n");
  merging.w.git("commit", "--quiet", "--all", "--message=Mine");
  expect(() => merging.w.git("merge", "other")).toThrow();
  expect(await merging.finish()).toMatchObject({ state: "kept", reason: expect.stringContaining("a merge has begun") });

  const detached = await begun();
  detached.w.git("checkout", "--quiet", "--detach");
  detached.w.file("a.txt", "loose\n");
  detached.w.git("commit", "--quiet", "--all", "--message=Loose");
  expect(await detached.finish()).toMatchObject({ state: "kept", reason: expect.stringContaining("no branch") });
  expect(detached.w.text("a.txt")).toBe("loose\n");

  const inner = await begun();
  inner.w.file("vendor/x.txt", "");
  inner.r.at(inner.w.path("vendor")).git("init", "--quiet");
  expect(await inner.finish()).toMatchObject({
    state: "kept",
    reason: expect.stringContaining("repository of its own"),
  });

  const outer = await begun();
  await worktrees.create(outer.w.folder, "deeper");
  expect(await outer.finish()).toMatchObject({ state: "kept", reason: expect.stringContaining("deeper") });
});

it("keeps a worktree whose changes cannot be committed, and one that somebody has removed", async () => {
  const locked = await begun();
  locked.w.file("a.txt", "changed\n");
  writeFileSync(join(adminOf(locked.w.folder) as string, "index.lock"), "");
  expect(await locked.finish()).toMatchObject({ state: "kept", reason: expect.stringContaining("index.lock") });
  expect(locked.w.text("a.txt")).toBe("changed\n");

  const gone = await begun();
  rmSync(gone.w.folder, { recursive: true });
  expect(await gone.finish()).toMatchObject({ state: "kept", branch: "scorel/task" });
});

it("does not delete a worktree with submodules that were fetched, and removes one without", async () => {
  const library = repository();
  const r = repository();
  r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "lib");
  r.git("commit", "--quiet", "--message=Library");
  const empty = await worktrees.create(r.root, "empty");
  expect(await worktrees.finish(empty, "x")).toEqual({ state: "unchanged" });
  const full = await worktrees.create(r.root, "full");
  const w = r.at(full.path);
  w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
  w.file("lib/a.txt", "work in the submodule\n");
  expect(await worktrees.finish(full, "x")).toMatchObject({
    state: "kept",
    reason: expect.stringContaining("submodules"),
  });
  expect(w.text("lib/a.txt")).toBe("work in the submodule\n");
});
