import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import type { Client } from "@scorel/host/contract";
import { definePlugin, ScorelError } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { redo, rewind, undo } from "../../../plugins/history/actions.ts";
import { withClient } from "../../../plugins/history/client.ts";
import { filesLeft } from "../../../plugins/history/drawing.ts";
import { treeCommands } from "../../../plugins/history/slash-commands.ts";
import { echoAgent } from "../host/home.ts";
import { desk } from "./desk.ts";

/** A plugin that records its inputs, and runs what the test sets while it restores files. With `reason`, it covers no files. */
function checkpoints(reason?: string, conflict?: string) {
  const asked: unknown[] = [];
  const during: { restore(): unknown } = { restore: () => undefined };
  const target = { sessionId: z.string(), targetEventId: z.string() };
  const change = { path: "cart.js", kind: "modified" as const, diff: "-two\n+one\n", ...(conflict && { conflict }) };
  const notCovered = [{ path: ".", reason: reason ?? "" }];
  const preview = reason === undefined ? { changes: [change], notCovered: [] } : { changes: [], notCovered };
  const plugin = definePlugin({
    id: "keeper",
    name: "Keeper",
    version: "1.0.0",
    operations: () => ({
      preview_files: { params: z.strictObject(target), run: () => preview },
      restore_files: {
        params: z.strictObject({ ...target, overwrite: z.boolean().optional() }),
        run: async (params) => {
          asked.push(params);
          await during.restore();
          return { restored: ["cart.js"], skipped: [] };
        },
      },
    }),
  });
  return { asked, during, plugin, change };
}

describe("rewinding with the files", () => {
  it("restores them, then moves, once when a request is repeated", async () => {
    const { asked, during, plugin, change } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const target = { sessionId, targetEventId: one.slice(0, 12) };
    const preview = await client.request("preview_rewind", target);
    expect(preview).toEqual({ changes: [change], notCovered: [], targetEventId: one, leafId: two });
    const leaves: unknown[] = [];
    during.restore = () => leaves.push(session.activeLeaf);
    const wanted = { ...target, files: true, messageId: "m1" };
    const moved = await client.request("rewind", wanted);
    expect(moved).toMatchObject({ leafId: one, files: { restored: ["cart.js"], skipped: [] } });
    expect(leaves).toEqual([two]);
    await client.request("rewind", wanted);
    expect(asked).toEqual([{ sessionId, targetEventId: one }]);
  });

  it("to the start restores the files as of the first message", async () => {
    const { asked, plugin } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId, session } = t;
    await t.say("one");
    const first = session.tree.root?.id;
    await client.request("rewind", { sessionId, targetEventId: null, files: true, overwrite: true });
    await t.say("another first");
    await client.request("rewind", { sessionId, targetEventId: null, files: true });
    expect(asked).toEqual([
      { sessionId, targetEventId: first, overwrite: true },
      { sessionId, targetEventId: first },
    ]);
  });

  it("of a session without checkpoints restores nothing", async () => {
    const { asked, plugin } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId } = t;
    const preview = await client.request("preview_rewind", { sessionId, targetEventId: null });
    expect(preview).toEqual({ changes: [], notCovered: [], targetEventId: null, leafId: null });
    const moved = await client.request("rewind", { sessionId, targetEventId: null, files: true });
    expect(moved).toMatchObject({ leafId: null, files: { restored: [], skipped: [] } });
    expect(asked).toEqual([]);
  });

  it("changes no file when the move is not possible", async () => {
    const { asked, plugin } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const wanted = { sessionId, targetEventId: one, expectedLeafId: one, files: true };
    await expect(client.request("rewind", wanted)).rejects.toMatchObject({
      code: "HISTORY_CONFLICT",
      data: { actual: two },
    });
    expect(asked).toEqual([]);
  });

  it("does not move when the leaf moved meanwhile, and completes when repeated", async () => {
    const { during, plugin } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    await t.say("two");
    during.restore = () => t.say("typed meanwhile");
    const wanted = { sessionId, targetEventId: one, files: true };
    await expect(client.request("rewind", wanted)).rejects.toMatchObject({ code: "HISTORY_CONFLICT" });
    expect(t.spoken().at(-1)).toBe("echo: typed meanwhile");
    during.restore = () => undefined;
    await client.request("rewind", wanted);
    expect(session.activeLeaf).toBe(one);
  });

  it("says what is missing when no plugin keeps checkpoints", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const one = await t.say("one");
    const missing = { code: "HISTORY_NO_FILES", message: expect.stringContaining('"checkpoints"') as string };
    const target = { sessionId, targetEventId: one };
    await expect(client.request("preview_rewind", target)).rejects.toMatchObject(missing);
    await expect(client.request("rewind", { ...target, files: true })).rejects.toMatchObject(missing);
  });
});

