import * as fs from "node:fs";
import { join } from "node:path";
import history from "@scorel/history";
import type {} from "@scorel/history/contract";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mountedFile, type SmallDisk, smallFileSystem } from "../../fault/disk.ts";
import { gate, text } from "../../model-server.ts";
import { itWith } from "../../optional.ts";
import { type Project, project } from "./project.ts";

const put = (t: Project, name: string, content?: string) =>
  ["Put", { path: t.path(name), ...(content !== undefined && { content }) }] as const;

describe("a restore", () => {
  it("previews its changes", async () => {
    await using t = await project({ files: { a: "one\ntwo\n", gone: "x\n", mode: "m", data: "\0a" } });
    const { user, end } = await t.bash("echo 2 > a; rm gone; echo n > new; chmod 700 mode; printf '\\0b' > data");
    const after = t.tree();
    expect(await t.preview(user)).toEqual({
      changes: [
        { path: "a", kind: "modified", diff: "--- a/a\n+++ b/a\n@@ -1,1 +1,2 @@\n-2\n+one\n+two" },
        { path: "data", kind: "modified" },
        { path: "gone", kind: "created", diff: "--- a/gone\n+++ b/gone\n@@ -0,0 +1,1 @@\n+x" },
        { path: "mode", kind: "mode" },
        { path: "new", kind: "deleted", diff: "--- a/new\n+++ b/new\n@@ -1,1 +0,0 @@\n-n" },
      ],
      notCovered: [],
    });
    expect(await t.preview(end)).toEqual({ changes: [], notCovered: [] });
    expect(t.tree()).toEqual(after);
  });

  it("previews a file in Latin-1 as Read shows it", async () => {
    await using t = await project({ files: { a: "one\n" } });
    const { user } = await t.bash("printf 'caf\\351\\n' > a");
    const diff = "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-café\n+one";
    expect(await t.preview(user)).toEqual({ changes: [{ path: "a", kind: "modified", diff }], notCovered: [] });
  });

  it("does not show any part of a known key in the preview, even in cut lines", async () => {
    const key = "sk-live-QWERTYUIOPLKJHGF";
    vi.stubEnv("OPENAI_API_KEY", key);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using t = await project({ files: { a: `${"x".repeat(385)}${key}\n` } });
    const { user } = await t.bash("sed -i s/^x/y/ a");
    const [{ diff = "" } = {}] = (await t.preview(user)).changes;
    expect([diff.includes("[redacted]"), diff.includes("sk-live")]).toEqual([true, false]);
  });

  it("goes back, and forward again, also from another branch of the conversation", async () => {
    await using t = await project({ files: { a: "0" } });
    const one = await t.turn([put(t, "a", "1")]);
    const two = await t.turn([put(t, "a", "2"), put(t, "b", "2")]);
    await t.restore(one.user);
    const { session } = await t.kernel();
    await session.append("rewind", { targetEventId: one.user });
    const three = await t.turn([put(t, "c", "3")]);
    const seen = [];
    for (const target of [two.end, one.end, three.end, three.user, two.user]) {
      await t.restore(target);
      seen.push(t.tree());
    }
    expect(seen).toEqual([
      { a: "644 2", b: "644 2" },
      { a: "644 1" },
      { a: "644 0", c: "644 3" },
      { a: "644 0" },
      { a: "644 1" },
    ]);
  });

  it("with an undo, leaves alone what an earlier undo has kept", async () => {
    await using t = await project({ files: { a: "0" }, plugins: [history] });
    await t.turn([put(t, "a", "1")]);
    await t.client.request("undo", { sessionId: t.sessionId });
    await t.turn([put(t, "b", "2")]);
    const { sessionId } = t;
    expect((await t.client.request("preview_undo", { sessionId })).changes.map(({ path }) => path)).toEqual(["b"]);
    const undone = await t.client.request("undo", { sessionId, files: true });
    expect([undone.leafId, t.tree()]).toEqual([null, { a: "644 1" }]);
    await t.client.request("redo", { sessionId, files: true });
    expect(t.tree()).toEqual({ a: "644 1", b: "644 2" });
  });

  it("restores files of an emptied project, and does not attribute them to later commands", async () => {
    await using t = await project({ files: { a: "1", "d/x": "1", "e/f/g": "1" } });
    const first = t.tree();
    const { user } = await t.turn([put(t, "a"), put(t, "e/f/g")]);
    await t.bash("rm d/x", "rm -f d/x");
    expect([await t.restore(user), t.tree()]).toEqual([{ restored: ["a", "d/x", "e/f/g"], skipped: [] }, first]);
    const linked = await t.bash("rm a; ln -s e/f/g a");
    const second = t.tree();
    const last = await t.bash("rm d/x; ln -s d/y d/x");
    expect([(await t.restore(last.user)).skipped, t.tree()]).toEqual([[], second]);
    expect([(await t.restore(linked.user)).skipped, t.tree()]).toEqual([[], first]);
  });

  it("skips files that were changed by others, unless forced", async () => {
    await using t = await project({ files: { a: "1", b: "1", c: "1" } });
    const { user } = await t.bash("echo 2 > a; echo 2 > b; rm c");
    await t.changes();
    t.file("a", "mine");
    t.file("c", "mine");
    const reason = "it was changed afterwards by another program";
    expect((await t.preview(user)).changes.map(({ path, conflict }) => [path, conflict])).toEqual([
      ["a", reason],
      ["b", undefined],
      ["c", reason],
    ]);
    expect(await t.restore(user)).toEqual({
      restored: ["b"],
      skipped: [
        { path: "a", reason },
        { path: "c", reason },
      ],
    });
    expect(t.tree()).toEqual({ a: "644 mine", b: "644 1", c: "644 mine" });
    expect(await t.restore(user, true)).toEqual({ restored: ["a", "c"], skipped: [] });
    expect(t.tree()).toEqual({ a: "644 1", b: "644 1", c: "644 1" });
  });

  it("stores what it overwrites, so that it can be undone", async () => {
    await using t = await project({ files: { a: "1" } });
    const { user, end } = await t.turn([put(t, "a", "2")]);
    t.file("a", "mine");
    await t.restore(user, true);
    const kept = t.blobs().map((path) => fs.readFileSync(path, "utf8"));
    expect(kept.sort()).toEqual(["1", "2", "mine"]);
    await t.restore(end);
    expect(t.text("a")).toBe("mine");
  });

  it("restores modes, and replaces read-only files", async () => {
    await using t = await project();
    t.file("script", "1", 0o755);
    t.file("sealed", "1", 0o444);
    const { user, end } = await t.bash("chmod 644 script; rm -f sealed; echo 2 > sealed; chmod 400 sealed; rm script");
    await t.restore(user);
    expect(t.tree()).toEqual({ script: "755 1", sealed: "444 1" });
    await t.restore(end);
    expect(t.tree()).toEqual({ sealed: "400 2\n" });
  });

  itWith("mounts", "writes a file in place that is mounted over another, as in containers", async () => {
    await using t = await project({ files: { a: "old text\n", b: "b" } });
    using _mounted = mountedFile(t.path("a"), t.path("a"));
    const before = t.tree();
    const { user, end } = await t.bash("echo new > a; chmod 755 a; echo new > b");
    const after = t.tree();
    expect(await t.restore(user)).toEqual({ restored: ["a", "b"], skipped: [] });
    expect(t.tree()).toEqual(before);
    expect(await t.restore(end)).toEqual({ restored: ["a", "b"], skipped: [] });
    expect(t.tree()).toEqual(after);
  });

  itWith("mounts", "leaves a file that is written in place as it was if the disk is full", async () => {
    using disk = smallFileSystem(64) as SmallDisk;
    await using t = await project({ files: { a: "" } });
    const source = join(disk.directory, "a");
    fs.writeFileSync(source, "x".repeat(30_000));
    using _mounted = mountedFile(source, t.path("a"));
    const { user } = await t.bash("echo new > a");
    await t.changes();
    disk.fill?.();
    expect(await t.restore(user)).toEqual({ restored: [], skipped: [{ path: "a", reason: "the disk is full" }] });
    expect(t.text("a")).toBe("new\n");
  });

  it("replaces a folder by a file, and a file by a folder", async () => {
    await using t = await project({ files: { "a/x": "1", b: "1" } });
    const before = t.tree();
    const { user, end } = await t.bash("rm -r a; echo 2 > a; rm b; mkdir b; echo 2 > b/y");
    const after = t.tree();
    for (const [target, tree] of [
      [user, before],
      [end, after],
    ] as const) {
      expect((await t.restore(target)).skipped).toEqual([]);
      expect(t.tree()).toEqual(tree);
    }
  });

  it("replaces a folder only if it contains nothing but folders", async () => {
    await using t = await project({ files: { a: "1", b: "1" } });
    const { user } = await t.bash("rm a b; mkdir -p a/x/y b/x/y");
    await t.changes();
    t.file("b/x/y/z", "mine");
    expect(await t.restore(user)).toEqual({
      restored: ["a"],
      skipped: [{ path: "b", reason: "a file is in a folder's place, or a folder with files in a file's" }],
    });
    expect(t.tree()).toEqual({ a: "644 1", "b/x/y/z": "644 mine" });
  });

  it("removes folders that it empties, but not the working directory", async () => {
    await using t = await project({ files: { keep: "k" } });
    const { user } = await t.bash("mkdir -p made/deep full; echo 1 > made/deep/a; echo 1 > full/a; mkdir full/other");
    await t.restore(user);
    expect(fs.readdirSync(t.dir).sort()).toEqual([".git", "full", "keep"]);
  });

  it("does not restore a content that does not match its hash", async () => {
    await using t = await project({ files: { a: "1" } });
    const { user } = await t.turn([put(t, "a", "2")]);
    for (const path of t.blobs()) fs.writeFileSync(path, "x");
    const { restored, skipped } = await t.restore(user);
    expect(restored).toEqual([]);
    expect(skipped).toEqual([{ path: "a", reason: expect.stringContaining("does not match the hash in its name") }]);
    expect(t.text("a")).toBe("2");
  });

  it("reports missing contents", async () => {
    await using t = await project({ files: { a: "1" } });
    const { user } = await t.turn([put(t, "a", "2")]);
    for (const path of t.blobs()) fs.rmSync(path);
    expect(await t.restore(user)).toEqual({
      restored: [],
      skipped: [{ path: "a", reason: "its content is not stored" }],
    });
  });

  it("does not follow a link that replaced a folder", async () => {
    await using t = await project({ files: { "d/a": "1", "d/b": "1" } });
    const { user } = await t.turn([put(t, "d/a", "2"), put(t, "d/b")]);
    const outside = join(t.home, "outside");
    fs.renameSync(t.path("d"), outside);
    fs.symlinkSync(outside, t.path("d"));
    const reason = "its folder is a link";
    expect(await t.restore(user, true)).toEqual({
      restored: [],
      skipped: [
        { path: "d/a", reason },
        { path: "d/b", reason },
      ],
    });
    expect(fs.readdirSync(outside)).toEqual(["a"]);
    expect(fs.readFileSync(join(outside, "a"), "utf8")).toBe("2");
  });

  it("replaces a link, never its target", async () => {
    await using t = await project({ files: { a: "1" } });
    const secret = join(t.home, "secret");
    fs.writeFileSync(secret, "keep");
    const { user } = await t.bash(`ln -sf ${secret} a`);
    expect((await t.restore(user)).restored).toEqual(["a"]);
    expect([t.tree(), fs.readFileSync(secret, "utf8")]).toEqual([{ a: "644 1" }, "keep"]);
  });

  it("is refused while a turn runs", async () => {
    const here = gate();
    await using t = await project({ files: { a: "1" } });
    const { user } = await t.turn([put(t, "a", "2")]);
    t.next([{ do: "until", promise: here.promise }, text("late")]);
    const { id } = await t.client.request("send_message", { sessionId: t.sessionId, content: "go" });
    await expect(t.restore(user)).rejects.toMatchObject({ code: "CHECKPOINT_BUSY" });
    here.open();
    await t.client.request("wait_turn", { sessionId: t.sessionId, id });
    expect((await t.restore(user)).restored).toEqual(["a"]);
  });

  it("accepts events of the conversation as targets, and no others", async () => {
    await using t = await project({ files: { a: "1" } });
    await t.turn([put(t, "a", "2")]);
    const { session } = await t.kernel();
    const beside = [...session.tree].find(({ type }) => type === "custom")?.id as string;
    for (const id of ["nothing", beside])
      await expect(t.restore(id)).rejects.toMatchObject({ code: "CHECKPOINT_TARGET" });
  });

  it("works in a copy of the session", async () => {
    await using t = await project({ files: { a: "1" } });
    const { user } = await t.bash("echo 2 > a");
    await t.changes();
    const { sessionId } = await t.client.request("clone_session", { sessionId: t.sessionId });
    const asked = { sessionId, targetEventId: user };
    expect(await t.client.request("restore_files", asked)).toEqual({ restored: ["a"], skipped: [] });
    expect(t.text("a")).toBe("1");
  });

  it("works after the session was closed and opened again", async () => {
    await using t = await project({ files: { a: "1" } });
    const { user, end } = await t.bash("echo 2 > a; echo n > b");
    await t.reopen();
    await t.restore(user);
    expect(t.tree()).toEqual({ a: "644 1" });
    await t.reopen();
    await t.restore(end);
    expect(t.tree()).toEqual({ a: "644 2\n", b: "644 n\n" });
  });
});

