import { appendFileSync, existsSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import type { SessionHealth } from "@scorel/host/contract";
import { describe, expect, it } from "vitest";
import { ownIdentity } from "../../../plugins/kit/process/identity.ts";
import { type TestHome, testHome, testHost } from "./home.ts";

/** Creates a session with one turn and closes it; returns its id. */
async function session(home: TestHome): Promise<string> {
  await using t = await testHost();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const { id } = await t.client.request("send_message", { sessionId, content: "Hello." });
  await t.client.request("wait_turn", { sessionId, id });
  return sessionId;
}

async function check(limit?: number): Promise<{ total: number; sessions: SessionHealth[] }> {
  await using t = await testHost();
  return t.client.request("check_sessions", limit === undefined ? {} : { limit });
}

async function only(): Promise<SessionHealth> {
  const { sessions } = await check();
  expect(sessions).toHaveLength(1);
  return sessions[0] as SessionHealth;
}

/** The records of a log. */
function records(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

describe("a check of the sessions' files", () => {
  it("finds nothing wrong with a session that was closed", async () => {
    using home = testHome();
    const sessionId = await session(home);
    const path = home.session(`${sessionId}.jsonl`);
    const expected = {
      sessionId,
      path,
      bytes: readFileSync(path).length,
      writtenAt: expect.any(Number),
      events: records(path).length - 1,
      damage: [],
      notes: [],
      bridged: 0,
      torn: [],
      index: "none",
    };
    expect(await check()).toEqual({ total: 1, sessions: [expected] });
  });

  it("returns nothing without sessions, and refuses an invalid limit", async () => {
    using _home = testHome();
    expect(await check()).toEqual({ total: 0, sessions: [] });
    await expect(check(0)).rejects.toMatchObject({ code: "HOST_LIMIT_INVALID" });
  });

  it("covers the sessions written last", async () => {
    using home = testHome();
    const [old, late, later] = [await session(home), await session(home), await session(home)];
    for (const [id, at] of [
      [old, 1_000],
      [late, 2_000],
      [later, 3_000],
    ] as const)
      utimesSync(home.session(`${id}.jsonl`), at, at);
    const { total, sessions } = await check(2);
    expect([total, sessions.map(({ sessionId }) => sessionId)]).toEqual([3, [later, late]]);
  });

  it("locates a damaged record and counts the events that lost their parent", async () => {
    using home = testHome();
    const path = home.session(`${await session(home)}.jsonl`);
    const lines = records(path);
    const at = lines.findIndex((line) => line.includes('"role":"user"'));
    lines[at] = (lines[at] as string).replace("Hello.", "Hullo.");
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    const { damage, bridged } = await only();
    expect(damage[0]).toContain(`line ${at + 1}, offset `);
    expect(bridged).toBeGreaterThan(0);
    expect(damage.filter((text) => text.includes("parent: "))).toHaveLength(bridged);
  });

  it("says why a log cannot be read", async () => {
    using home = testHome();
    const path = home.session(`${await session(home)}.jsonl`);
    writeFileSync(path, "no log\n");
    const found = await only();
    expect(found.problem).toMatchObject({ code: "STORE_HEADER" });
    expect(found).not.toHaveProperty("events");
  });

  it("lists cut-off ends that were moved aside, and changes nothing", async () => {
    using home = testHome();
    const sessionId = await session(home);
    const path = home.session(`${sessionId}.jsonl`);
    const aside = home.session(`${sessionId}.torn-1`);
    writeFileSync(aside, "half");
    appendFileSync(path, '{"type":"mess');
    const before = readFileSync(path);
    const found = await only();
    expect(found.torn).toEqual([{ path: aside, bytes: 4 }]);
    expect(found.damage).toEqual([expect.stringMatching(/torn: the last 13 bytes/)]);
    expect([readFileSync(path).equals(before), existsSync(home.session(`${sessionId}.torn-2`))]).toEqual([true, false]);
  });

  it("distinguishes stale locks from held ones", async () => {
    using home = testHome();
    const sessionId = await session(home);
    const path = home.session(`${sessionId}.lock`);
    const me = { ...ownIdentity(), since: "2026-01-01T00:00:00.000Z", nonce: "nonce000000000001" };
    const partial = home.session(`${sessionId}.partial`);
    writeFileSync(partial, "{}\n");
    writeFileSync(path, JSON.stringify(me));
    const held = await only();
    expect(held.lock).toEqual({ path, state: "held", pid: process.pid, since: me.since });
    expect(held).not.toHaveProperty("leftover");
    writeFileSync(path, JSON.stringify({ ...me, pid: 2 ** 30 }));
    const left = await only();
    expect([left.lock, left.leftover]).toEqual([{ path, state: "stale", pid: 2 ** 30, since: me.since }, partial]);
  });

  it("detects a damaged index of a long log", async () => {
    using home = testHome();
    const index = home.session(`${await session(home)}.index`);
    writeFileSync(index, "");
    expect((await only()).index).toBe("damaged");
    writeFileSync(index, Buffer.alloc(64, 7));
    expect((await only()).index).toBe("damaged");
  });

  it("reads only up to its limit", async () => {
    using home = testHome();
    const path = home.session(`${await session(home)}.jsonl`);
    truncateSync(path, 65 * 2 ** 20);
    const found = await only();
    expect([found.bytes, found.damage, "events" in found]).toEqual([65 * 2 ** 20, [], false]);
  });
});
