import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adminOf } from "../../../plugins/worktrees/admin.ts";
import { innerRepository } from "../../../plugins/worktrees/inner-repository.ts";
import { worktrees } from "../../../plugins/worktrees/service.ts";
import { repository } from "./repository.ts";

/** A repository with a worktree in which a commit was made. */
async function changed(files: Record<string, string> = { "b.txt": "two\n" }) {
  const r = repository({ files: { "a.txt": "one\n", ".gitignore": "*.env\n" } });
  const w = await r.make("login");
  for (const [name, content] of Object.entries(files)) w.file(name, content);
  w.git("add", "--all", "--force");
  w.git("commit", "--quiet", "--message=Login");
  return { r, w };
}

const branches = (r: ReturnType<typeof repository>) => r.git("branch", "--format=%(refname:short)").split("\n");

it("merges into the branch that is checked out, and removes the worktree and its branch", async () => {
  const { r, w } = await changed();
  const { text } = await worktrees.merge(r.root, "login");
  expect(text).toBe("Merged 1 commit of scorel/login into main. The worktree and its branch are removed.");
  expect([r.text("b.txt"), w.has(), branches(r)]).toEqual(["two\n", false, ["main"]]);
});

it("keeps both if asked, and does nothing the second time", async () => {
  const { r, w } = await changed();
  await worktrees.merge(w.folder, "login", { keep: true });
  expect([w.has(), branches(r)]).toEqual([true, ["main", "scorel/login"]]);
  const { text } = await worktrees.merge(r.root, "login", { keep: true });
  expect(text).toBe("main has all of scorel/login already.");
});

it.each(["--squash", "--no-commit --no-ff"])(
  "makes a commit, although the branch is set to be merged with %s",
  async (options) => {
    const { r, w } = await changed();
    r.file("c.txt", "three\n");
    r.git("add", "--all");
    r.git("commit", "--quiet", "--message=Main");
    const tip = w.git("rev-parse", "HEAD");
    r.git("config", "branch.main.mergeOptions", options);
    await worktrees.merge(r.root, "login");
    expect([r.git("status", "--porcelain"), r.git("branch", "--contains", tip)]).toEqual(["", "* main"]);
  },
);

it("merges and removes a branch, and not the tag of the same name", async () => {
  const { r, w } = await changed();
  r.git("tag", "scorel/login", "main");
  await worktrees.merge(r.root, "login", { keep: true });
  expect(r.text("b.txt")).toBe("two\n");
  w.file("c.txt", "three\n");
  w.git("add", "--all");
  w.git("commit", "--quiet", "--message=More");
  expect((await worktrees.remove(r.root, "login")).text).toBe(
    "The worktree login is removed. Its branch scorel/login stays, since no other branch has all of its commits.",
  );
  await worktrees.merge(r.root, "login");
  expect([r.text("c.txt"), r.git("for-each-ref", "--format=%(refname)")]).toEqual([
    "three\n",
    "refs/heads/main\nrefs/tags/scorel/login",
  ]);
});

it("names what git ignores, which goes with the worktree, also when it is removed", async () => {
  const { r, w } = await changed();
  for (let at = 0; at < 7; at++) w.file(`${at}.env`, "");
  expect((await worktrees.merge(r.root, "login")).text).toMatch(
    /removed\. Files that git ignores went with it: 0\.env, 1\.env, 2\.env, 3\.env, 4\.env and 2 more\.$/,
  );
  (await r.make("other")).file("one.env", "");
  expect((await worktrees.remove(r.root, "other")).text).toBe(
    "The worktree other is removed. Files that git ignores went with it: one.env. The branch scorel/other is removed: main has all of its commits.",
  );
});

it("shows the control characters of a branch's name instead of sending them to the terminal", async () => {
  const { r } = await changed();
  r.git("switch", "--quiet", "--create", "odd\u009b2J\u202ename");
  const { text } = await worktrees.merge(r.root, "login");
  expect(text).toBe(
    "Merged 1 commit of scorel/login into odd\\u{9b}2J\\u{202e}name. The worktree and its branch are removed.",
  );
});

it("merges beside commits that were made meanwhile", async () => {
  const { r } = await changed();
  r.file("c.txt", "three\n");
  r.git("add", "--all");
  r.git("commit", "--quiet", "--message=Three");
  await worktrees.merge(r.root, "login");
  expect([r.text("b.txt"), r.text("c.txt"), r.git("log", "-1", "--format=%p").split(" ").length]).toEqual([
    "two\n",
    "three\n",
    2,
  ]);
});

