import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { toolCall } from "../../model-server.ts";
import { type Project, project } from "./project.ts";

const kinds = async (t: Project) =>
  (await t.checkpoints()).map(({ files }) =>
    Object.fromEntries(files.map(({ path, before, after }) => [path, `${before?.kind} -> ${after?.kind}`])),
  );

/** Makes git trust the index's entries for these files, as it does for files that are older than the index. */
async function known(t: Project, ...names: string[]): Promise<void> {
  for (const name of names) fs.utimesSync(t.path(name), 1, 1);
  t.git("update-index", "--refresh");
  const changed = Math.max(...names.map((name) => fs.lstatSync(t.path(name)).ctimeMs));
  while (Date.now() - changed < 60) await new Promise((resolve) => setImmediate(resolve));
}

const inBoth = [
  ["in a repository", {}],
  ["in a plain folder", { plain: true }],
] as const;

describe.each(inBoth)("the effect of a command %s", (_name, options) => {
  it("is found: files created, deleted, renamed, changed, made executable, linked; binary ones, too", async () => {
    await using t = await project({
      ...options,
      files: { keep: "keep", edit: "old\n", gone: "gone", "dir/moved": "moved", tool: "#!/bin/sh\n", data: "\0binary" },
    });
    const before = t.tree();
    const { user, end } = await t.bash(
      "echo new > edit; rm gone; mv dir other; chmod 755 tool; printf '\\0changed' > data; echo n > sub-new; ln -s edit link",
    );
    const after = t.tree();
    expect(await kinds(t)).toEqual([
      {
        data: "file -> file",
        "dir/moved": "file -> absent",
        edit: "file -> file",
        gone: "file -> absent",
        link: "absent -> symlink",
        "other/moved": "absent -> file",
        "sub-new": "absent -> file",
        tool: "file -> file",
      },
    ]);
    const { skipped } = await t.restore(user);
    expect([skipped, t.tree()]).toEqual([[], before]);
    expect(fs.existsSync(t.path("other"))).toBe(false);
    expect((await t.restore(end)).skipped).toEqual([]);
    expect(t.tree()).toEqual(after);
  });

  it("is found for hundreds of files at once", async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n % 7}/f${n}`, `${n}`]));
    await using t = await project({ ...options, files });
    const before = t.tree();
    const { user } = await t.bash("for f in d1/* d2/*; do echo x >> $f; done; rm -r d3; mv d4 d5; touch d6/*");
    expect((await t.restore(user)).skipped).toEqual([]);
    expect(t.tree()).toEqual(before);
  });

  it("is recorded separately for each round", async () => {
    await using t = await project({ ...options, files: { a: "1" } });
    const one = await t.bash("echo 2 > a", "echo 3 > a", "echo 4 > b");
    const two = await t.bash("rm a b");
    await t.restore(two.user);
    expect(t.tree()).toEqual({ a: "644 3\n", b: "644 4\n" });
    const results = [...(await t.kernel()).session.tree.path(one.end)].filter(
      (event) => (event as { message?: { role?: string } }).message?.role === "tool_result",
    );
    await t.restore(results[0]?.id as string);
    expect(t.tree()).toEqual({ a: "644 2\n" });
    await t.restore(one.user);
    expect(t.tree()).toEqual({ a: "644 1" });
  });

  it("is distinguished from the user's changes between turns", async () => {
    await using t = await project({ ...options, files: { a: "1", b: "1" } });
    const one = await t.bash("echo agent > a");
    await t.changes();
    t.file("b", "user\n");
    const two = await t.bash("echo agent > c");
    await t.restore(two.user);
    expect(t.tree()).toEqual({ a: "644 agent\n", b: "644 user\n" });
    await t.restore(one.user);
    expect(t.tree()).toEqual({ a: "644 1", b: "644 user\n" });
  });

  it("is not recorded if nothing has changed", async () => {
    await using t = await project({ ...options, files: { a: "1" } });
    await t.bash("true", "touch a", "cp a b; rm b");
    expect(await t.checkpoints()).toEqual([]);
  });
});

describe("the effect of a command", () => {
  it("is recorded separately from tools with known paths in the same round", async () => {
    await using t = await project({ files: { a: "1", b: "1" } });
    const before = t.tree();
    const { user } = await t.turn([
      ["Put", { path: t.path("a"), content: "2" }],
      ["Bash", { command: "echo 3 >> a; echo 2 > b" }],
      ["Put", { path: t.path("b"), content: "3" }],
    ]);
    expect(t.tree()).toEqual({ a: "644 23\n", b: "644 3" });
    expect((await t.restore(user)).skipped).toEqual([]);
    expect(t.tree()).toEqual(before);
  });

  it("is listed for files that it moves in from outside, so that a restore deletes none of them", async () => {
    await using t = await project({ plain: true, files: { "node_modules/x": "1", a: "1" } });
    const born = fs.statSync(t.path("node_modules/x")).birthtimeMs;
    while (Date.now() - born < 60) await new Promise((resolve) => setImmediate(resolve));
    const { user } = await t.bash("mv node_modules kept; echo 2 > a");
    expect(await t.restore(user)).toEqual({
      restored: ["a"],
      skipped: [{ path: ".", reason: "1 files came from ignored or outside places" }],
    });
    expect(t.tree()).toEqual({ a: "644 1", "kept/x": "644 1" });
  });

  it("is recorded when it moves a file that another tool was to remove", async () => {
    await using t = await project({ files: { a: "1" } });
    await known(t, "a");
    const { user } = await t.turn([
      ["Bash", { command: "mv a b" }],
      ["Put", { path: t.path("a") }],
    ]);
    expect((await t.restore(user)).skipped).toEqual([]);
    expect(t.tree()).toEqual({ a: "644 1" });
  });

  it("is not recorded for ignored files", async () => {
    await using t = await project({ files: { ".gitignore": "build/\n", "build/out": "1" } });
    const { user } = await t.bash("echo 2 > build/out; echo 2 > build/more; echo x > a");
    expect((await t.restore(user)).restored).toEqual(["a"]);
    expect(t.tree()).toMatchObject({ "build/out": "644 2\n", "build/more": "644 2\n" });
  });

  it("does not make existing files look new or deleted when it changes the ignore rules", async () => {
    await using t = await project({ files: { ".gitignore": "build/\n", "build/out": "1", log: "1" } });
    const { user } = await t.bash("echo log > .gitignore");
    expect(await t.checkpoints()).toMatchObject([
      {
        files: [{ path: ".gitignore" }],
        notCovered: [{ path: ".", reason: "1 files came from ignored or outside places" }],
      },
    ]);
    await t.restore(user);
    expect(t.tree()).toEqual({ ".gitignore": "644 build/\n", "build/out": "644 1", log: "644 1" });
  });

  it("is compared with git's objects, so that unchanged files are not copied", async () => {
    await using t = await project({ files: { a: "1", b: "2", c: "3" } });
    await known(t, "a", "b", "c");
    await t.bash("echo x > a");
    expect(await t.changes()).toMatchObject({ changes: [{ path: "a" }] });
    expect(t.blobs()).toHaveLength(2);
  });

  it("is listed for a file that is too large", async () => {
    await using t = await project({ files: { big: "0123456789+", small: "1" }, config: { maxFileBytes: 10 } });
    const { user } = await t.bash("echo more >> big; echo 2 > small");
    const reason = "over 10 bytes";
    expect((await t.checkpoints()).map(({ notCovered }) => notCovered)).toEqual([
      [
        { path: "big", reason },
        { path: "big", reason },
      ],
    ]);
    expect(await t.restore(user)).toEqual({ restored: ["small"], skipped: [{ path: "big", reason }] });
  });

  it("is listed for a tracked file that is too large without reading it from git", async () => {
    await using t = await project({ files: { big: "x".repeat(100), small: "old" }, config: { maxFileBytes: 50 } });
    await known(t, "big", "small");
    await t.bash("true");
    const oid = t.git("rev-parse", ":big").trim();
    // An object that is read although it is damaged makes git fail.
    const object = t.path(`.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
    fs.chmodSync(object, 0o644);
    fs.writeFileSync(object, "damaged");
    await t.bash("rm big small");
    const [{ files } = { files: [] }] = await t.checkpoints();
    expect(files.map(({ path, before }) => [path, before])).toEqual([
      ["big", { kind: "uncovered", mode: 0o644, size: 100, reason: "over 50 bytes" }],
      ["small", expect.objectContaining({ kind: "file", size: 3 })],
    ]);
  });

  it("is covered also when it needs more of git's contents than are read at a time", async () => {
    const names = Array.from({ length: 9 }, (_, at) => `big${at}`);
    await using t = await project({ files: Object.fromEntries(names.map((name) => [name, name.repeat(1e6)])) });
    await known(t, ...names);
    const before = t.tree();
    const { user } = await t.bash("rm big*");
    expect((await t.restore(user)).skipped).toEqual([]);
    expect(t.tree()).toEqual(before);
  });

  it("is covered in the next turn when it exceeded the limit of one", async () => {
    await using t = await project({ plain: true, files: { a: "aaaaaa", b: "bbbbbb" }, config: { maxTurnBytes: 10 } });
    await t.bash("touch a");
    const { user } = await t.bash("echo 2 > a; echo 2 > b");
    expect(await t.restore(user)).toEqual({ restored: ["a", "b"], skipped: [] });
    expect(t.tree()).toEqual({ a: "644 aaaaaa", b: "644 bbbbbb" });
  });

  it("is found for commits and branches, without changing git itself", async () => {
    await using t = await project({ files: { a: "1", b: "1" } });
    const before = t.tree();
    const { user, end } = await t.bash(
      "git -c user.name=x -c user.email=x@x checkout -q -b other && echo 2 > a && git rm -q b && git -c user.name=x -c user.email=x@x commit -qam two",
    );
    const head = t.git("rev-parse", "HEAD");
    const gitFiles = fs.readFileSync(t.path(".git/index"));
    await t.restore(user);
    expect([t.tree(), t.git("rev-parse", "HEAD")]).toEqual([before, head]);
    expect(fs.readFileSync(t.path(".git/index"))).toEqual(gitFiles);
    await t.restore(end);
    expect(t.tree()).toEqual({ a: "644 2\n" });
  });

  it("is listed for a file that git stores in another form", async () => {
    await using t = await project({ files: { ".gitattributes": "*.txt filter=upper\n" } });
    t.git("config", "filter.upper.clean", "tr a-z A-Z");
    t.file("a.txt", "small");
    t.git("add", "-A");
    t.git("commit", "-q", "-m", "filtered");
    await known(t, "a.txt");
    const { user } = await t.bash("echo x > a.txt");
    expect((await t.restore(user)).skipped).toEqual([{ path: "a.txt", reason: "git stores it in another form" }]);
    expect(t.text("a.txt")).toBe("x\n");
  });

  it.each([
    ["too many files", { maxFiles: 2 }, "more than 2 files"],
    [
      "a look that takes too long",
      { maxScanMs: 1 },
      "scanning took more than 1 ms, which `maxScanMs` in [checkpoints] sets",
    ],
  ])("is reported as not covered: %s", async (_why, config, reason) => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, `${n}`]));
    await using t = await project({ files, config });
    await t.bash("echo x > f1");
    expect(await t.checkpoints()).toEqual([{ calls: ["call1"], files: [], notCovered: [{ path: ".", reason }] }]);
  });

  it("is not covered in a home directory", async () => {
    await using t = await project({ plain: true });
    fs.writeFileSync(`${t.home}/key`, "secret");
    const { sessionId } = await t.client.request("create_session", { cwd: t.home });
    t.next([toolCall("Bash", { command: "echo x > key" })]);
    const { id } = await t.client.request("send_message", { sessionId, content: "go" });
    await t.client.request("wait_turn", { sessionId, id });
    expect((await t.client.request("preview_files", { sessionId, targetEventId: id })).notCovered).toEqual([
      { path: ".", reason: "the home directory is not scanned" },
    ]);
    expect(t.blobs()).toEqual([]);
  });

  it("is found without running programs that the repository configures", async () => {
    await using t = await project({ files: { a: "1" } });
    const trap = (name: string) => `touch ${t.home}/${name}`;
    fs.writeFileSync(t.path(".git/trap"), `#!/bin/sh\n${trap("script")}\n`, { mode: 0o755 });
    const settings = {
      "core.fsmonitor": t.path(".git/trap"),
      "core.hooksPath": t.path(".git/hooks"),
      "core.sshCommand": t.path(".git/trap"),
      "core.pager": t.path(".git/trap"),
      "filter.x.clean": t.path(".git/trap"),
      "filter.x.smudge": t.path(".git/trap"),
      "diff.external": t.path(".git/trap"),
      "remote.origin.url": "ext::sh -c touch% $HOME/remote",
      "remote.origin.promisor": "true",
      "protocol.ext.allow": "always",
      "extensions.partialClone": "origin",
    };
    for (const [key, value] of Object.entries(settings)) t.git("config", key, value);
    fs.mkdirSync(t.path(".git/hooks"), { recursive: true });
    for (const hook of ["post-index-change", "post-checkout", "fsmonitor-watchman"])
      fs.copyFileSync(t.path(".git/trap"), t.path(`.git/hooks/${hook}`));
    t.file(".gitattributes", "* filter=x\n");
    const object = t.git("rev-parse", "HEAD:a").trim();
    fs.rmSync(t.path(`.git/objects/${object.slice(0, 2)}/${object.slice(2)}`));
    for (const name of ["script", "remote"]) fs.rmSync(`${t.home}/${name}`, { force: true });
    // With an index older than its files, git compares contents, and runs filters for this.
    t.file("b", "1");
    t.git("-c", "filter.x.clean=", "add", "b");
    fs.rmSync(`${t.home}/script`, { force: true });
    fs.utimesSync(t.path(".git/index"), 1, 1);
    const { user } = await t.bash("echo 2 > a", "echo 3 > a");
    await t.restore(user);
    expect(fs.readdirSync(t.home)).toEqual([".scorel"]);
  });
});