/** A project in which a command has changed so many files that restoring them takes several turns of the event loop. */
async function changedAll() {
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`f${String(n).padStart(3, "0")}`, "1\n"]));
  const t = await project({ files });
  const { user } = await t.bash("for f in f*; do echo 2 > $f; done");
  await t.changes();
  /** The number of files with their content from before the command. */
  const restored = () => Object.keys(files).filter((name) => t.text(name) === "1\n").length;
  /** Resolves in a turn of the event loop in which some files are restored and others are not. */
  const halfWay = async () => {
    while (restored() === 0) await new Promise(setImmediate);
    return restored();
  };
  return { t, user, restored, halfWay, all: Object.keys(files).length };
}

describe("a restore of very many files", () => {
  it("lets the host do other things meanwhile, and a message waits for its end", async () => {
    const { t, user, restored, halfWay, all } = await changedAll();
    await using _ = t;
    const restoring = t.restore(user);
    expect(await halfWay()).toBeLessThan(all);
    let atRequest = 0;
    t.next(async () => {
      atRequest = restored();
      return text("Done.");
    });
    const { id } = await t.client.request("send_message", { sessionId: t.sessionId, content: "go on" });
    expect((await restoring).restored).toHaveLength(all);
    await t.client.request("wait_turn", { sessionId: t.sessionId, id });
    expect(atRequest).toBe(all);
  });

  it("stops when it is cancelled; what was restored by then is recorded, and can be undone", async () => {
    const { t, user, restored, halfWay, all } = await changedAll();
    await using _ = t;
    const restoring = expect(t.restore(user)).rejects.toMatchObject({ code: "AGENT_CANCELLED" });
    await halfWay();
    await t.client.request("cancel", { sessionId: t.sessionId });
    await restoring;
    const { changes } = await t.preview(user);
    expect(changes.length).toBe(all - restored());
    expect(restored()).toBeLessThan(all);
    expect((await t.restore(user)).skipped).toEqual([]);
    expect(restored()).toBe(all);
  });

  it("is finished when the session is opened again, if it was closed meanwhile", async () => {
    const { t, user, restored, halfWay, all } = await changedAll();
    await using _ = t;
    const restoring = t.restore(user).catch(() => undefined);
    await halfWay();
    await t.reopen();
    await restoring;
    await t.changes();
    expect(restored()).toBe(all);
  });
});