it("merges one at a time, whoever else merges there", async () => {
  const r = repository();
  const names = Array.from({ length: 8 }, (_, at) => `w${at}`);
  for (const name of names) (await r.make(name)).file(`${name}.txt`, `${name}\n`);
  await Promise.all(names.map((name) => worktrees.merge(r.root, name, { commit: true })));
  expect([r.git("status", "--porcelain"), branches(r)]).toEqual(["", ["main"]]);
  expect(names.map((name) => r.text(`${name}.txt`))).toEqual(names.map((name) => `${name}\n`));
});

it("recognizes what a killed merge of its own has left, and nothing else", async () => {
  const { r } = await changed({ "b.txt": "two\n", "c.txt": "three\n", "d.txt": "four\n" });
  r.file("b.txt", "two\n");
  r.file("c.txt", "thr");
  r.file("d.txt", "four\nmore\n");
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject({
    code: "WORKTREE_OVERWRITES",
    data: { files: ["d.txt"] },
  });
  expect([r.text("c.txt"), r.text("d.txt")]).toEqual(["thr", "four\nmore\n"]);
  r.file("d.txt", "");
  await worktrees.merge(r.root, "login");
  expect(["b.txt", "c.txt", "d.txt"].map((name) => r.text(name))).toEqual(["two\n", "three\n", "four\n"]);
});

it("leaves alone what a person merges there", async () => {
  const { r } = await changed();
  r.git("checkout", "--quiet", "-b", "other");
  r.file("c.txt", "three\n");
  r.git("add", "--all");
  r.git("commit", "--quiet", "--message=Three");
  r.git("checkout", "--quiet", "main");
  r.git("merge", "--quiet", "--no-commit", "--no-ff", "other");
  await expect(worktrees.merge(r.root, "login")).rejects.toThrow();
  expect(r.git("status", "--porcelain")).toBe("A  c.txt");
});

it("undoes a merge with conflicts, and says where they are", async () => {
  const { r, w } = await changed({ "a.txt": "theirs\n" });
  r.file("a.txt", "ours\n");
  r.git("commit", "--quiet", "--all", "--message=Ours");
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject({
    code: "WORKTREE_CONFLICT",
    data: { files: ["a.txt"] },
  });
  expect([r.text("a.txt"), r.git("status", "--porcelain"), w.has()]).toEqual(["ours\n", "", true]);
});

