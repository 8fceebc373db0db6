import * as fs from "node:fs";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Ui } from "../../../kernel/types.ts";
import { TICK_MS } from "../../../plugins/checkpoints/scan/scanned-file.ts";
import { eventually } from "../../eventually.ts";
import { gate, text, toolCall } from "../../model-server.ts";
import { checkpointsIn, type Project, project } from "./project.ts";
import { realGit, slowGit } from "./slow-git.ts";

/** Replaces `git` by a wrapper that records its subcommands; `asked` returns and clears the record. */
function countedGit(t: Project) {
  const log = join(t.home, "asked");
  fs.mkdirSync(join(t.home, "bin"));
  const script = `#!/bin/sh\nfor word; do case $word in ls-files|diff-files|cat-file|check-attr|check-ignore|config) echo $word >> ${log};; esac; done
exec ${realGit} "$@"\n`;
  fs.writeFileSync(join(t.home, "bin/git"), script, { mode: 0o755 });
  const PATH = process.env.PATH;
  process.env.PATH = `${join(t.home, "bin")}:${PATH}`;
  return {
    asked() {
      const asked = fs.existsSync(log) ? fs.readFileSync(log, "utf8").trim().split("\n") : [];
      fs.rmSync(log, { force: true });
      return asked.map((word) => word.trim()).sort();
    },
    [Symbol.dispose]: () => {
      process.env.PATH = PATH;
    },
  };
}

