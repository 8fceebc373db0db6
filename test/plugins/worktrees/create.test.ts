import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adminOf } from "../../../plugins/worktrees/admin.ts";
import { worktrees } from "../../../plugins/worktrees/service.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { repository } from "./repository.ts";

it("makes a worktree with a branch, which the project's git status does not show", async () => {
  const r = repository();
  const made = await worktrees.create(r.root, "login");
  expect(made).toMatchObject({ name: "login", branch: "scorel/login", created: true, leftOut: 0 });
  expect(made.path).toBe(r.path(".scorel-worktrees/login"));
  const w = r.at(made.path);
  expect([w.text("a.txt"), w.git("branch", "--show-current"), w.git("rev-parse", "HEAD")]).toEqual([
    "one\n",
    "scorel/login",
    made.commit,
  ]);
  expect(r.git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

it("returns the worktree that has the name, and checks out a branch that was left", async () => {
  const r = repository();
  const w = await r.make("login");
  w.file("b.txt", "two\n");
  expect(await worktrees.create(r.root, "login")).toMatchObject({ created: false, path: w.folder });
  await worktrees.remove(r.root, "login", { commit: true });
  const again = await worktrees.create(r.root, "login");
  expect([again.created, r.at(again.path).text("b.txt")]).toEqual([true, "two\n"]);
});

it("makes up a name, and says how many changes of the checkout the worktree does not have", async () => {
  const r = repository();
  r.file("a.txt", "changed\n");
  r.file("new.txt", "new\n");
  const { name, path, leftOut } = await worktrees.create(r.root);
  expect(name).toMatch(/^[a-z\d]{8}$/);
  expect([leftOut, r.at(path).text("a.txt")]).toEqual([1, "one\n"]);
});

it("stands for the same subfolder of the project", async () => {
  const r = repository({ files: { "packages/shop/a.txt": "one\n" } });
  mkdirSync(r.path("empty"));
  const { path, cwd } = await worktrees.create(r.path("packages/shop"), "one");
  expect(cwd).toBe(join(path, "packages/shop"));
  // Git does not store empty folders.
  expect((await worktrees.create(r.path("empty"), "two")).cwd).toBe(r.path(".scorel-worktrees/two"));
});

it("a worktree of a worktree begins with its commit, inside it", async () => {
  const r = repository();
  const outer = await r.make("outer");
  outer.file("b.txt", "two\n");
  outer.git("add", "--all");
  outer.git("commit", "--quiet", "--message=Two");
  const { path } = await worktrees.create(outer.folder, "inner");
  expect(path).toBe(outer.path(".scorel-worktrees/inner"));
  expect([r.at(path).text("b.txt"), outer.git("status", "--porcelain")]).toEqual(["two\n", ""]);
});

it.each<[string, string]>([
  ["../out", "WORKTREE_NAME"],
  ["-f", "WORKTREE_NAME"],
  ["a..b", "WORKTREE_NAME"],
  ["a.lock", "WORKTREE_NAME"],
  ["a/b", "WORKTREE_NAME"],
  ["x".repeat(51), "WORKTREE_NAME"],
])("refuses the name %s", async (name, code) => {
  await expect(worktrees.create(repository().root, name)).rejects.toMatchObject({ code });
});

it("says what is missing outside of git, without a commit, and in a damaged repository", async () => {
  const folder = temporaryFolder("scorel-no-git-");
  await expect(worktrees.create(folder)).rejects.toMatchObject({ code: "WORKTREE_NO_GIT" });
  await expect(worktrees.create(repository({ commits: false }).root)).rejects.toMatchObject({
    code: "WORKTREE_NO_COMMIT",
  });
  mkdirSync(join(folder, ".git"));
  await expect(worktrees.create(folder)).rejects.toMatchObject({ code: "WORKTREE_GIT" });
});

it("makes nothing in a folder that a project has put there: a link, or one that git shows", async () => {
  const linked = repository();
  symlinkSync(temporaryFolder("scorel-elsewhere-"), linked.path(".scorel-worktrees"));
  await expect(worktrees.create(linked.root)).rejects.toMatchObject({ code: "WORKTREE_FOLDER" });
  const inner = repository();
  await inner.make("other");
  symlinkSync(temporaryFolder("scorel-elsewhere-"), inner.path(".scorel-worktrees/x"));
  await expect(worktrees.create(inner.root, "x")).rejects.toMatchObject({ code: "WORKTREE_FOLDER" });
  const shown = repository({ files: { "a.txt": "one\n", ".scorel-worktrees/.gitignore": "!*\n" } });
  await expect(worktrees.create(shown.root, "x")).rejects.toMatchObject({ code: "WORKTREE_FOLDER" });
  const file = repository({ files: { ".scorel-worktrees": "a file\n" } });
  await expect(worktrees.create(file.root)).rejects.toMatchObject({ code: "WORKTREE_FOLDER" });
});

const names = (r: ReturnType<typeof repository>) => r.git("branch", "--list", "--format=%(refname:short)");

it("says what is in the way of a worktree, and leaves no branch behind", async () => {
  const r = repository();
  r.file(".scorel-worktrees/login/in-the-way.txt", "");
  await expect(worktrees.create(r.root, "login")).rejects.toMatchObject({
    code: "WORKTREE_FOLDER",
    message: expect.stringContaining("it is there already, and is no worktree"),
  });
  r.file(".git/worktrees", "not a folder\n");
  await expect(worktrees.create(r.root, "other")).rejects.toMatchObject({ code: "WORKTREE_GIT" });
  expect([names(r), readdirSync(r.path(".scorel-worktrees")).sort()]).toEqual(["main", [".gitignore", "login"]]);
});

it("does not check out a branch that a person has checked out elsewhere", async () => {
  const r = repository();
  r.git("worktree", "add", "--quiet", "-b", "scorel/login", r.path("../beside"));
  await expect(worktrees.create(r.root, "login")).rejects.toMatchObject({
    code: "WORKTREE_BRANCH_USED",
    message: expect.stringContaining(r.path("../beside")),
  });
});

it("makes a worktree again whose folder a person has deleted", async () => {
  const r = repository();
  const w = await r.make("login");
  rmSync(w.folder, { recursive: true });
  expect((await worktrees.list(r.root)).map(({ name, isBranchOnly }) => [name, isBranchOnly])).toEqual([
    ["login", true],
  ]);
  expect(await worktrees.create(r.root, "login")).toMatchObject({ created: true });
  expect([w.text("a.txt"), w.git("status", "--porcelain")]).toEqual(["one\n", ""]);
});

it("does not touch a worktree of the same name that an orphaned git process is still making", async () => {
  const r = repository();
  const orphan = r.path(".scorel-worktrees/.making-login~before/login-before");
  r.git("worktree", "add", "--quiet", "--detach", orphan);
  const admin = adminOf(orphan) as string;
  const w = await r.make("login");
  // Git would use this folder, and remove it when it fails.
  mkdirSync(admin, { recursive: true });
  rmSync(admin, { recursive: true });
  expect([w.git("status", "--porcelain"), adminOf(w.folder) === admin]).toEqual(["", false]);
});

it("refuses a worktree that git has not finished making, in which files are missing", async () => {
  const r = repository();
  const w = await r.make("login");
  rmSync(w.path("a.txt"));
  writeFileSync(join(adminOf(w.folder) as string, "locked"), "initializing");
  await expect(worktrees.create(r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_HALF_MADE" });
  await expect(worktrees.merge(r.root, "login", { commit: true })).rejects.toMatchObject({ code: "WORKTREE_KEPT" });
  await expect(worktrees.remove(r.root, "login", { discard: true })).rejects.toMatchObject({ code: "WORKTREE_KEPT" });
  expect(await worktrees.list(r.root)).toMatchObject([
    { problem: expect.stringContaining("has not finished making it") },
  ]);
  r.git("worktree", "remove", "--force", "--force", w.folder);
  expect(await worktrees.create(r.root, "login")).toMatchObject({ created: true });
});