describe("the changes of a session", () => {
  it("are compared with its beginning", async () => {
    await using t = await project({ files: { a: "1\n", b: "1\n", same: "1\n" } });
    await t.bash("echo 2 > a; rm b; echo 2 > same", "echo 3 > a; echo 1 > same; echo n > new");
    expect(await t.changes()).toEqual({
      changes: [
        { path: "a", kind: "modified", diff: "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-1\n+3" },
        { path: "b", kind: "deleted", diff: "--- a/b\n+++ b/b\n@@ -1,1 +0,0 @@\n-1" },
        { path: "new", kind: "created", diff: "--- a/new\n+++ b/new\n@@ -0,0 +1,1 @@\n+n" },
      ],
      notCovered: [],
    });
  });

  it("are truncated if they are long", async () => {
    await using t = await project({ files: { long: "x\n" } });
    const lines = Array.from({ length: 3_000 }, (_, n) => `${n}`);
    await t.turn([put(t, "long", [`${"y".repeat(1_000)}`, ...lines].join("\n"))]);
    const [change] = (await t.changes()).changes;
    expect(change?.diff?.split("\n").at(-1)).toMatch(/^… 1\d\d\d more lines$/);
    // The sign, 400 characters, and the mark for the cut.
    expect(Math.max(...(change?.diff?.split("\n") ?? []).map((line) => line.length))).toBe(402);
  });
});

