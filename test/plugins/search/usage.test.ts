import type { Usage } from "@scorel/messages/contract";
import search from "@scorel/search";
import type { SpentBy } from "@scorel/search/contract";
import { describe, expect, it } from "vitest";
import { sinceTime } from "../../../plugins/search/usage.ts";
import { type TestHome, testHome, testHost } from "../host/home.ts";
import { reply, result, says, user, writeLog } from "./store.ts";

const usage = (input: number, output: number, cacheRead: number, cost: number): Usage => ({
  input,
  output,
  cacheRead,
  cacheWrite: 0,
  totalTokens: input + output + cacheRead,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
});
const answer = (id: string, spent: Usage, more: object = {}) => ({
  id,
  message: reply(says("ok"), { provider: "p", model: "big", usage: spent, ...more }),
});

async function spent(by?: SpentBy, since?: string) {
  await using t = await testHost([], [], [search]);
  return t.client.request("get_usage", { ...(by && { by }), ...(since && { since }) });
}
const day = (text: string) => new Date(`${text}T12:00:00`).getTime();

/** Writes a session with turns on two days, a failure and a compaction, and a copy of it with further turns. */
function twoDays(home: TestHome): void {
  const first = [
    { id: "e1", ts: day("2026-11-01"), message: user('he wrote "usage":{"input":1}') },
    { ...answer("e2", usage(60, 10, 40, 0.5)), ts: day("2026-11-01") },
    {
      ...answer("e3", usage(100, 0, 0, 0.25), { stopReason: "error", meta: { retried: true } }),
      ts: day("2026-11-02"),
    },
    {
      id: "e4",
      ts: day("2026-11-02"),
      type: "compact",
      summary: "s",
      model: "p/small",
      usage: usage(10, 5, 0, 0.125),
    },
  ];
  writeLog(home, "original00000001", first, { age: 9, meta: { root: "/home/me/cart" } });
  const copied = [...first, { ...answer("f1", usage(0, 1, 100, 0.0625)), ts: day("2026-11-02") }];
  writeLog(home, "copied0000000001", copied, { meta: { root: "/home/me/cart" } });
}

describe("usage over all sessions", () => {
  it("counts every reply once, also failed ones and summaries, and copies not again", async () => {
    using home = testHome();
    twoDays(home);
    expect(await spent()).toEqual({
      rows: [
        {
          key: "2026-11-01",
          calls: 1,
          input: 60,
          output: 10,
          cacheRead: 40,
          cacheWrite: 0,
          cost: 0.5,
          cachedShare: 0.4,
        },
        {
          key: "2026-11-02",
          calls: 3,
          input: 110,
          output: 6,
          cacheRead: 100,
          cacheWrite: 0,
          cost: 0.4375,
          cachedShare: 0.4762,
        },
      ],
      total: {
        key: "total",
        calls: 4,
        input: 170,
        output: 16,
        cacheRead: 140,
        cacheWrite: 0,
        cost: 0.9375,
        cachedShare: 0.4516,
      },
      sessions: 2,
    });
  });

  it("is grouped by model or project, and starts at a given day", async () => {
    using home = testHome();
    twoDays(home);
    const brief = async (by: SpentBy, since?: string) =>
      (await spent(by, since)).rows.map(({ key, calls, cost }) => `${key} ${calls} ${cost}`);
    expect(await brief("model")).toEqual(["p/big 3 0.8125", "p/small 1 0.125"]);
    expect(await brief("project")).toEqual(["/home/me/cart 4 0.9375"]);
    expect(await brief("model", "2026-11-02")).toEqual(["p/big 2 0.3125", "p/small 1 0.125"]);
    expect(await brief("day", "1h")).toEqual([]);
  });

  it("counts what tools say they have used, once if the session that they ran has a log", async () => {
    using home = testHome();
    const called = (id: string, more: object) => ({ id, message: { ...result("Ask", "done"), usage: more } });
    writeLog(home, "parent0000000001", [
      answer("e1", usage(10, 1, 0, 1)),
      called("e2", { ...usage(5, 5, 0, 0.5), model: "p/small", sessionId: "child00000000001" }),
      called("e3", { ...usage(4, 4, 0, 0.25), sessionId: "deleted000000001" }),
    ]);
    writeLog(home, "child00000000001", [answer("c1", usage(5, 5, 0, 0.5))]);
    const rows = (await spent("model")).rows.map(({ key, calls, cost }) => `${key} ${calls} ${cost}`);
    expect(rows).toEqual(["p/big 2 1.5", "Ask 1 0.25"]);
  });

  it("says how many calls had no known price, which is not the same as free", async () => {
    using home = testHome();
    const local = { provider: "local", model: "mine" };
    writeLog(home, "priced0000000001", [
      answer("e1", usage(10, 1, 0, 0.5)),
      answer("e2", usage(10, 1, 0, 0), local),
      answer("e3", usage(0, 0, 0, 0), { stopReason: "error" }),
    ]);
    const rows = (await spent("model")).rows.map(({ key, calls, cost, unpriced }) => [key, calls, cost, unpriced]);
    expect(rows).toEqual([
      ["p/big", 2, 0.5, undefined],
      ["local/mine", 1, 0, 1],
    ]);
    expect((await spent()).total).toMatchObject({ calls: 3, cost: 0.5, unpriced: 1 });
  });

  it("continues after damaged lines, headers and numbers", async () => {
    using home = testHome();
    const odd = { input: -5, output: "many", cacheRead: null } as unknown as Usage;
    writeLog(home, "odd0000000000001", [answer("e1", odd), answer("e2", usage(1, 1, 0, 1))], {
      raw: (json) => (json.includes('"deviceId"') ? "{}" : json),
    });
    expect((await spent("project")).rows).toMatchObject([{ key: "unknown", calls: 2, input: 1, output: 1, cost: 1 }]);
  });
});

it("a time is so far back, or a day that there is", () => {
  const now = day("2026-11-20");
  expect(sinceTime("7d", now)).toBe(now - 7 * 86_400_000);
  expect(sinceTime("12h", now)).toBe(now - 12 * 3_600_000);
  expect(sinceTime("2026-11-01", now)).toBe(new Date(2026, 10, 1).getTime());
  for (const value of ["2026-02-30", "yesterday", "7", "-7d", ""])
    expect(() => sinceTime(value, now)).toThrow(expect.objectContaining({ code: "FIND_SINCE" }));
});
