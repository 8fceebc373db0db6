import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { damageIn } from "@scorel/host/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { errors } from "../../../plugins/host/errors.ts";
import { verifyLog } from "../../../plugins/host/sessions/verify.ts";
import { ownIdentity } from "../../../plugins/kit/process/identity.ts";
import { scanLog } from "../../../plugins/logs/scan.ts";
import { jsonlLogs } from "../../../plugins/logs/service.ts";
import { ask, type TestHome, testHome, testHost } from "./home.ts";

let home: TestHome;
beforeEach(() => {
  home = testHome();
});
afterEach(() => {
  home[Symbol.dispose]();
  vi.useRealTimers();
});

/** Creates a session with one message and its echo; returns its id. */
async function stored(text = "hello"): Promise<string> {
  await using t = await testHost();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await ask(t.client, sessionId, text);
  return sessionId;
}
const logOf = (sessionId: string) => home.session(`${sessionId}.jsonl`);

describe("an unusable home", () => {
  it("is reported when ~/.scorel is a file", async () => {
    writeFileSync(join(home.home, ".scorel"), "");
    await using t = await testHost();
    const failure = { code: "HOST_HOME", message: expect.stringContaining(join(home.home, ".scorel")) };
    await expect(t.client.request("create_session", { cwd: home.cwd })).rejects.toMatchObject(failure);
    await expect(t.client.request("list_sessions", {})).rejects.toMatchObject(failure);
  });

  it("is not blamed when too many files are open", () => {
    const { message } = errors.HOST_HOME({ path: "/home/me/.scorel", reason: "EMFILE: too many open files" });
    expect(message).toMatch(/Too many files and connections are open: close some/);
    expect(message).not.toContain("Make it a directory");
  });

  it.each(["", "somewhere", "./x"])(
    "is refused when HOME is %j, which would mean a folder of the working directory",
    async (value) => {
      process.env.HOME = value;
      await expect(testHost()).rejects.toMatchObject({ message: expect.stringContaining("HOME is not a full path") });
    },
  );
});

describe("a log of a newer format", () => {
  it("is opened read-only with a notice, and never changed", async () => {
    const sessionId = await stored();
    const [, ...events] = readFileSync(logOf(sessionId), "utf8").split("\n");
    const header = { version: 99, sessionId, deviceId: "d", createdAt: 0, epoch: "e", meta: { cwd: home.cwd } };
    const text = [JSON.stringify(header), ...events].join("\n");
    writeFileSync(logOf(sessionId), text);
    {
      await using t = await testHost();
      const { notices, leafId } = await t.client.request("load_session", { sessionId });
      expect(notices).toEqual([
        { origin: "log", code: "STORE_READ_ONLY", message: expect.stringContaining("update Scorel") },
      ]);
      expect(leafId).not.toBeNull();
      await expect(ask(t.client, sessionId, "more")).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    }
    expect(readFileSync(logOf(sessionId), "utf8")).toBe(text);
    expect(verifyLog(jsonlLogs, logOf(sessionId)).notes).toContainEqual(expect.stringContaining("format 99 is newer"));
  });
});

describe("a file that is not a log", () => {
  it.each([
    ["empty", "", "it is empty"],
    ["without its header", '{"type":"message"}\n', "its first line is not a session header"],
    ["of something else", "hello\n", "its first line is not a session header"],
  ])("is listed and refused by name when it is %s, and left unchanged", async (_what, content, reason) => {
    const sessionId = await stored();
    writeFileSync(logOf(sessionId), content);
    await using t = await testHost();
    const message = expect.stringContaining(`${logOf(sessionId)} is not a session log: ${reason}`);
    const { sessions } = await t.client.request("list_sessions", {});
    expect(sessions).toEqual([expect.objectContaining({ sessionId, problem: message })]);
    await expect(t.client.request("load_session", { sessionId })).rejects.toMatchObject({
      code: "STORE_HEADER",
      message,
    });
    await expect(t.client.request("continue_session", { cwd: home.cwd })).rejects.toMatchObject({
      code: "SESSION_NONE",
    });
    expect(readFileSync(logOf(sessionId), "utf8")).toBe(content);
    expect(home.files()).toEqual([`${sessionId}.index.json`, `${sessionId}.jsonl`]);
  });
});