describe("undoing and redoing with the files", () => {
  it("restores the files as of the undone message, and of the place that a redo leads to", async () => {
    const { asked, plugin, change } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const sent = session.tree.parent(two)?.id;
    const shown = { changes: [change], notCovered: [] };
    expect(await client.request("preview_undo", { sessionId })).toEqual({
      ...shown,
      targetEventId: one,
      leafId: two,
    });
    const files = { restored: ["cart.js"], skipped: [] };
    const undone = await client.request("undo", { sessionId, files: true, overwrite: true });
    expect(undone).toMatchObject({ leafId: one, files, message: { text: "two" } });
    expect(await client.request("preview_redo", { sessionId })).toEqual({
      ...shown,
      targetEventId: two,
      leafId: one,
    });
    expect(await client.request("redo", { sessionId, files: true })).toMatchObject({ leafId: two, files });
    expect(session.activeLeaf).toBe(two);
    expect(asked).toEqual([
      { sessionId, targetEventId: sent, overwrite: true },
      { sessionId, targetEventId: two },
    ]);
    await client.request("rewind", { sessionId, targetEventId: null, files: true });
    expect(await client.request("redo", { sessionId, files: true })).toMatchObject({ leafId: two, files });
  });

  it("restores the files of where an undo leads, if that leaves out an unfinished round, too", async () => {
    const { asked, plugin } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId } = t;
    await t.say("one");
    const two = await t.write({ role: "user", content: "two" });
    const call = { type: "toolCall" as const, id: "c1", name: "Write", arguments: {} };
    await t.write({ role: "assistant", content: [call] });
    await t.write({ role: "user", content: "three" });
    expect(await client.request("undo", { sessionId, files: true })).toMatchObject({ leafId: two });
    expect(asked).toEqual([{ sessionId, targetEventId: two }]);
  });

  it("changes no file when there is nothing to undo or redo, or the leaf is another one", async () => {
    const { asked, plugin } = checkpoints();
    await using t = await desk([echoAgent, plugin]);
    const { client, sessionId } = t;
    await expect(client.request("undo", { sessionId, files: true })).rejects.toMatchObject({ code: "HISTORY_NO_UNDO" });
    const one = await t.say("one");
    await expect(client.request("redo", { sessionId, files: true })).rejects.toMatchObject({ code: "HISTORY_NO_REDO" });
    await t.say("two");
    const late = { sessionId, expectedLeafId: one, files: true };
    await expect(client.request("undo", late)).rejects.toMatchObject({ code: "HISTORY_CONFLICT" });
    expect(asked).toEqual([]);
  });
});

