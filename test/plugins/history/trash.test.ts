import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import history from "@scorel/history";
import { definePlugin, newId } from "@scorel/kernel";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { outputName, temporaryFolders } from "../../../plugins/kit/files/kept-outputs.ts";
import { ask, echoAgent, type TestHome, testHome, testHost } from "../host/home.ts";

const trashOf = ({ home }: TestHome) => join(home, ".scorel", "trash");
const inTrash = (home: TestHome) => (existsSync(trashOf(home)) ? readdirSync(trashOf(home)).sort() : []);

/** Creates a session that no process has open; returns its id. */
async function stored(home: TestHome): Promise<string> {
  await using t = await testHost([echoAgent], [], [history]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await ask(t.client, sessionId, "hello");
  return sessionId;
}

describe("a deleted session", () => {
  it("has all its files in the trash, and can be restored completely", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [history]);
    const { client } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "hello");
    await client.request("close_session", { sessionId });
    writeFileSync(home.session(`${sessionId}.torn-1`), "{");
    const other = await stored(home);
    const deleted = await client.request("delete_session", { sessionId: sessionId.slice(0, 12) });
    expect(deleted).toEqual({
      sessionId,
      trash: trashOf(home),
      text: `Session ${sessionId} is in the trash. To restore it: scorel session restore ${sessionId}`,
    });
    expect(inTrash(home)).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`, `${sessionId}.torn-1`]);
    expect(statSync(trashOf(home)).mode & 0o777).toBe(0o700);
    expect(home.files()).toEqual([`${other}.index.json`, `${other}.jsonl`]);
    expect((await client.request("list_sessions", {})).sessions.map((each) => each.sessionId)).toEqual([other]);
    await expect(client.request("load_session", { sessionId })).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    await client.request("restore_session", { sessionId: sessionId.slice(0, 12) });
    expect((await client.request("get_context", { sessionId })).messages).toHaveLength(2);
    expect(inTrash(home)).toEqual([]);
  });

  it("is said to be still open in the clients that have it open, but not in the one that deletes it", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [history]);
    const own = t.client;
    const { sessionId } = await own.request("create_session", { cwd: home.cwd });
    await ask(own, sessionId, "hello");
    const terminal = t.host.connect({ name: "terminal" });
    await terminal.subscribe(sessionId, () => {});
    expect((await own.request("delete_session", { sessionId })).text).toBe(
      `Session ${sessionId} is in the trash. It was still open in terminal, where nothing can be sent until it is restored. To restore it: scorel session restore ${sessionId}`,
    );
  });

  it("may just be closing, which is waited for", async () => {
    using home = testHome();
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const slow = definePlugin({
      id: "slow",
      name: "Slow",
      version: "1.0.0",
      activate: (ctx) => ctx.beforeStop(() => closed),
    });
    await using t = await testHost([echoAgent, slow], [], [history]);
    const { client } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "hello");
    const closing = client.request("close_session", { sessionId });
    const deleting = [1, 2].map(() => client.request("delete_session", { sessionId }));
    // A later request is answered after the session was found to be closing.
    await client.request("list_trash", {});
    close();
    expect(await Promise.all([closing, ...deleting])).toMatchObject([{ closed: true }, { sessionId }, { sessionId }]);
    expect([home.files(), inTrash(home)]).toEqual([[], [`${sessionId}.index.json`, `${sessionId}.jsonl`]]);
  });

  it("is reported as deleted when it is opened, by its id or a prefix", async () => {
    using home = testHome();
    const sessionId = await stored(home);
    await using t = await testHost([echoAgent], [], [history]);
    const { client } = t;
    await client.request("delete_session", { sessionId });
    const deleted = `Session ${sessionId} was deleted and is in the trash. To restore it: scorel session restore ${sessionId}`;
    for (const named of [sessionId, sessionId.slice(0, 8)]) {
      const asked = client.request("load_session", { sessionId: named });
      await expect(asked).rejects.toMatchObject({ code: "SESSION_UNKNOWN", message: deleted });
    }
    const nobody = client.request("load_session", { sessionId: "nobody" });
    await expect(nobody).rejects.toThrow('There is no session "nobody". `scorel session list --all` shows them.');
  });

  it("is closed first, and deleted and restored once by repeated requests", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [history]);
    const { client, host } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "hello");
    const other = host.connect();
    const deleted = await other.request("delete_session", { sessionId });
    expect(await other.request("delete_session", { sessionId })).toEqual(deleted);
    await expect(ask(client, sessionId, "more")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    const restored = await other.request("restore_session", { sessionId });
    expect(await other.request("restore_session", { sessionId })).toEqual(restored);
    expect(await ask(client, sessionId, "more")).toBe("echo: more");
  });

  it("delays requests that open it meanwhile", async () => {
    using home = testHome();
    const sessionId = await stored(home);
    await using t = await testHost([echoAgent], [], [history]);
    await t.client.request("delete_session", { sessionId });
    const other = t.host.connect();
    const [, loaded] = await Promise.all([
      t.client.request("restore_session", { sessionId }),
      // The session can be opened as soon as its log is back, while the lock is still held.
      (async () => {
        while (!existsSync(home.session(`${sessionId}.jsonl`))) await Promise.resolve();
        return other.request("load_session", { sessionId });
      })(),
    ]);
    expect(loaded.sessionId).toBe(sessionId);
  });

  it("is refused during a turn, and while another process holds the lock", async () => {
    using home = testHome();
    const sessionId = await stored(home);
    const busy = definePlugin({
      id: "agent",
      name: "Busy",
      version: "1.0.0",
      provides: ["agent"],
      activate: (ctx) => ctx.provide("agent", { running: true } as never),
    });
    await using t = await testHost([busy], [], [history]);
    await t.client.request("load_session", { sessionId });
    await expect(t.client.request("delete_session", { sessionId })).rejects.toMatchObject({
      code: "HOST_SESSION_BUSY",
    });
    await using second = await testHost([echoAgent], [], [history]);
    await expect(second.client.request("delete_session", { sessionId })).rejects.toMatchObject({
      code: "HOST_SESSION_LOCKED",
    });
    expect(inTrash(home)).toEqual([]);
  });

  it("is either listed or restorable at every step, when the deleting process is killed", async () => {
    using home = testHome();
    const sessionId = await stored(home);
    writeFileSync(home.session(`${sessionId}.torn-1`), "{");
    await using t = await testHost([echoAgent], [], [history]);
    const { client } = t;
    // The log is moved first, so a killed process leaves this state.
    mkdirSync(trashOf(home), { recursive: true });
    renameSync(home.session(`${sessionId}.jsonl`), join(trashOf(home), `${sessionId}.jsonl`));
    expect((await client.request("list_trash", {})).sessions).toMatchObject([{ sessionId }]);
    await client.request("restore_session", { sessionId });
    expect((await client.request("get_context", { sessionId })).messages).toHaveLength(2);
    await client.request("close_session", { sessionId });
    renameSync(home.session(`${sessionId}.jsonl`), join(trashOf(home), `${sessionId}.jsonl`));
    await client.request("delete_session", { sessionId });
    expect(inTrash(home)).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`, `${sessionId}.torn-1`]);
    expect(home.files()).toEqual([]);
    renameSync(join(trashOf(home), `${sessionId}.torn-1`), home.session(`${sessionId}.torn-1`));
    await client.request("restore_session", { sessionId });
    expect(home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`, `${sessionId}.torn-1`]);
  });

  it("may have a working directory that no longer exists", async () => {
    using home = testHome();
    const sessionId = await stored(home);
    rmSync(home.cwd, { recursive: true });
    await using t = await testHost([echoAgent], [], [history]);
    await expect(t.client.request("load_session", { sessionId })).rejects.toMatchObject({ code: "HOST_CWD_GONE" });
    await t.client.request("delete_session", { sessionId });
    expect(inTrash(home)).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
  });

  it("never replaces another session", async () => {
    using home = testHome();
    const sessionId = await stored(home);
    mkdirSync(trashOf(home), { recursive: true });
    writeFileSync(join(trashOf(home), `${sessionId}.jsonl`), "older");
    await using t = await testHost([echoAgent], [], [history]);
    const taken = { code: "HISTORY_TRASH_TAKEN" };
    await expect(t.client.request("delete_session", { sessionId })).rejects.toMatchObject(taken);
    await expect(t.client.request("restore_session", { sessionId })).rejects.toMatchObject(taken);
    for (const nobody of ["nobody", "../sessions/x", ".", "mine.txt"]) {
      const missing = { code: "HISTORY_NOT_IN_TRASH" };
      await expect(t.client.request("restore_session", { sessionId: nobody })).rejects.toMatchObject(missing);
      const unknown = { code: "SESSION_UNKNOWN" };
      await expect(t.client.request("delete_session", { sessionId: nobody })).rejects.toMatchObject(unknown);
    }
  });
});

it("a trash with thousands of sessions is listed in linear time", async () => {
  using home = testHome();
  const ids = Array.from({ length: 2_000 }, () => newId()).sort();
  mkdirSync(trashOf(home), { recursive: true });
  for (const id of ids)
    for (const ending of ["jsonl", "index.json"]) writeFileSync(join(trashOf(home), `${id}.${ending}`), "{}");
  await using t = await testHost([echoAgent], [], [history]);
  const began = performance.now();
  const { sessions } = await t.client.request("list_trash", {});
  expect(performance.now() - began).toBeLessThan(4_000);
  expect(sessions.map(({ sessionId, bytes }) => [sessionId, bytes]).sort()).toEqual(ids.map((id) => [id, 4]));
});

describe("emptying the trash", () => {
  it("deletes a session whose log is a link that leads to itself", async () => {
    using home = testHome();
    const id = newId();
    mkdirSync(dirname(home.session("log")), { recursive: true });
    symlinkSync(`${id}.jsonl`, home.session(`${id}.jsonl`));
    await using t = await testHost([echoAgent], [], [history]);
    await t.client.request("delete_session", { sessionId: id });
    const bytes = `${id}.jsonl`.length;
    const { sessions } = await t.client.request("list_trash", {});
    expect(sessions).toEqual([{ sessionId: id, bytes, title: "" }]);
    expect(await t.client.request("purge_sessions", {})).toMatchObject({ sessions: [id], bytes });
    expect(inTrash(home)).toEqual([]);
  });

  it("deletes permanently, then requests the removal of unused blobs", async () => {
    using home = testHome();
    const [kept, gone] = [await stored(home), await stored(home)];
    const asked: string[][] = [];
    const keeper = definePlugin({
      id: "keeper",
      name: "Keeper",
      version: "1.0.0",
      scope: "host",
      operations: () => ({
        purge_blobs: {
          params: z.strictObject({}),
          run: () => {
            asked.push(inTrash(home));
            return { removed: 2, bytes: 10, kept: 0 };
          },
        },
      }),
    });
    await using t = await testHost([echoAgent], [], [history, keeper]);
    await t.client.request("delete_session", { sessionId: gone });
    writeFileSync(join(trashOf(home), "mine.txt"), "not a session");
    const { sessions } = await t.client.request("list_trash", {});
    expect(sessions).toEqual([{ sessionId: gone, bytes: expect.any(Number) as number, title: "hello" }]);
    const purged = await t.client.request("purge_sessions", {});
    expect(purged).toEqual({
      sessions: [gone],
      bytes: sessions[0]?.bytes,
      blobs: { removed: 2, bytes: 10, kept: 0 },
      text: `Deleted for good: 1 session, ${sessions[0]?.bytes} bytes. File contents that nothing refers to: 2, 10 bytes.`,
    });
    expect(asked).toEqual([["mine.txt"]]);
    expect(home.files()).toEqual([`${kept}.index.json`, `${kept}.jsonl`]);
  });

  it("removes the files with outputs of commands, too, unless the session has come back", async () => {
    using home = testHome();
    const [gone, back] = [await stored(home), await stored(home)];
    vi.stubEnv("TMPDIR", home.home);
    await using t = await testHost([echoAgent], [], [history]);
    const files = [gone, back].map((id) => join(temporaryFolders(), id, outputName()));
    for (const file of files) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, "output");
    }
    await t.client.request("delete_session", { sessionId: gone });
    writeFileSync(join(trashOf(home), `${back}.torn-1`), "{");
    await t.client.request("purge_sessions", {});
    vi.unstubAllEnvs();
    expect(files.map((file) => existsSync(dirname(file)))).toEqual([false, true]);
  });

  it("deletes only the named sessions, if some are named", async () => {
    using home = testHome();
    const [shown, later] = [await stored(home), await stored(home)];
    await using t = await testHost([echoAgent], [], [history]);
    for (const sessionId of [shown, later]) await t.client.request("delete_session", { sessionId });
    expect(await t.client.request("purge_sessions", { sessionIds: [shown] })).toMatchObject({ sessions: [shown] });
    const { sessions } = await t.client.request("list_trash", {});
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([later]);
  });

  it("does nothing without a trash, and removes the rest of a killed delete", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [history]);
    expect(await t.client.request("purge_sessions", {})).toMatchObject({ sessions: [], bytes: 0 });
    const sessionId = await stored(home);
    mkdirSync(trashOf(home), { recursive: true });
    renameSync(home.session(`${sessionId}.jsonl`), join(trashOf(home), `${sessionId}.jsonl`));
    expect(await t.client.request("purge_sessions", {})).toMatchObject({ sessions: [sessionId] });
    expect([home.files(), inTrash(home)]).toEqual([[], []]);
  });
});