it("does not begin where it could mix something up or replace a file", async () => {
  const unclean = await changed();
  unclean.w.file("b.txt", "not committed\n");
  await expect(worktrees.merge(unclean.r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_UNCLEAN" });
  await worktrees.merge(unclean.r.root, "login", { commit: true });
  expect(unclean.r.text("b.txt")).toBe("not committed\n");

  const dirty = await changed();
  dirty.r.file("a.txt", "not committed\n");
  await expect(worktrees.merge(dirty.r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_CHECKOUT_UNCLEAN" });

  const ignored = await changed({ "keys.env": "theirs" });
  ignored.r.file("keys.env", "ours");
  await expect(worktrees.merge(ignored.r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_OVERWRITES" });
  expect(ignored.r.text("keys.env")).toBe("ours");

  const detached = await changed();
  detached.r.git("checkout", "--quiet", "--detach");
  await expect(worktrees.merge(detached.r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_DETACHED" });
});

it("removing keeps the branch while no other one has its commits", async () => {
  const { r, w } = await changed();
  const { text } = await worktrees.remove(r.root, "login");
  expect(text).toBe(
    "The worktree login is removed. Its branch scorel/login stays, since no other branch has all of its commits.",
  );
  expect([w.has(), branches(r)]).toEqual([false, ["main", "scorel/login"]]);
  await r.make("empty");
  expect((await worktrees.remove(r.root, "empty")).text).toContain("main has all of its commits");
  expect(branches(r)).toEqual(["main", "scorel/login"]);
});

it("removing refuses uncommitted work, and an unknown name", async () => {
  const { r, w } = await changed();
  w.file("c.txt", "new\n");
  await expect(worktrees.remove(r.root, "login")).rejects.toMatchObject({
    code: "WORKTREE_UNCLEAN",
    data: { count: 1 },
  });
  expect(w.text("c.txt")).toBe("new\n");
  await worktrees.remove(r.root, "login", { commit: true });
  expect(r.git("show", "scorel/login:c.txt")).toBe("new");
  await expect(worktrees.remove(r.root, "other")).rejects.toMatchObject({ code: "WORKTREE_UNKNOWN" });
});

it("lists commits, changes and problems", async () => {
  const { r, w } = await changed();
  w.file("c.txt", "new\n");
  const broken = await r.make("broken");
  broken.file(".git", "gitdir: /nonexistent\n");
  const detached = await r.make("detached");
  detached.git("checkout", "--quiet", "--detach");
  expect(await worktrees.list(r.root)).toEqual([
    expect.objectContaining({ name: "broken", problem: expect.stringContaining("Git could not") }),
    { ...about(detached.folder, "detached"), commits: 0, changes: 0, problem: "no branch is checked out there" },
    { ...about(w.folder, "login"), commits: 1, changes: 1 },
  ]);
  expect((await worktrees.list(w.folder)).length).toBe(3);
});

const about = (path: string, name: string) => ({ name, path, branch: `scorel/${name}` });

it("lists, merges and removes branches of which no worktree is left, and opens them again", async () => {
  const { r } = await changed();
  await worktrees.remove(r.root, "login");
  const other = await r.make("other");
  r.git("branch", "scorel/elsewhere", "scorel/login");
  r.git("worktree", "add", "--quiet", r.path("../beside"), "scorel/elsewhere");
  expect(await worktrees.list(r.root)).toEqual([
    { name: "other", path: other.folder, branch: "scorel/other", commits: 0, changes: 0 },
    {
      name: "login",
      path: r.path(".scorel-worktrees/login"),
      branch: "scorel/login",
      commits: 1,
      changes: 0,
      isBranchOnly: true,
    },
  ]);
  expect((await worktrees.merge(r.root, "login")).text).toBe(
    "Merged 1 commit of scorel/login into main. The branch is removed.",
  );
  expect([r.text("b.txt"), branches(r).includes("scorel/login")]).toEqual(["two\n", false]);
});

it("removes a branch without a worktree only if another branch has its commits, or if it is to be discarded", async () => {
  const { r } = await changed();
  await worktrees.remove(r.root, "login");
  await expect(worktrees.remove(r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_UNMERGED" });
  const tip = r.git("rev-parse", "scorel/login");
  const { text } = await worktrees.remove(r.root, "login", { discard: true });
  const [, back = ""] = /: git (branch .+)$/.exec(text) ?? [];
  expect(text).toMatch(/^The branch scorel\/login is removed\. /);
  expect(branches(r)).toEqual(["main"]);
  r.git(...back.split(" "));
  expect(r.git("rev-parse", "scorel/login")).toBe(tip);
});

it("discards a worktree with all of its changes, and says how to get them back", async () => {
  const { r, w } = await changed();
  w.file("c.txt", "three\n");
  await expect(worktrees.remove(r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_UNCLEAN" });
  const { text } = await worktrees.remove(r.root, "login", { discard: true });
  expect(text).toMatch(/^The worktree login is removed\. The branch scorel\/login is removed\. /);
  expect([w.has(), branches(r)]).toEqual([false, ["main"]]);
  r.git(...(/: git (branch .+)$/.exec(text)?.[1] ?? "").split(" "));
  expect(r.git("show", "scorel/login:c.txt")).toBe("three");
});

it("commits nothing when the checkout has changes, and takes the name of the branch, too", async () => {
  const { r, w } = await changed();
  w.file("c.txt", "three\n");
  r.file("a.txt", "changed\n");
  const before = w.git("rev-parse", "HEAD");
  await expect(worktrees.merge(r.root, "scorel/login", { commit: true })).rejects.toMatchObject({
    code: "WORKTREE_CHECKOUT_UNCLEAN",
  });
  expect([w.git("rev-parse", "HEAD"), w.git("status", "--porcelain")]).toEqual([before, "?? c.txt"]);
});

it.each<[string, string[]]>([
  ["n.env", []],
  ["n.env/inner", []],
  ["n.env/repositories/of/others/inner", []],
  ["n.env/node_modules/inner", []],
  ["n.env/bare/inner", ["--bare"]],
])("keeps a worktree with a repository of its own in %s, which git ignores (%j)", async (folder, options) => {
  const { r, w } = await changed();
  w.file(`${folder}/a.txt`, "mine\n");
  w.git("init", "--quiet", ...options, w.path(folder));
  const kept = {
    code: "WORKTREE_KEPT",
    message: expect.stringContaining("n.env/ is, or has, a repository of its own"),
  };
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject(kept);
  await expect(worktrees.remove(r.root, "login", { discard: true })).rejects.toMatchObject(kept);
  expect([r.has("b.txt"), w.text(`${folder}/a.txt`)]).toEqual([false, "mine\n"]);
});

it("says when there are too many folders to look for repositories, of which packages have none", async () => {
  const { w } = await changed();
  for (const name of ["node_modules/inner/a/b/c/d/e", "build/a/b/c"]) mkdirSync(w.path(name), { recursive: true });
  const search = (most: number) => innerRepository(w.folder, ["node_modules/", "notes.env", "build/"], most);
  expect([await search(5), await search(6)]).toEqual([
    "build/ has too many folders to look for repositories in all of them",
    undefined,
  ]);
});

it("keeps a worktree that a person has locked, but merges its branch if both are to be kept", async () => {
  const { r, w } = await changed();
  r.git("worktree", "lock", "--reason=On a stick", w.folder);
  const kept = { code: "WORKTREE_KEPT", message: expect.stringContaining("it is locked (On a stick)") };
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject(kept);
  await expect(worktrees.remove(r.root, "login")).rejects.toMatchObject(kept);
  expect(r.has("b.txt")).toBe(false);
  await worktrees.merge(r.root, "login", { keep: true });
  expect([r.has("b.txt"), w.has("b.txt")]).toEqual([true, true]);
});

it("does not delete git's folder of another worktree that the file .git was changed to name", async () => {
  const { r, w } = await changed();
  const other = await r.make("other");
  w.git("checkout", "--quiet", "main~0");
  w.file(".git", other.text(".git"));
  await worktrees.remove(r.root, "login", { discard: true }).catch(() => {});
  expect([other.git("branch", "--show-current"), existsSync(join(adminOf(other.folder) as string, "HEAD"))]).toEqual([
    "scorel/other",
    true,
  ]);
});

it("a fast-forward that was killed before git wrote the branch is completed", async () => {
  const r = repository({ files: { "a.txt": "one\n" } });
  const w = await r.make("login");
  w.file("b.txt", "two\n");
  w.git("add", "--all");
  w.git("commit", "--quiet", "--message=two");
  // The state that git leaves: files and index of the branch, and the old HEAD.
  r.git("read-tree", "-m", "-u", "HEAD", "scorel/login");
  expect(r.git("status", "--porcelain")).toBe("A  b.txt");
  await worktrees.merge(r.root, "login");
  expect([r.git("status", "--porcelain"), r.git("log", "-1", "--format=%s")]).toEqual(["", "two"]);
});

/** A repository with a worktree that adds `notes.md`, of which the checkout has the beginning, untracked. */
async function begun(files: Record<string, string> = {}) {
  const { r, w } = await changed({ "docs/notes.md": "# Notes\nMore\n", ...files });
  r.file("docs/notes.md", "# Notes\n");
  return { r, w };
}

it.each<[string, (r: ReturnType<typeof repository>) => void]>([
  [
    "meets a conflict",
    (r) => {
      r.file("a.txt", "ours\n");
      r.git("commit", "--quiet", "--all", "--message=Ours");
    },
  ],
  ["cannot begin, since another git has the index", (r) => r.file(".git/index.lock", "")],
  [
    "is refused by the settings of the user",
    (r) => {
      r.git("commit", "--quiet", "--allow-empty", "--message=Ours");
      r.git("config", "merge.ff", "only");
    },
  ],
])("a merge that %s leaves untracked files as they were", async (_, prepare) => {
  const { r } = await begun({ "a.txt": "theirs\n" });
  prepare(r);
  await expect(worktrees.merge(r.root, "login")).rejects.toThrow();
  expect([r.text("docs/notes.md"), r.git("status", "--porcelain", "--untracked-files=all")]).toEqual([
    "# Notes\n",
    "?? docs/notes.md",
  ]);
  expect(readdirSync(r.path(".scorel-worktrees"))).toEqual([".gitignore", "login"]);
});

it("untracked files that a killed merge had set aside are put back by the next command, where nothing else is", async () => {
  const { r } = await changed();
  const aside = ".scorel-worktrees/.aside-login~1";
  r.file(`${aside}/docs/notes.md`, "# Notes\n");
  r.file(`${aside}/c.txt`, "thr");
  r.file("c.txt", "three\n");
  await r.make("other");
  expect([r.text("docs/notes.md"), r.text("c.txt"), r.has(aside)]).toEqual(["# Notes\n", "three\n", false]);
});

it("puts nothing back that controls git or Scorel, since a command of the agent could have made the folder", async () => {
  const { r } = await changed();
  const aside = ".scorel-worktrees/.aside-login~1";
  const planted = [
    ".git/hooks/post-commit",
    ".git/commondir",
    ".scorel/extensions/a.ts",
    ".mcp.json",
    "sub/.GIT/config",
  ];
  for (const name of planted) r.file(`${aside}/${name}`, "x");
  await r.make("other");
  expect([planted.filter((name) => r.has(name)), r.has(aside)]).toEqual([[], false]);
});

it("does not replace an ignored file or link where the merge adds a folder, and nothing behind the link", async () => {
  const { r } = await changed({ "data.env/b.txt": "two\n" });
  r.file("data.env", "ours");
  const refused = { code: "WORKTREE_OVERWRITES", data: { files: ["data.env"] } };
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject(refused);
  expect(r.text("data.env")).toBe("ours");
  r.file("../elsewhere/b.txt", "");
  rmSync(r.path("data.env"));
  symlinkSync(r.path("../elsewhere"), r.path("data.env"));
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject(refused);
  expect([r.text("data.env/b.txt"), r.text("../elsewhere/b.txt")]).toEqual(["", ""]);
});
