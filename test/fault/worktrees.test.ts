import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { worktrees } from "../../plugins/worktrees/service.ts";
import { itWith } from "../optional.ts";
import { repository } from "../plugins/worktrees/repository.ts";
import { secondProcess } from "../second-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { smallFileSystem } from "./disk.ts";

const FILES = 800;
const ROUNDS = 8;
const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [`${at % 40}/${at}.txt`, `The file ${at}\n`.repeat(20)]),
);
const runner = new URL("worktree-runner.ts", import.meta.url);

/** Starts a runner that waits, in a separate process group. */
function waiting(root: string, action: string, name: string) {
  return secondProcess(runner, temporaryFolder("scorel-runner-"), [root, action, name], { through: ["setsid"] });
}

/**
 * Kills the runner after a part of its usual duration that grows with `round`; in some rounds together with git, in
 * others git continues alone.
 */
async function killed(root: string, action: string, name: string, takes: number, round: number): Promise<void> {
  await using running = await waiting(root, action, name);
  await running.line();
  running.child.stdin?.write("go\n");
  await delay(((round + 0.5) / ROUNDS) * takes);
  if (running.child.exitCode === null) process.kill(round % 2 === 0 ? running.pid : -running.pid, "SIGKILL");
}

/** The files of the checked-out branch, and the changes that git reports. */
const state = (r: { git: (...args: string[]) => string }) => ({
  files: r.git("ls-tree", "-r", "--name-only", "HEAD").split("\n").length,
  changes: r.git("status", "--porcelain"),
});

const whole = { files: FILES, changes: "" };

/** The duration of the work in milliseconds when it is not disturbed. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

it("a worktree is complete or missing, whenever its creation is killed", async () => {
  const r = repository({ files });
  const time = await timeOf(() => worktrees.create(r.root, "first"));
  for (let round = 0; round < ROUNDS; round++) {
    await killed(r.root, "create", "login", time, round);
    const listed = await worktrees.list(r.root);
    expect(listed.filter(({ problem, changes }) => problem !== undefined || changes > 0)).toEqual([]);
    const w = r.at((await worktrees.create(r.root, "login")).path);
    expect(state(w)).toEqual(whole);
    await worktrees.merge(r.root, "login");
    expect(state(r)).toEqual(whole);
  }
  await worktrees.remove(r.root, "first");
  await expect
    .poll(async () => {
      await worktrees.remove(r.root, (await worktrees.create(r.root)).name);
      return readdirSync(r.path(".scorel-worktrees"));
    })
    .toEqual([".gitignore"]);
});

/** Removes the locks of a killed git, such as `index.lock`. Git names them to the next command, which cannot know who has them. */
function removeLocksOfGit(folder: string): void {
  for (const path of [folder, join(folder, "refs/heads")])
    for (const name of readdirSync(path).filter((each) => each.endsWith(".lock"))) rmSync(join(path, name));
}

it.each(["merge", "remove"])(
  "a killed %s of a worktree is completed by calling it again, and loses no file",
  async (action) => {
    const r = repository({ files });
    const make = async (round: number | string) => {
      const w = await r.make("login");
      w.file(`${round}.new`, "new\n");
      w.git("add", "--all");
      w.git("commit", "--quiet", `--message=${round}`);
    };
    await make("first");
    const time = await timeOf(() => worktrees.merge(r.root, "login"));
    for (let round = 0; round < ROUNDS; round++) {
      await make(round);
      await killed(r.root, action, "login", time, round);
      removeLocksOfGit(r.path(".git"));
      const left = (await worktrees.list(r.root)).map(({ name }) => name);
      if (left.includes("login")) await worktrees.merge(r.root, "login");
      expect(state(r)).toEqual({ files: FILES + 2 + round, changes: "" });
      expect(r.git("branch", "--format=%(refname:short)")).toBe("main");
    }
  },
);

it("several processes that create the same worktree at the same time all get the same one", async () => {
  const r = repository({ files });
  for (let round = 0; round < 3; round++) {
    const name = `login-${round}`;
    const all = await Promise.all([1, 2, 3, 4].map(() => waiting(r.root, "create", name)));
    for (const each of all) await each.line();
    for (const each of all) each.child.stdin?.write("go\n");
    const made = await Promise.all(all.map(async (each) => JSON.parse(await each.line())));
    expect(made.map(({ result, thrown }) => thrown ?? result.path)).toEqual(
      all.map(() => r.path(`.scorel-worktrees/${name}`)),
    );
    expect(made.filter(({ result }) => result.created).length).toBe(1);
    expect(state(r.at(r.path(`.scorel-worktrees/${name}`)))).toEqual(whole);
    await worktrees.merge(r.root, name);
  }
});

itWith("mounts", "a worktree can be removed from a disk without room", async () => {
  using disk = smallFileSystem(4_096) as NonNullable<ReturnType<typeof smallFileSystem>>;
  const r = repository({ within: disk.directory });
  const w = await r.make("login");
  disk.fill?.();
  expect((await worktrees.remove(r.root, "login")).text).toContain("The worktree login is removed.");
  expect([w.has(), r.git("branch", "--format=%(refname:short)")]).toEqual([false, "main"]);
});
