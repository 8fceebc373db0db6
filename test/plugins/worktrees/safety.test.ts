import { chmodSync, existsSync } from "node:fs";
import { expect, it } from "vitest";
import { plainText } from "../../../plugins/kit/text/plain.ts";
import { worktrees } from "../../../plugins/worktrees/service.ts";
import { repository } from "./repository.ts";

/**
 * A repository, such as one from an archive, whose hooks, filters, signature program and monitor create a file when
 * they run.
 */
function hostile() {
  const r = repository({
    files: { "a.txt": "one\n", ".gitattributes": "* filter=evil merge=evil diff=evil\n*.bin filter=a=b\n" },
  });
  const trace = r.path(".git/trace");
  const script = r.path(".git/evil.sh");
  r.file(".git/evil.sh", `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`);
  chmodSync(script, 0o755);
  const settings = {
    "filter.evil.smudge": script,
    "filter.evil.clean": script,
    "filter.evil.process": script,
    "filter.evil.required": "true",
    "filter.a=b.smudge": script,
    "filter.a=b.clean": script,
    "merge.evil.driver": `${script} %A %O %B`,
    "diff.external": script,
    "diff.evil.textconv": script,
    "core.fsmonitor": script,
    "core.pager": script,
    "core.editor": script,
    "gpg.program": script,
    "commit.gpgSign": "true",
    "core.sshCommand": script,
  };
  const hooks = "post-checkout pre-commit commit-msg post-commit pre-merge-commit post-merge post-index-change".split(
    " ",
  );
  const arm = () => {
    for (const [key, value] of Object.entries(settings)) r.git("config", key, value);
    for (const hook of hooks) {
      r.file(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> '${trace}'\n`);
      chmodSync(r.path(`.git/hooks/${hook}`), 0o755);
    }
  };
  return { r, trace, arm };
}

it("no program of the repository's settings runs while worktrees are made, listed, merged and removed", async () => {
  const { r, trace, arm } = hostile();
  arm();
  const made = await worktrees.create(r.root, "login");
  const w = r.at(made.path);
  w.file("b.txt", "two\n");
  w.file("c.bin", "three\n");
  w.file("a.txt", "theirs\n");
  await worktrees.list(r.root);
  await worktrees.merge(r.root, "login", { commit: true, keep: true });
  w.file("d.txt", "four\n");
  expect(await worktrees.finish(made, "More")).toMatchObject({ state: "branch" });
  expect(existsSync(trace)).toBe(false);
  expect(r.text("b.txt")).toBe("two\n");
});

it("a merge driver of the repository does not decide what is merged: the change is a conflict", async () => {
  const { r, trace, arm } = hostile();
  const w = await r.make("login");
  w.file("a.txt", "theirs\n");
  w.git("commit", "--quiet", "--all", "--message=Theirs");
  r.file("a.txt", "ours\n");
  r.git("commit", "--quiet", "--all", "--message=Ours");
  arm();
  await expect(worktrees.merge(r.root, "login")).rejects.toMatchObject({ code: "WORKTREE_CONFLICT" });
  expect([existsSync(trace), r.text("a.txt")]).toEqual([false, "ours\n"]);
});

it.each(["--gpg-sign", "--verify-signatures"])(
  "a merge that the repository sets to %s runs no program",
  async (option) => {
    const { r, trace, arm } = hostile();
    const w = await r.make("login");
    w.file("b.txt", "two\n");
    w.git("add", "--all");
    w.git("commit", "--quiet", "--message=Login");
    r.file("c.txt", "three\n");
    r.git("add", "--all");
    r.git("commit", "--quiet", "--message=Main");
    arm();
    r.git("config", "branch.main.mergeOptions", option);
    await worktrees.merge(r.root, "login");
    expect([existsSync(trace), r.text("b.txt")]).toEqual([false, "two\n"]);
  },
);

it("settings that the repository includes only in worktrees run nothing while one is made", async () => {
  const { r, trace } = hostile();
  r.file(".git/more", `[filter "evil"]\n\tsmudge = ${r.path(".git/evil.sh")}\n`);
  r.git("config", "includeIf.gitdir:**/worktrees/**.path", r.path(".git/more"));
  const { path } = await worktrees.create(r.root, "login");
  expect([existsSync(trace), r.at(path).text("a.txt"), r.at(path).git("status", "--porcelain")]).toEqual([
    false,
    "one\n",
    "",
  ]);
});

it("settings of a single worktree run nothing either", async () => {
  const { r, trace } = hostile();
  const made = await worktrees.create(r.root, "login");
  const w = r.at(made.path);
  w.git("config", "extensions.worktreeConfig", "true");
  w.git("config", "--worktree", "filter.evil.clean", r.path(".git/evil.sh"));
  w.file("b.txt", "two\n");
  expect(await worktrees.finish(made, "Work")).toMatchObject({ state: "branch" });
  expect(existsSync(trace)).toBe(false);
});

it("names of files cannot change what the summary looks like", async () => {
  const { r } = hostile();
  const made = await worktrees.create(r.root, "login");
  r.at(made.path).file("\u001b[2Jx\u202e.txt", "two\n");
  const ended = await worktrees.finish(made, "Work");
  expect(ended).toMatchObject({ state: "branch" });
  expect((ended as { stat: string }).stat).toBe(plainText((ended as { stat: string }).stat));
});

it("nothing is committed in another repository that the file .git of a worktree was changed to name", async () => {
  const { r } = hostile();
  const other = repository();
  const [w, stranger] = [await r.make("login"), await other.make("login")];
  w.file("b.txt", "two\n");
  w.file(".git", stranger.text(".git"));
  const before = other.git("rev-parse", "scorel/login");
  for (const work of [
    () => worktrees.merge(r.root, "login", { commit: true }),
    () => worktrees.remove(r.root, "login", { discard: true }),
    () => worktrees.create(r.root, "login"),
  ])
    await expect(work()).rejects.toThrow(/another repository/);
  expect(await worktrees.list(r.root)).toMatchObject([{ problem: expect.stringContaining("another repository") }]);
  expect([other.git("rev-parse", "scorel/login"), stranger.has("a.txt")]).toEqual([before, true]);
});

it("files of the repository in folders that are named like Scorel's leftovers are not deleted", async () => {
  const r = repository({ files: { "a.txt": "one\n", ".scorel-worktrees/.gone-x~1/a.txt": "theirs\n" } });
  await r.make("login");
  expect(r.git("status", "--porcelain")).toBe("");
});
