import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Delivered } from "@scorel/host/contract";
import { codeOf, definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { scanLog } from "../../../plugins/logs/scan.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

describe("a session", () => {
  it("has no file before its first event", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    expect(home.files()).toEqual([]);
    expect(await ask(t.client, sessionId, "hello")).toBe("echo: hello");
    expect(home.files()).toEqual([`${sessionId}.jsonl`, `${sessionId}.lock`]);
  });

  it("keeps its files private", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const modes = [".", `${sessionId}.jsonl`, `${sessionId}.lock`].map(
      (name) => statSync(home.session(name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it("remembers its directory as a real path", async () => {
    using home = testHome();
    await using t = await testHost();
    const { meta } = await t.client.request("create_session", { cwd: join(home.cwd, ".."), name: "mine" });
    expect(meta).toEqual({ cwd: home.home, root: home.home, name: "mine" });
  });

  it("is closed with its last client, and leaves no lock", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const other = t.host.connect();
    await other.request("load_session", { sessionId });
    expect(await t.client.request("close_session", { sessionId })).toEqual({
      closed: false,
      notices: [],
    });
    await other.close();
    expect(home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
  });

  it("is closed with its last client even if another session of that client cannot be closed properly", async () => {
    using home = testHome();
    await using t = await testHost();
    const client = t.host.connect();
    const ids = [1, 2].map(async () => {
      const { sessionId } = await client.request("create_session", { cwd: home.cwd });
      await ask(client, sessionId, "hello");
      return sessionId;
    });
    const [changed = "", other = ""] = await Promise.all(ids);
    appendFileSync(home.session(`${changed}.jsonl`), "of another program");
    await expect(client.close()).rejects.toMatchObject({ code: "STORE_CHANGED" });
    expect([changed, other].filter((id) => home.files().includes(`${id}.lock`))).toEqual([]);
  });

  it("continues where it was, with equal messages", async () => {
    using home = testHome();
    let sessionId: string;
    let before: unknown;
    {
      await using t = await testHost();
      sessionId = (await t.client.request("create_session", { cwd: home.cwd })).sessionId;
      await ask(t.client, sessionId, "one");
      before = await t.client.request("get_context", { sessionId });
    }
    await using t = await testHost();
    await t.client.request("load_session", { sessionId });
    expect(await t.client.request("get_context", { sessionId })).toEqual(before);
    await ask(t.client, sessionId, "two");
    expect((await t.client.request("get_context", { sessionId })).messages).toHaveLength(4);
  });

  it("is on disk before the host has stopped, even if its last client just closed it", async () => {
    using home = testHome();
    const deactivate = () => new Promise<void>((done) => void setImmediate(done));
    const t = await testHost([echoAgent, definePlugin({ id: "slow", name: "Slow", version: "1.0.0", deactivate })]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    const closed = t.client.close();
    await t.kernel.stop();
    expect(home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
    await closed;
  });

  it("is not opened again once the host stops", async () => {
    using home = testHome();
    let asked: Promise<unknown> | undefined;
    const deactivate = () => {
      asked = t.client.request("get_status", { sessionId }).catch(codeOf);
    };
    const t = await testHost([
      echoAgent,
      definePlugin({ id: "curious", name: "Curious", version: "1.0.0", deactivate }),
    ]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "hello");
    await t.kernel.stop();
    expect(await asked).toBe("HOST_STOPPED");
    expect(home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
  });

  it("can be reopened right after it was closed", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "one");
    const other = t.host.connect();
    const [, loaded] = await Promise.all([t.client.close(), other.request("load_session", { sessionId })]);
    expect(loaded.leafId).not.toBeNull();
  });

  it("cannot continue in a directory that no longer exists, and names it", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "one");
    await t.client.request("close_session", { sessionId });
    rmSync(home.cwd, { recursive: true });
    await expect(t.client.request("load_session", { sessionId })).rejects.toMatchObject({
      code: "HOST_CWD_GONE",
      message: expect.stringContaining(home.cwd),
    });
  });

  it("uses one device id for all sessions", async () => {
    using home = testHome();
    await using t = await testHost();
    const devices = [];
    for (const name of ["a", "b"]) {
      const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, name });
      devices.push((await t.client.request("get_events", { sessionId })).header.deviceId);
    }
    const { deviceId } = JSON.parse(readFileSync(join(home.home, ".scorel/device.json"), "utf8"));
    expect(devices).toEqual([deviceId, deviceId]);
  });

  it("tells its clients what was left out on opening", async () => {
    using home = testHome();
    const notice = { origin: "mine.ts", code: "EXTENSION_LOAD", message: "no such thing" };
    const broken = definePlugin({
      id: "broken",
      name: "Broken",
      version: "1.0.0",
      hooks: () => {
        throw new Error("not today");
      },
    });
    await using t = await testHost([echoAgent], [notice]);
    expect((await t.client.request("create_session", { cwd: home.cwd })).notices).toEqual([notice]);
    await using failing = await testHost([broken]);
    await expect(failing.client.request("create_session", { cwd: home.cwd })).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
    });
  });

  it("without a model writes nothing and says why", async () => {
    using home = testHome();
    const modelless = definePlugin({
      id: "model",
      name: "No model",
      version: "1.0.0",
      provides: ["model"],
      activate(ctx) {
        const current = () => {
          throw Object.assign(new Error("Set one"), { code: "MODEL_NONE" });
        };
        ctx.provide("model", { current } as never);
      },
    });
    await using t = await testHost([modelless, echoAgent]);
    const { sessionId, modelError } = await t.client.request("create_session", { cwd: home.cwd });
    expect(modelError).toEqual({ code: "MODEL_NONE", message: "Set one" });
    await expect(ask(t.client, sessionId, "hello")).rejects.toMatchObject({ code: "MODEL_NONE" });
    await t.client.close();
    expect(home.files()).toEqual([]);
  });
});

