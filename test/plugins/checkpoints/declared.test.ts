import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { gate, text, toolCall } from "../../model-server.ts";
import { checkpointsIn, project } from "./project.ts";

const hash = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const plain = (content: string | Buffer, mode = 0o644) => ({
  kind: "file",
  mode,
  size: content.length,
  sha256: hash(content),
});
const nothing = { kind: "absent" };
const modeOf = (path: string) => fs.statSync(path).mode & 0o777;

describe("before a tool that declares what it writes", () => {
  it("stores and references the content before, and records the state after", async () => {
    await using t = await project({ files: { "a.txt": "one\n" } });
    const edit = { file_path: "a.txt", old_string: "one", new_string: "two" };
    await t.turn([["Read", { file_path: "a.txt" }]], [["Edit", edit]], [["Write", { file_path: "b/c", content: "c" }]]);
    expect(await t.checkpoints()).toEqual([
      { calls: ["call2"], files: [{ path: "a.txt", before: plain("one\n") }], notCovered: [] },
      { calls: ["call2"], files: [{ path: "a.txt", after: plain("two\n") }], notCovered: [] },
      { calls: ["call3"], files: [{ path: "b/c", before: nothing }], notCovered: [] },
      { calls: ["call3"], files: [{ path: "b/c", after: plain("c") }], notCovered: [] },
    ]);
  });

  it("stores a content once, readable by its owner only", async () => {
    await using t = await project({ files: { a: "same", b: "same" } });
    await t.turn([
      ["Put", { path: t.path("a"), content: "x" }],
      ["Put", { path: t.path("b"), content: "x" }],
    ]);
    const folder = `${t.home}/.scorel/blobs`;
    const pathOf = (content: string) => `${folder}/${hash(content).slice(0, 2)}/${hash(content)}`;
    expect(t.blobs().sort()).toEqual([pathOf("same"), pathOf("x")].sort());
    expect(t.blobs().map((path) => [modeOf(path), modeOf(path.slice(0, -65))])).toEqual([
      [0o600, 0o700],
      [0o600, 0o700],
    ]);
    expect(modeOf(folder)).toBe(0o700);
    expect(fs.readFileSync(pathOf("same"), "utf8")).toBe("same");
  });

  it("distinguishes binary files, links and paths without content", async () => {
    await using t = await project({ files: { real: "r" } });
    const bytes = Buffer.from([1, 0, 2]);
    t.file("image", bytes);
    fs.symlinkSync("real", t.path("link"));
    fs.mkdirSync(t.path("folder"));
    for (const name of ["image", "link"]) await t.turn([["Put", { path: t.path(name) }]]);
    await t.turn([["Put", { path: t.path("folder/new"), content: "" }]]);
    expect((await t.checkpoints()).flatMap(({ files }) => files.filter(({ before }) => before))).toEqual([
      { path: "image", before: { ...plain(bytes), binary: true } },
      { path: "link", before: { kind: "symlink", target: "real" } },
      { path: "folder/new", before: nothing },
    ]);
  });

  it("writes the log before the tool runs", async () => {
    let file = "";
    const seen = gate();
    const end = gate();
    const slow = definePlugin({
      id: "slow",
      name: "Slow",
      version: "1.0.0",
      tools: () => [
        {
          name: "Slow",
          description: "waits",
          parameters: { type: "object", properties: {} },
          access: () => ({ writes: [file] }),
          execute: async () => {
            seen.open();
            await end.promise;
            return { content: [] };
          },
        },
      ],
    });
    await using t = await project({ files: { a: "one" }, plugins: [slow] });
    file = t.path("a");
    const turn = t.turn([["Slow", {}]]);
    await seen.promise;
    expect(checkpointsIn(await t.kernel())).toEqual([
      { calls: ["call1"], files: [{ path: "a", before: plain("one") }], notCovered: [] },
    ]);
    end.open();
    await turn;
  });

  it("lists a file that is too large, and one that exceeds the limit of a turn", async () => {
    await using t = await project({
      files: { big: "0123456789+", a: "aaaaaa", b: "bbbbbb" },
      config: { maxFileBytes: 10, maxTurnBytes: 10 },
    });
    const gone = (name: string) => ["Put", { path: t.path(name) }] as const;
    const first = await t.turn([gone("big")], [gone("a")], [gone("b")]);
    t.file("b", "bbbbbb");
    await t.turn([gone("b")]);
    expect((await t.checkpoints()).flatMap(({ notCovered }) => notCovered)).toEqual([
      { path: "big", reason: "over 10 bytes" },
      { path: "b", reason: "over 10 bytes in one turn" },
    ]);
    expect(await t.restore(first.user)).toEqual({
      restored: ["a"],
      skipped: [
        { path: "big", reason: "over 10 bytes" },
        { path: "b", reason: "over 10 bytes in one turn" },
      ],
    });
  });

  it("limits a file to 10 MB by default", async () => {
    await using t = await project();
    t.file("just", Buffer.alloc(10 * 1024 * 1024));
    t.file("over", Buffer.alloc(10 * 1024 * 1024 + 1));
    await t.turn([
      ["Put", { path: t.path("just") }],
      ["Put", { path: t.path("over") }],
    ]);
    expect((await t.checkpoints()).flatMap(({ notCovered }) => notCovered)).toEqual([
      { path: "over", reason: "over 10 MiB" },
    ]);
  });

  it("lists a content that cannot be stored, and goes on", async () => {
    await using t = await project({ files: { a: "1" } });
    fs.mkdirSync(`${t.home}/.scorel`, { recursive: true });
    fs.writeFileSync(`${t.home}/.scorel/blobs`, "a file in the folder's place");
    const { user } = await t.turn([["Put", { path: t.path("a"), content: "2" }]]);
    const reason = "it could not be stored (BLOB_WRITE)";
    expect(await t.restore(user)).toEqual({ restored: [], skipped: [{ path: "a", reason }] });
    expect(t.text("a")).toBe("2");
  });

  it("records nothing for a name that is no path, which a tool declares to keep its calls in order", async () => {
    await using t = await project({ files: { a: "1" } });
    await t.turn([["TodoWrite", { todos: [{ content: "a", status: "pending" }] }]]);
    expect(await t.checkpoints()).toEqual([]);
    expect(await t.changes()).toEqual({ changes: [], notCovered: [] });
  });

  it("lists paths outside of the project or that control git or the agent, and never reads them", async () => {
    await using t = await project({ files: { a: "a" } });
    const outside = `${t.home}/notes`;
    fs.writeFileSync(outside, "secret");
    await t.turn([["Put", { path: outside, content: "x" }]], [["Put", { path: t.path(".git/x"), content: "x" }]]);
    const reason = "it is outside of the project, or controls git or the agent";
    expect(await t.checkpoints()).toEqual([
      { calls: ["call1"], files: [], notCovered: [{ path: outside, reason }] },
      { calls: ["call2"], files: [], notCovered: [{ path: t.path(".git/x"), reason }] },
    ]);
    expect(t.blobs()).toEqual([]);
  });

  it("detects arguments that a later layer changed", async () => {
    const meddler = definePlugin({
      id: "meddler",
      name: "Meddler",
      version: "1.0.0",
      needs: ["agent"],
      hooks: () => ({
        beforeToolCall: {
          level: "late",
          handler: (call) => {
            (call.args as { path: string }).path += "2";
            return undefined;
          },
        },
      }),
    });
    await using t = await project({ plugins: [meddler] });
    await t.turn([["Put", { path: t.path("a"), content: "x" }]]);
    expect((await t.checkpoints()).flatMap(({ notCovered }) => notCovered)).toEqual([
      { path: "a2", reason: "the call wrote to other files than it declared" },
    ]);
  });

  it.each([
    ["a file", { path: "b", content: "" }, "b"],
    ["a link to nothing", { path: "a" }, "a"],
  ])("a path that %s of the same round stands before is not counted as written", async (_what, first, target) => {
    await using t = await project({ files: { a: "a" } });
    fs.symlinkSync(target, t.path("d"));
    const before = t.tree();
    const { user } = await t.turn([
      ["Put", { ...first, path: t.path(first.path) }],
      ["Put", { path: t.path("d/x"), content: "" }],
    ]);
    expect((await t.checkpoints()).flatMap(({ notCovered }) => notCovered)).toEqual([]);
    expect(await t.restore(user)).toEqual({ restored: [target], skipped: [] });
    expect(t.tree()).toEqual(before);
  });

  it("does not record a call that a guard denied", async () => {
    const guard = definePlugin({
      id: "guard",
      name: "Guard",
      version: "1.0.0",
      needs: ["agent"],
      hooks: () => ({ beforeToolCall: () => ({ block: true, reason: "no" }) }),
    });
    await using t = await project({ files: { a: "a" }, plugins: [guard] });
    await t.turn([["Put", { path: t.path("a"), content: "x" }]]);
    expect(await t.checkpoints()).toEqual([]);
  });

  it("records what a cancelled call has written", async () => {
    const began = gate();
    const hanging = definePlugin({
      id: "hanging",
      name: "Hanging",
      version: "1.0.0",
      tools: () => [
        {
          name: "Hang",
          description: "writes and hangs",
          parameters: { type: "object", properties: { path: { type: "string" } } },
          access: ({ path }: { path: string }) => ({ writes: [path] }),
          execute: (_id, { path }: { path: string }) => {
            fs.writeFileSync(path, "half");
            began.open();
            return new Promise(() => {});
          },
        },
      ],
    });
    await using t = await project({ files: { a: "one" }, plugins: [hanging] });
    t.next([toolCall("Hang", { path: t.path("a") })]);
    const { id } = await t.client.request("send_message", { sessionId: t.sessionId, content: "go" });
    await began.promise;
    await t.client.request("cancel", { sessionId: t.sessionId });
    t.next(text("unused"));
    expect((await t.checkpoints()).flatMap(({ files }) => files)).toEqual([
      { path: "a", before: plain("one") },
      { path: "a", after: plain("half") },
    ]);
    expect((await t.restore(id)).restored).toEqual(["a"]);
    expect(t.text("a")).toBe("one");
  });

  it("records what a call writes after a client asked for the changes while the call waited for approval", async () => {
    const [asks, agrees] = [gate(), gate()];
    const guard = definePlugin({
      id: "guard",
      name: "Guard",
      version: "1.0.0",
      needs: ["agent"],
      hooks: () => ({
        approveToolCall: async () => {
          asks.open();
          await agrees.promise;
        },
      }),
    });
    await using t = await project({ files: { a: "one" }, plugins: [guard] });
    const turn = t.turn([["Put", { path: t.path("a"), content: "two" }]]);
    await asks.promise;
    expect((await t.changes()).changes).toEqual([]);
    agrees.open();
    const { user } = await turn;
    expect(await t.restore(user)).toEqual({ restored: ["a"], skipped: [] });
    expect(t.text("a")).toBe("one");
  });
});