describe("a log on an unreadable disk", () => {
  // Only Linux has a file whose reads fail with EIO without a broken disk.
  it.each(existsSync("/proc/self/mem") ? ["EIO"] : [])(
    "is named with the disk's error %s, by the list and by opening",
    async (reason) => {
      await stored();
      const sessionId = "unreadable000001";
      symlinkSync("/proc/self/mem", logOf(sessionId));
      await using t = await testHost();
      const message = expect.stringContaining(`${logOf(sessionId)} could not be read (${reason})`);
      const { sessions } = await t.client.request("list_sessions", {});
      expect(sessions.find((summary) => summary.sessionId === sessionId)).toMatchObject({ problem: message });
      expect(sessions).toHaveLength(2);
      const refused = { code: "STORE_READ", message };
      await expect(t.client.request("load_session", { sessionId })).rejects.toMatchObject(refused);
      expect(() => verifyLog(jsonlLogs, logOf(sessionId))).toThrow(expect.objectContaining({ code: "STORE_READ" }));
    },
  );
});

describe("a log with many damaged places", () => {
  it("is described by the first ones and by how to see the others", () => {
    const problems = Array.from({ length: 12 }, (_, n) => ({ line: n + 1, offset: n, reason: "empty line" }));
    const told = damageIn({ sessionId: "session000000001", problems });
    expect(told).toHaveLength(11);
    expect([told[0], told[10]]).toEqual([
      "warning: the session's log, line 1, offset 0: empty line",
      "warning: the session's log has 2 more such places; `scorel session verify session000000001` shows all",
    ]);
  });
});

describe("a log deleted while its session is open", () => {
  it.each([
    ["alone", (sessionId: string) => rmSync(logOf(sessionId))],
    ["with its whole folder", (sessionId: string) => rmSync(dirname(logOf(sessionId)), { recursive: true })],
  ])("%s is noticed by the next message, and other sessions continue", async (_what, remove) => {
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "one");
    remove(sessionId);
    // The host detects deletions by other processes, but not within one turn of its own event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(ask(t.client, sessionId, "two")).rejects.toMatchObject({ code: "STORE_GONE" });
    expect((await t.client.request("get_context", { sessionId })).messages).toHaveLength(2);
    expect(await t.client.request("close_session", { sessionId })).toEqual({ closed: true, notices: [] });
    expect(home.files()).toEqual([]);
    const other = await t.client.request("create_session", { cwd: home.cwd });
    expect(await ask(t.client, other.sessionId, "three")).toBe("echo: three");
  });
});

describe("a clock", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const hour = 3_600_000;
  const tenYears = 10 * 365 * 24 * hour;

  it.each([
    ["set back an hour", -hour],
    ["ten years ahead", tenYears],
  ])("%s changes neither the order nor who may write", async (_what, shift) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const sessionId = await stored("one");
    vi.setSystemTime(now + shift);
    await using t = await testHost();
    const { problems } = await t.client.request("continue_session", { cwd: home.cwd });
    await ask(t.client, sessionId, "two");
    vi.setSystemTime(now + 1000);
    await ask(t.client, sessionId, "three");
    const { messages: said } = await t.client.request("get_context", { sessionId });
    expect(said.map(({ content }) => content).filter((content) => typeof content === "string")).toEqual([
      "one",
      "two",
      "three",
    ]);
    const { sessions } = await t.client.request("list_sessions", {});
    expect(sessions).toMatchObject([{ sessionId, updatedAt: now + 1000, messages: 6, title: "one" }]);
    expect([problems, scanLog(logOf(sessionId)).problems]).toEqual([[], []]);
    await using other = await testHost();
    await expect(other.client.request("load_session", { sessionId })).rejects.toMatchObject({
      code: "HOST_SESSION_LOCKED",
      data: { pid: process.pid },
    });
  });

  it("that once ran ahead does not keep a session on top", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: now + tenYears });
    const first = await stored("ahead");
    vi.setSystemTime(now);
    {
      await using t = await testHost();
      await t.client.request("load_session", { sessionId: first });
      await ask(t.client, first, "right again");
    }
    vi.setSystemTime(now + hour);
    const second = await stored("later");
    await using t = await testHost();
    const { sessions } = await t.client.request("list_sessions", {});
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([second, first]);
  });

  it("that was set back does not keep an unreadable lock alive", async () => {
    const sessionId = await stored();
    const lock = home.session(`${sessionId}.lock`);
    writeFileSync(lock, "");
    utimesSync(lock, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    await using t = await testHost();
    await t.client.request("load_session", { sessionId });
  });
});

describe("the lock of a process whose pid was reused", () => {
  it("is taken over, and the session continues", async () => {
    const sessionId = await stored();
    const lock = home.session(`${sessionId}.lock`);
    const holder = { ...ownIdentity(), pid: process.ppid, start: "1", since: "", nonce: "nonce000000000001" };
    writeFileSync(lock, JSON.stringify(holder));
    await using t = await testHost();
    expect(await ask(t.client, sessionId, "more")).toBe("echo: more");
    expect(JSON.parse(readFileSync(lock, "utf8"))).toMatchObject({ pid: process.pid });
  });
});