describe("a session from elsewhere", () => {
  const evil = (path: string, sha256: string) => ({
    kind: "checkpoint",
    data: {
      v: 1,
      hidden: true,
      calls: [],
      files: [{ path, before: { kind: "file", mode: 0o644, size: 4, sha256 }, after: { kind: "absent" } }],
      notCovered: [],
    },
  });

  it.each([
    ["imported", { meta: { imported: true } }],
    ["from another device", { clonedFrom: { deviceId: "other", sessionId: "s", eventId: "e" } }],
  ])("that is %s restores nothing", async (_name, mark) => {
    await using t = await project({ files: { a: "1" } });
    const { user } = await t.turn([put(t, "a", "2")]);
    const log = join(t.home, ".scorel/sessions", `${t.sessionId}.jsonl`);
    await t.reopen(() => markHeader(log, mark));
    await expect(t.restore(user, true)).rejects.toMatchObject({ code: "CHECKPOINT_FOREIGN" });
    const reason = expect.stringContaining("imported or comes from another device") as string;
    expect(await t.preview(user)).toEqual({ changes: [], notCovered: [{ path: ".", reason }] });
    expect(t.text("a")).toBe("2");
  });

  it("does not restore paths outside of the project", async () => {
    await using t = await project({ files: { a: "evil" } });
    const { user } = await t.turn([put(t, "a")]);
    const { session } = await t.kernel();
    const [blob = ""] = t.blobs();
    const hash = blob.slice(-64);
    const paths = [
      "../evil",
      "/tmp/evil",
      "x/../../evil",
      ".git/hooks/x",
      ".scorel/x",
      "X/.GIT/x",
      "a/./b",
      "",
      ".",
      "a//b",
      "c\0d",
    ];
    for (const path of paths) await session.append("custom", evil(path, hash));
    for (const data of [
      null,
      1,
      { v: 2 },
      { ...evil("a", hash).data, files: [{ path: "x", before: { kind: "file" } }] },
    ])
      await session.append("custom", { kind: "checkpoint", data });
    await t.restore(user, true);
    expect(t.tree()).toEqual({ a: "644 evil" });
    expect(fs.readdirSync(join(t.dir, "..")).sort()).toEqual(["home", "project"]);
    expect(fs.existsSync(t.path(".git/hooks/x"))).toBe(false);
  });
});

/** Changes the header of a log. A line without a checksum is accepted unchecked. */
function markHeader(path: string, mark: object): void {
  const [first = "", ...rest] = fs.readFileSync(path, "utf8").split("\n");
  const { checksum: _checksum, crc: _crc, meta, ...header } = JSON.parse(first);
  const marked = { ...header, ...mark, meta: { ...meta, ...(mark as { meta?: object }).meta } };
  const lines = rest
    .filter((line) => line !== "")
    .map((line) => {
      const { crc: _, ...event } = JSON.parse(line);
      return JSON.stringify(event);
    });
  fs.writeFileSync(path, `${[JSON.stringify(marked), ...lines].join("\n")}\n`);
}
