import type { Operations } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { ask, echoAgent, type TestHost, testHome, testHost } from "./home.ts";

type Wanted = Omit<Operations["get_events"]["params"], "sessionId">;

/** A session with six messages, and a function that reads its events. */
async function conversation(t: TestHost, cwd: string) {
  const { sessionId } = await t.client.request("create_session", { cwd });
  for (const words of ["one", "two", "three"]) await ask(t.client, sessionId, words);
  const read = (wanted: Wanted) => t.client.request("get_events", { sessionId, ...wanted });
  const all = (await read({})).events;
  return { sessionId, read, all, ids: all.map(({ event }) => idOf(event)) };
}

/** `/fill <count> <length>` appends events of a certain length. */
const filler = definePlugin({
  id: "filler",
  name: "Filler",
  version: "1.0.0",
  commands: (ctx) => ({
    fill: {
      run: async (args: string) => {
        const [count = 0, length = 0] = args.split(" ").map(Number);
        const data = { text: "x".repeat(length) };
        for (let n = 0; n < count; n++) await ctx.session.append("custom", { kind: "filled", data });
      },
    },
  }),
});

const idOf = (event: object): string => (event as { id: string }).id;

describe("get_events", () => {
  it("reads forwards in pages, each with its position and whether events follow", async () => {
    using home = testHome();
    await using t = await testHost();
    const { read, all, ids } = await conversation(t, home.cwd);
    const pages: unknown[] = [];
    let after: string | undefined;
    for (let more = true; more; ) {
      const page = await read({ limit: 4, ...(after !== undefined && { after }) });
      pages.push(...page.events);
      expect(page.anchor).toMatchObject({ persistentId: idOf(page.events.at(-1)?.event ?? {}), streamSeq: -1 });
      ({ more } = page);
      after = page.anchor.persistentId as string;
    }
    expect(pages).toEqual(all);
    expect(await read({ after: ids.at(-1) as string })).toMatchObject({
      events: [],
      more: false,
      anchor: { persistentId: ids.at(-1) },
    });
  });

  it("reads backwards: the last events, or those before one", async () => {
    using home = testHome();
    await using t = await testHost();
    const { read, all, ids } = await conversation(t, home.cwd);
    expect(await read({ tail: 2 })).toMatchObject({ events: all.slice(-2), more: true });
    expect(await read({ tail: 1e6 })).toMatchObject({ events: all, more: false });
    expect(await read({ tail: 2, before: ids[3] as string })).toMatchObject({ events: all.slice(1, 3), more: true });
    expect(await read({ before: ids[3] as string })).toMatchObject({ events: all.slice(0, 3), more: false });
    expect(await read({ tail: 0 })).toMatchObject({ events: [], more: true, anchor: { persistentId: ids.at(-1) } });
  });

  it("returns a limited number of events of a limited total length, however much is in the log", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent, filler]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const read = (wanted: Wanted) => t.client.request("get_events", { sessionId, ...wanted });
    const fill = (count: number, length: number) =>
      t.client.request("run_command", { sessionId, name: "fill", args: `${count} ${length}` });
    await fill(5_010, 1);
    const first = await read({});
    expect([first.events.length, first.more]).toEqual([5_000, true]);
    const rest = await read({ after: first.anchor.persistentId as string });
    expect(rest.more).toBe(false);
    const all = [...first.events, ...rest.events];
    expect(await read({ tail: 1e9 })).toMatchObject({ events: all.slice(-5_000), more: true });

    await fill(3, 5_000_000);
    const last = all.at(-1)?.event as { id: string };
    expect(await read({ after: last.id })).toMatchObject({ events: [{}], more: true });
    const [latest] = (await read({ tail: 1 })).events;
    expect(await read({ tail: 3 })).toMatchObject({ events: [latest], more: true });
  });

  it("reads a stored session while another process writes it", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId, all } = await conversation(t, home.cwd);
    await using other = await testHost();
    const page = await other.client.request("get_events", { sessionId, limit: 2 });
    expect(page).toMatchObject({ events: all.slice(0, 2), more: true });
    expect(await other.client.request("close_session", { sessionId })).toEqual({ closed: false, notices: [] });
  });

  it("names an event that is not in the log, and a request that reads both ways", async () => {
    using home = testHome();
    await using t = await testHost();
    const { read } = await conversation(t, home.cwd);
    await expect(read({ after: "nosuchevent" })).rejects.toMatchObject({ code: "HOST_EVENT_UNKNOWN" });
    await expect(read({ before: "nosuchevent" })).rejects.toMatchObject({ code: "HOST_EVENT_UNKNOWN" });
    await expect(read({ limit: 1, tail: 1 })).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
    await expect(read({ limit: 0 })).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
  });
});

describe("the conversation as the model gets it", () => {
  it("is returned whole, or in pages from its end", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await conversation(t, home.cwd);
    const read = (wanted: { limit?: number; skip?: number } = {}) =>
      t.client.request("get_context", { sessionId, ...wanted });
    const { messages: all, ...rest } = await read();
    expect([all.length, rest]).toEqual([6, {}]);
    expect(await read({ limit: 4 })).toEqual({ messages: all.slice(2), more: true });
    expect(await read({ limit: 4, skip: 4 })).toEqual({ messages: all.slice(0, 2) });
    expect(await read({ limit: 1, skip: 9 })).toEqual({ messages: [] });
  });

  it("has at most about 8 MB in a page, and at least one message", async () => {
    using home = testHome();
    await using t = await testHost();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    // Each message is stored twice: as sent, and as its echo.
    for (const letter of ["a", "b"]) await ask(t.client, sessionId, letter.repeat(3 * 1024 * 1024));
    await ask(t.client, sessionId, "c".repeat(9 * 1024 * 1024));
    const count = async (skip: number) =>
      (await t.client.request("get_context", { sessionId, limit: 100, skip })).messages.length;
    expect([await count(0), await count(1), await count(2), await count(4)]).toEqual([1, 1, 2, 2]);
  });
});