it("asks before a move with the files if none of them can be restored", async () => {
  const { asked, plugin } = checkpoints("it is not on this computer");
  await using t = await desk([echoAgent, plugin]);
  const { client, host, sessionId, session } = t;
  await t.say("one");
  const two = await t.say("two");
  const { signal } = new AbortController();
  const context = { sessionId, clientId: "me", request: client.request, signal, cancelled: signal };
  expect(await treeCommands().undo?.run?.({ files: true }, context)).toMatchObject({
    output:
      "not covered: all files: it is not on this computer\nNo file can be restored. To go back anyway: /undo --files --yes",
    input: "/undo --files --yes",
  });
  const [stdout, interrupt] = [new PassThrough(), new AbortController().signal];
  const invocation = { args: [sessionId], options: { files: true }, stdin: stdout, stdout, stderr: stdout, interrupt };
  const unconfirmed = withClient(host, invocation as unknown as Invocation, undo);
  await expect(unconfirmed).rejects.toMatchObject({ code: "HISTORY_UNCONFIRMED" });
  expect([asked, session.activeLeaf]).toEqual([[], two]);
});

describe("a move without the files", () => {
  /** The note that a client adds after a move, if these files have changed since. */
  async function left(changes: readonly string[], thrown?: Error): Promise<string> {
    const request = async (operation: string, params: object) => {
      if (thrown) throw thrown;
      expect([operation, params]).toEqual(["preview_rewind", { sessionId: "s", targetEventId: "event" }]);
      return { changes: changes.map((path) => ({ path })) };
    };
    const at = { sessionId: "s", leafId: "event" };
    return filesLeft(request as unknown as Client["request"], at, (event) => `rewind ${event} --files`);
  }

  it("says which files are unchanged, and how to restore them", async () => {
    expect(await left(["a.js"])).toBe("a.js stays as it is now. To restore what it was then: rewind event --files\n");
    expect(await left(["a.js", "b.js"])).toBe(
      "2 files stay as they are now. To restore what they were then: rewind event --files\n",
    );
    expect(await left([])).toBe("");
  });

  it("says nothing without checkpoints, and gives the reason when files cannot be compared", async () => {
    expect(await left([], new ScorelError("HISTORY_NO_FILES", "none"))).toBe("");
    expect(await left([], new Error("git is broken"))).toBe(
      "Cannot tell whether files have changed since then: git is broken\n",
    );
  });

  it("is reported by undo, redo and rewind on the command line", async () => {
    await using t = await desk([echoAgent, checkpoints().plugin]);
    const { sessionId } = t;
    const one = await t.say("one");
    await t.say("two");
    const typed = async (action: typeof undo, ...args: string[]) => {
      const stdout = new PassThrough();
      const interrupt = new AbortController().signal;
      await withClient(
        t.host,
        { args, options: {}, stdout, stderr: stdout, interrupt } as unknown as Invocation,
        action,
      );
      stdout.end();
      return String(stdout.read()).trimEnd().split("\n").at(-1);
    };
    const told = (event: string) =>
      `cart.js stays as it is now. To restore what it was then: scorel session rewind ${sessionId} ${event} --files`;
    expect(await typed(undo, sessionId)).toBe(told(one));
    expect(await typed(redo, sessionId)).toMatch(/^cart\.js stays/);
    expect(await typed(rewind, sessionId, "start")).toBe(told("start"));
  });
});

it("says that a file which somebody else has changed is kept, and what replaces it", async () => {
  const { asked, plugin } = checkpoints(undefined, "it was changed afterwards by another program");
  await using t = await desk([echoAgent, plugin]);
  const { client, sessionId } = t;
  await t.say("one");
  const two = await t.say("two");
  const { signal } = new AbortController();
  const context = { sessionId, clientId: "me", request: client.request, signal, cancelled: signal };
  const why = "it was changed afterwards by another program";
  expect(await treeCommands().undo?.run?.({ files: true }, context)).toMatchObject({
    output: `kept as it is: cart.js: ${why} (--overwrite replaces it)\nNo file can be restored. To go back anyway: /undo --files --yes`,
  });
  expect(await treeCommands().undo?.run?.({ files: true, overwrite: true }, context)).toMatchObject({
    output: `modified: cart.js (${why})\n-two\n+one\nTo restore these files, and go back: /undo --files --overwrite --yes`,
  });
  expect([asked, t.session.activeLeaf]).toEqual([[], two]);
});