it("what a command changes after a client has asked for the changes can be restored, too", async () => {
  await using t = await project({ files: { a: "1\n", b: "1\n" } });
  const wait = "while ! test -e .git/go; do sleep 0.05; done";
  t.next([toolCall("Bash", { command: `echo 2 > a; ${wait}; echo 2 > b; echo 2 > new` })]);
  const { id } = await t.client.request("send_message", { sessionId: t.sessionId, content: "go on" });
  await eventually(() => expect(t.text("a")).toBe("2\n"));
  expect((await t.changes()).changes.map(({ path }) => path)).toEqual(["a"]);
  t.file(".git/go", "");
  await t.client.request("wait_turn", { sessionId: t.sessionId, id });
  expect(await t.restore(id)).toEqual({ restored: ["a", "b", "new"], skipped: [] });
  expect(t.tree()).toEqual({ a: "644 1\n", b: "644 1\n" });
});

it("a command that replaces the repository leaves only its own changes of tracked files without their old content", async () => {
  await using t = await project({ files: { a: "1\n", b: "1\n" } });
  await known(t, "a", "b");
  const { user } = await t.bash("rm -rf .git; git init -q; echo 2 > a; echo 2 > new");
  expect(await t.restore(user)).toEqual({ restored: ["new"], skipped: [{ path: "a", reason: "git has lost it" }] });
  expect(t.tree()).toEqual({ a: "644 2\n", b: "644 1\n" });
});

it("a command that removes the repository leaves only its own changes of tracked files without their old content", async () => {
  await using t = await project({ files: { a: "1\n", b: "1\n" } });
  await known(t, "a", "b");
  const first = await t.bash("rm -rf .git; echo 2 > a; echo 2 > new");
  const second = await t.bash("echo 3 > b");
  expect((await t.restore(second.user)).skipped).toEqual([]);
  expect(t.tree()).toEqual({ a: "644 2\n", b: "644 1\n", new: "644 2\n" });
  expect(await t.restore(first.user)).toEqual({
    restored: ["new"],
    skipped: [{ path: "a", reason: "git has lost it" }],
  });
  expect(t.tree()).toEqual({ a: "644 2\n", b: "644 1\n" });
});