/** Waits until file times are old enough to reveal every later change. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 2 * TICK_MS));

const send = async (t: Project) =>
  (await t.client.request("send_message", { sessionId: t.sessionId, content: "go" })).id;
const ended = (t: Project, id: string) => t.client.request("wait_turn", { sessionId: t.sessionId, id });

describe("the scan of the project", () => {
  it.each([
    ["a made-up", { ".git/HEAD": "" }],
    ["a damaged", { ".git/HEAD": "ref: refs/heads/main\n" }],
    ["a lost", { ".git": "gitdir: /nowhere/at/all\n" }],
  ])("goes without git where %s .git makes no repository", async (_, files) => {
    await using t = await project({ plain: true, files: { a: "1", ...(files as Record<string, string>) } });
    const { user } = await t.bash("echo 2 > a; rm -f b");
    expect(await t.restore(user)).toEqual({ restored: ["a"], skipped: [] });
    expect(t.text("a")).toBe("1");
  });

  it("begins during the model call, so that a later command does not wait", async () => {
    const here = gate();
    await using t = await project({ files: { a: "1" } });
    using git = slowGit(t);
    git.hold();
    t.next([{ do: "until", promise: here.promise }, toolCall("Bash", { command: "echo 2 > a" })]);
    const id = await send(t);
    await git.began();
    git.release();
    here.open();
    await ended(t, id);
    expect((await t.restore(id)).restored).toEqual(["a"]);
  });

  it("delays a writing tool while it scans for the changes of a command", async () => {
    const here = gate();
    await using t = await project({ files: { a: "1" } });
    using git = slowGit(t);
    t.next([toolCall("Bash", { command: `echo 2 > a; touch ${t.home}/held` })]);
    t.next([{ do: "until", promise: here.promise }, toolCall("Put", { path: t.path("a"), content: "3" })]);
    const id = await send(t);
    await git.began();
    here.open();
    git.release();
    await ended(t, id);
    const states = (await t.checkpoints()).flatMap(({ files }) => files.map(({ before, after }) => [before, after]));
    expect(states).toMatchObject([
      [{ size: 1 }, { size: 2 }],
      [{ size: 2 }, undefined],
      [undefined, { size: 1 }],
    ]);
    await t.restore(id);
    expect(t.text("a")).toBe("1");
  });

  it("delays a command up to its time limit and reports it; the next round is covered again", async () => {
    await using t = await project({ files: { a: "1", b: "1" }, config: { maxScanMs: 1_000 } });
    using git = slowGit(t);
    git.hold();
    t.next([toolCall("Bash", { command: `echo 2 > a; rm ${t.home}/held` })]);
    t.next(text("Done."));
    const first = await send(t);
    await ended(t, first);
    await t.changes();
    const second = await t.bash("echo 2 > b");
    expect(await t.checkpoints()).toMatchObject([
      {
        calls: [expect.any(String)],
        files: [],
        notCovered: [{ path: ".", reason: "scanning took more than 1000 ms, which `maxScanMs` in [checkpoints] sets" }],
      },
      { calls: ["call1"], files: [{ path: "b" }], notCovered: [] },
    ]);
    await t.restore(second.user);
    expect(t.tree()).toEqual({ a: "644 2\n", b: "644 1" });
  });

  it("goes on in the background, and a command waits for it once; later commands are covered", async () => {
    await using t = await project({ files: { a: "1" }, config: { maxScanMs: 5_000 } });
    using git = slowGit(t);
    git.hold();
    const begun = performance.now();
    await t.bash("echo 2 > a", "echo 3 > a", "echo 4 > a", "echo 5 > a");
    const waited = performance.now() - begun;
    git.release();
    await t.changes();
    await t.bash("echo 6 > a");
    const [last, ...rest] = (await t.checkpoints()).reverse();
    expect(rest.map(({ notCovered }) => notCovered.length)).toEqual([1, 1, 1, 1]);
    expect(last).toMatchObject({ files: [{ path: "a" }], notCovered: [] });
    // Four waits for the limit would take 20 seconds.
    expect(waited).toBeLessThan(20_000);
  });

  it("reports when git cannot be run", async () => {
    await using t = await project({ files: { a: "1" } });
    fs.writeFileSync(t.path(".git/config"), "[broken");
    const { user } = await t.bash("echo 2 > a");
    const { skipped } = await t.restore(user);
    expect(skipped).toEqual([
      { path: ".", reason: expect.stringMatching(/^git could not list .*bad config/) as string },
    ]);
  });

  it("is abandoned when the session closes and no call needs it, and leaves no temporary folder", async () => {
    const here = gate();
    await using t = await project({ files: { a: "1" } });
    vi.stubEnv("TMPDIR", t.home);
    onTestFinished(() => void vi.unstubAllEnvs());
    using git = slowGit(t);
    git.hold();
    t.next([{ do: "until", promise: here.promise }, text("Bye.")]);
    const id = await send(t);
    await git.began();
    here.open();
    await ended(t, id);
    await t.reopen(() => git.release());
    expect(await t.checkpoints()).toEqual([]);
    await t.client.close();
    await eventually(() => expect(fs.readdirSync(t.home).filter((name) => name.startsWith("scorel-"))).toEqual([]));
  });

  it("runs git once for all files, then only for folders that may have new files", async () => {
    await using t = await project({ files: { a: "1", "d/b": "1" } });
    await settled();
    using git = countedGit(t);
    await t.bash("echo 2 > a");
    await t.changes();
    // The first scan, and the earlier content of `a`.
    expect(git.asked()).toEqual(["cat-file", "check-attr", "config", "ls-files", "ls-files"]);
    await t.bash("cat a", "ls | wc -l && pwd", "grep 2 a d/b");
    await t.bash("echo 3 > a", "echo 4 > a; echo 2 >> d/b");
    await t.changes();
    expect(git.asked()).toEqual(["cat-file", "check-attr"]);
    await settled();
    await t.bash("echo 1 > d/c");
    await t.changes();
    expect(git.asked()).toContain("ls-files");
    await settled();
    await t.bash("echo 2 > d/c");
    git.asked();
    await t.bash("echo 3 > d/c", "echo 4 > d/c");
    expect(git.asked()).toEqual([]);
  });

  it("stores only changed files permanently, including files that git does not track", async () => {
    await using t = await project({ plain: true, files: { a: "1", b: "2", "d/c": "3", "d/e": "4" } });
    const { user } = await t.bash("echo 5 > a; rm d/c; mv b d/b");
    await t.changes();
    const contents = () => t.blobs().map((path) => fs.readFileSync(path, "utf8"));
    expect(contents().sort()).toEqual(["1", "2", "3", "5\n"]);
    await t.reopen();
    expect((await t.restore(user)).skipped).toEqual([]);
    expect(t.tree()).toEqual({ a: "644 1", b: "644 2", "d/c": "644 3", "d/e": "644 4" });
  });

  it("is repeated after rounds that only read, so that the user's changes are not attributed to the command", async () => {
    const here = gate();
    await using t = await project({ files: { a: "1", b: "1" } });
    t.next([toolCall("Bash", { command: "echo 2 > a" })]);
    t.next([toolCall("Bash", { command: "cat a" })]);
    t.next([{ do: "until", promise: here.promise }, toolCall("Bash", { command: "echo 3 > a" })]);
    const id = await send(t);
    const { session } = await t.kernel();
    const results = () => [...session.tree].filter((event) => JSON.stringify(event).includes('"role":"tool_result"'));
    await eventually(() => expect(results()).toHaveLength(2));
    // The scan after the first command runs while the next call reads, and is over once it has stored its result.
    await eventually(() => expect(checkpointsIn({ session })).toHaveLength(1));
    t.file("b", "mine");
    here.open();
    await ended(t, id);
    expect((await t.restore(id)).restored).toEqual(["a"]);
    expect(t.tree()).toEqual({ a: "644 1", b: "644 mine" });
  });

  it("tells the user once, with the reason, if changes made by commands cannot be undone", async () => {
    const told: string[] = [];
    const ui = definePlugin({
      id: "ui",
      name: "UI",
      version: "1.0.0",
      provides: ["ui"],
      activate: (ctx) => ctx.provide("ui", { notify: (text: string) => told.push(text) } as unknown as Ui),
    });
    await using t = await project({ files: { a: "1", b: "1", c: "1" }, config: { maxFiles: 2 }, plugins: [ui] });
    await t.bash("echo 2 > a", "echo 3 > a");
    await t.bash("echo 4 > a");
    expect(told).toEqual(["Changes made by commands cannot be undone completely: more than 2 files."]);
    const gaps = (await t.checkpoints()).map(({ notCovered }) => notCovered);
    expect(gaps).toEqual([1, 2, 3].map(() => [{ path: ".", reason: "more than 2 files" }]));
  });
});