describe("a session is found", () => {
  it("by the beginning of its id, if it is unambiguous", async () => {
    using home = testHome();
    await using t = await testHost();
    const ids = await stored(t, home.cwd, 2);
    for (const [index, id] of ids.entries()) renameLog(home.session, id, `abc${index}00000000`);
    const load = (sessionId: string) => t.client.request("load_session", { sessionId });
    expect((await load("abc1")).sessionId).toBe("abc100000000");
    await expect(load("abc")).rejects.toMatchObject({ code: "SESSION_AMBIGUOUS" });
    await expect(load("xyz")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    await expect(load("../../etc")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  });

  it("as the latest of its directory by its last event, regardless of file times", async () => {
    using home = testHome();
    await using t = await testHost();
    const [first = "", second = ""] = await stored(t, home.cwd, 2);
    utimesSync(home.session(`${first}.jsonl`), new Date(), new Date(Date.now() + 60_000));
    const latest = await t.client.request("continue_session", { cwd: home.cwd });
    expect(latest.sessionId).toBe(second);
    await expect(t.client.request("continue_session", { cwd: home.home })).rejects.toMatchObject({
      code: "SESSION_NONE",
    });
  });
});

describe("the list of sessions", () => {
  it("describes each session, latest first", async () => {
    using home = testHome();
    await using t = await testHost();
    const [first = "", second = ""] = await stored(t, home.cwd, 2);
    const { sessions } = await t.client.request("list_sessions", { cwd: home.cwd });
    expect(sessions).toEqual([
      expect.objectContaining({ sessionId: second, title: "message 1", messages: 2, cwd: home.cwd }),
      expect.objectContaining({ sessionId: first, title: "message 0", messages: 2, cwd: home.cwd }),
    ]);
  });

  it("reads no log that its index covers", async () => {
    using home = testHome();
    await using t = await testHost();
    const [id = ""] = await stored(t, home.cwd, 1);
    const log = home.session(`${id}.jsonl`);
    utimesSync(log, 1, 1);
    const before = await t.client.request("list_sessions", {});
    writeFileSync(log, "x".repeat(statSync(log).size));
    utimesSync(log, 1, 1);
    expect(await t.client.request("list_sessions", {})).toEqual(before);
  });

  it("prefers the log to an outdated or broken index", async () => {
    using home = testHome();
    await using t = await testHost();
    const [id = ""] = await stored(t, home.cwd, 1);
    const [log, index] = [home.session(`${id}.jsonl`), home.session(`${id}.index.json`)];
    const before = await t.client.request("list_sessions", {});
    for (const damage of [
      "",
      "null",
      "{",
      '{"version":1}',
      readFileSync(index, "utf8").replace(/"size":\d+/, '"size":1'),
    ]) {
      writeFileSync(index, damage);
      expect(await t.client.request("list_sessions", {})).toEqual(before);
    }
    appendFileSync(log, "not a record\n");
    expect((await t.client.request("list_sessions", {})).sessions).toHaveLength(1);
  });

  it("reads only both ends of a large log without an index, and only additions to one with an index", async () => {
    using home = testHome();
    await using t = await testHost();
    const [id = ""] = await stored(t, home.cwd, 1);
    const [log, index] = [home.session(`${id}.jsonl`), home.session(`${id}.index.json`)];
    const { sessions: before } = await t.client.request("list_sessions", {});
    const { header, events } = scanLog(log);
    const long = { type: "message", message: { role: "user", content: "x".repeat(1_000_000), timestamp: 1 } };
    const ids = Array.from({ length: 10 }, (_, n) => `long0000000000${n}`);
    appendFileSync(log, ids.map((id, n) => line({ ...long, id, parentId: null, seq: 100 + n, ts: 5 + n })).join(""));
    const listed = async () => (await t.client.request("list_sessions", {})).sessions;
    const known = { ...before[0], updatedAt: 5 };
    expect(await listed()).toEqual([{ ...known, updatedAt: 14, messages: undefined }].map(withoutUndefined));
    rmSync(index, { force: true });
    writeFileSync(log, [{ ...header }, ...events].map(line).join(""));
    expect(await listed()).toEqual(before);
    appendFileSync(log, line({ ...long, id: "added00000000001", parentId: null, seq: 100, ts: 5 }));
    expect(await listed()).toEqual([{ ...known, messages: (known.messages ?? 0) + 1 }]);
  });

  it("reports a file that is not a log, and lists the others", async () => {
    using home = testHome();
    await using t = await testHost();
    await stored(t, home.cwd, 1);
    writeFileSync(home.session("brokenbroken.jsonl"), "");
    const { sessions } = await t.client.request("list_sessions", {});
    expect(sessions.map(({ problem }) => problem).filter(Boolean)).toEqual([expect.stringContaining("it is empty")]);
    expect(sessions).toHaveLength(2);
  });

  it("reports a link that leads to itself, and lists the others", async () => {
    using home = testHome();
    await using t = await testHost();
    const [id = ""] = await stored(t, home.cwd, 1);
    const path = home.session("looploop00000001.jsonl");
    symlinkSync(path, path);
    const { sessions } = await t.client.request("list_sessions", {});
    expect(Object.fromEntries(sessions.map(({ sessionId, problem }) => [sessionId, problem]))).toEqual({
      [id]: undefined,
      looploop00000001: expect.stringContaining(`${path} could not be read (ELOOP)`),
    });
    const { sessions: checked } = await t.client.request("check_sessions", {});
    expect(checked.map(({ problem }) => problem?.code).sort()).toEqual(["STORE_READ", undefined]);
  });
});

describe("a client", () => {
  it("gets each event once, in order, with its display form", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const heard: Delivered[] = [];
    const undo = await t.client.subscribe(sessionId, (delivered) => void heard.push(delivered));
    await ask(t.client, sessionId, "hello");
    await t.client.drained(sessionId);
    await undo();
    await ask(t.client, sessionId, "unheard");
    const seqs = heard.flatMap(({ event }) => ("seq" in event ? event.seq : []));
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(heard.map(({ display }) => display).filter(({ display }) => display === "bubble")).toEqual([
      expect.objectContaining({ role: "user", text: "hello" }),
      expect.objectContaining({ role: "assistant", text: "echo: hello" }),
    ]);
  });

  it("is not delayed by another listener that hangs", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    let release = () => {};
    const slow = t.host.connect();
    await slow.subscribe(sessionId, () => new Promise<void>((done) => (release = done)));
    const heard: string[] = [];
    await t.client.subscribe(sessionId, ({ event }) => void heard.push(event.type));
    await ask(t.client, sessionId, "hello");
    await t.client.drained(sessionId);
    expect(heard.filter((type) => type === "message")).toHaveLength(2);
    await slow.close();
    release();
  });

  it("gets an error code for each mistake", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const request = t.client.request.bind(t.client) as (operation: string, params: unknown) => Promise<unknown>;
    const code = (operation: string, params: unknown) => request(operation, params).catch((thrown) => thrown.code);
    expect({
      operation: await code("make_coffee", {}),
      inherited: await code("toString", {}),
      session: await code("get_status", { sessionId: "nosuchsession" }),
      turn: await code("wait_turn", { sessionId, id: "x" }),
      command: await code("run_command", { sessionId, name: "x", args: "" }),
      directory: await code("create_session", { cwd: join(home.cwd, "missing") }),
      closed: await t.client.close().then(() => code("ping", {})),
    }).toEqual({
      operation: "HOST_OPERATION_UNKNOWN",
      inherited: "HOST_OPERATION_UNKNOWN",
      session: "SESSION_UNKNOWN",
      turn: "HOST_TURN_UNKNOWN",
      command: "COMMAND_UNKNOWN",
      directory: "HOST_CWD_INVALID",
      closed: "HOST_CLIENT_CLOSED",
    });
  });
});

/** Creates sessions with one exchange each and closes them; returns their ids, oldest first. */
async function stored({ host }: Awaited<ReturnType<typeof testHost>>, cwd: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const client = host.connect();
    const { sessionId } = await client.request("create_session", { cwd });
    await ask(client, sessionId, `message ${index}`);
    await client.close();
    ids.push(sessionId);
  }
  return ids;
}

function line(record: object): string {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}

function withoutUndefined<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function renameLog(session: (name: string) => string, from: string, to: string): void {
  renameSync(session(`${from}.jsonl`), session(`${to}.jsonl`));
}
