import { readFileSync } from "node:fs";
import search from "@scorel/search";
import type { Hit } from "@scorel/search/contract";
import { describe, expect, it } from "vitest";
import { jsonlLogs } from "../../../plugins/logs/service.ts";
import { search as hitsOf } from "../../../plugins/search/hits.ts";
import { queryOf } from "../../../plugins/search/pattern.ts";
import { matchingLines } from "../../../plugins/search/ripgrep.ts";
import { describeWith } from "../../optional.ts";
import { fc } from "../../property.ts";
import { type TestHome, testHome, testHost } from "../host/home.ts";
import { reply, result, says, type Told, user, writeLog } from "./store.ts";

/** The places that a client gets, without their session, which is always the same. */
async function found(text: string, more: { caseSensitive?: boolean; limit?: number; perSession?: number } = {}) {
  await using t = await testHost([], [], [search]);
  const { hits, more: rest } = await t.client.request("search_sessions", { text, ...more });
  return { hits, rest, brief: hits.map(brief) };
}
const brief = ({ eventId, who, text, left }: Hit) => `${eventId} ${who}${left ? " (left)" : ""}: ${text}`;
const one = (home: TestHome, ...events: Told[]) => writeLog(home, "session000000001", events);

describe("search over all sessions", () => {
  it("returns the text, its author and its session, the latest changed first", async () => {
    using home = testHome();
    writeLog(home, "older00000000001", [{ id: "a1", message: user("Where is the discount?") }], { age: 60 });
    writeLog(home, "newer00000000001", [
      { id: "b1", message: user("Add a\n\nDiscount, please.") },
      { id: "b2", message: reply([{ type: "thinking", thinking: "no discounts yet" }, ...says("Done.")]) },
      {
        id: "b3",
        message: reply([{ type: "toolCall", id: "c", name: "Bash", arguments: { command: "grep discount" } }]),
      },
      { id: "b4", message: result("Bash", "12: discount()\n13: total()") },
      { id: "b5", type: "session_info", changes: { name: "Discounts" } },
    ]);
    const { hits, brief } = await found("discount");
    expect(brief).toEqual([
      "b1 user: Discount, please.",
      "b2 thinking: no discounts yet",
      "b3 Bash: grep discount",
      "b4 Bash: 12: discount()",
      "b5 name: Discounts",
      "a1 user: Where is the discount?",
    ]);
    expect(hits[0]).toEqual({
      sessionId: "newer00000000001",
      title: "Discounts",
      cwd: home.cwd,
      updatedAt: 1004,
      eventId: "b1",
      ts: 1000,
      who: "user",
      text: "Discount, please.",
    });
    expect(hits.at(-1)).toMatchObject({ sessionId: "older00000000001", title: "Where is the discount?" });
  });

  it("returns only the first hits of each session if one wants that, so that a long one does not fill the page", async () => {
    using home = testHome();
    writeLog(home, "older00000000001", [{ id: "a1", message: user("kiwi") }], { age: 60 });
    writeLog(
      home,
      "newer00000000001",
      ["b1", "b2", "b3"].map((id) => ({ id, message: user("kiwi") })),
    );
    const { brief, rest } = await found("kiwi", { perSession: 1, limit: 2 });
    expect([brief, rest]).toEqual([["b1 user: kiwi", "a1 user: kiwi"], undefined]);
  });

  it("finds displayed text: quotes, line breaks, backslashes and any letter, however JSON escapes them", async () => {
    using home = testHome();
    one(
      home,
      { id: "e1", message: user('He said "Größe\\n"\nand left for Überlingen — 東京 🚀 <b>a/b</b>') },
      { id: "e2", message: user("nothing of that") },
    );
    const escaped = (json: string) =>
      json
        .replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`)
        .replaceAll("/", "\\/");
    writeLog(
      home,
      "escaped000000001",
      [{ id: "f1", message: user('He said "Größe\\n"\nand left for Überlingen — 東京 🚀 <b>a/b</b>') }],
      {
        age: 9,
        raw: escaped,
      },
    );
    for (const text of ['"größe', '\\n" and', "left for überlingen", "東京 🚀", "<B>a/b", "GRÖSSE"])
      expect([text, (await found(text)).hits.map(({ eventId }) => eventId)]).toEqual([
        text,
        text === "GRÖSSE" ? [] : ["e1", "f1"],
      ]);
  });

  it("ignores case unless told otherwise", async () => {
    using home = testHome();
    one(home, { id: "e1", message: user("Total of the cart") }, { id: "e2", message: user("a total") });
    expect((await found("TOTAL")).brief).toHaveLength(2);
    expect((await found("Total", { caseSensitive: true })).brief).toEqual(["e1 user: Total of the cart"]);
  });

  it("finds nothing in ids, checksums, field names and images", async () => {
    using home = testHome();
    one(
      home,
      { id: "abcd1234", message: user([...says("hello"), { type: "image", data: "abcd1234", mimeType: "image/png" }]) },
      { id: "e2", type: "custom", kind: "abcd1234", data: "abcd1234" },
      { id: "e3", type: "queue_update", items: [] },
    );
    for (const text of ["abcd1234", "parentId", "crc", "role", "session000000001", "image/png", ".*"])
      expect([text, (await found(text)).brief]).toEqual([text, []]);
  });

  it("marks hits on abandoned branches and in retried replies", async () => {
    using home = testHome();
    one(
      home,
      { id: "e1", message: user("apple one") },
      { id: "e2", message: reply(says("apple two")) },
      { id: "m1", type: "rewind", parentId: "e2", targetEventId: "e1" },
      { id: "e3", parentId: "e1", message: reply(says("apple three"), { meta: { retried: true } }) },
      { id: "e4", parentId: "e1", message: reply(says("apple four")) },
    );
    const all = ["e1 user: apple one", "e2 assistant (left): apple two", "e3 assistant (left): apple three"];
    expect((await found("apple")).brief).toEqual([...all, "e4 assistant: apple four"]);
    writeLog(home, "empty00000000001", [
      { id: "g1", message: user("pear") },
      { id: "g2", type: "rewind", parentId: "g1", targetEventId: null },
    ]);
    expect((await found("pear")).brief).toEqual(["g1 user (left): pear"]);
  });

  it("shows the part of a long line around the hit", async () => {
    using home = testHome();
    one(home, { id: "e1", message: user(`first\n${"a ".repeat(200)}needle${" b".repeat(200)}\nlast`) });
    const [hit] = (await found("needle")).hits;
    expect(hit?.text).toMatch(/^…(a )+needle( b)+…$/);
    expect(hit?.text.length).toBeLessThanOrEqual(162);
  });

  it("stops at its limit and says that there is more", async () => {
    using home = testHome();
    one(home, ...Array.from({ length: 5 }, (_, n) => ({ id: `e${n}`, message: user(`word ${n}`) })));
    expect(await found("word", { limit: 3 })).toMatchObject({ rest: true, brief: { length: 3 } });
    expect(await found("word", { limit: 5 })).toMatchObject({ brief: { length: 5 } });
  });

  it("continues after damaged lines and unreadable logs", async () => {
    using home = testHome();
    writeLog(home, "broken0000000001", [{ id: "e1", message: user("kiwi") }], {
      raw: (json) => json.replace('"version":1,', ""),
    });
    writeLog(home, "torn000000000001", [{ id: "f1", message: user("kiwi") }], {
      age: 5,
      raw: (json) => (json.includes("kiwi") ? `${json} kiwi}` : json),
    });
    expect((await found("kiwi")).brief).toEqual(["e1 user: kiwi"]);
    await expect(found("  ")).rejects.toMatchObject({ code: "FIND_EMPTY" });
    await expect(found("x".repeat(1001))).rejects.toMatchObject({ code: "FIND_LONG" });
  });

  it("ends when its client does not wait for it any more", async () => {
    using home = testHome();
    one(home, { id: "a1", message: user("discount"), usage: { input: 1 } });
    await using t = await testHost([], [], [search]);
    for (const [operation, params] of [
      ["search_sessions", { text: "discount" }],
      ["get_usage", {}],
    ] as const) {
      const left = new AbortController();
      const asked = t.client.request(operation, params, left.signal);
      left.abort(new Error("it has left"));
      await expect(asked).rejects.toThrow("it has left");
    }
  });

  it("returns nothing where there are no sessions", async () => {
    using _home = testHome();
    expect((await found("word")).hits).toEqual([]);
  });
});

it("finds any text in JSON, however it is escaped", async () => {
  using home = testHome();
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== "");
  const texts = fc.sample(word, { numRuns: 300 });
  one(home, ...texts.map((text, at) => ({ id: `e${at}`, message: user(`before ${text} after`) })));
  const directory = home.session(".");
  const { signal } = new AbortController();
  for (const [at, text] of texts.entries()) {
    const { recorded, read } = queryOf(text, true);
    const ids: string[] = [];
    for await (const { line } of matchingLines({
      directory,
      files: ["session000000001.jsonl"],
      pattern: recorded,
      signal,
    }))
      ids.push((JSON.parse(line.toString()) as { id: string }).id);
    expect({ text, found: ids.includes(`e${at}`), read: read.test(`before ${text} after`) }).toEqual({
      text,
      found: true,
      read: true,
    });
  }
});

/** Processes that this process has started and that still run. */
const children = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean);

describeWith("linux", "ripgrep", () => {
  const many = (home: TestHome) =>
    one(
      home,
      ...Array.from({ length: 20_000 }, (_, n) => ({ id: `e${n}`, message: user(`word ${n} ${"x".repeat(200)}`) })),
    );

  it("ends when the reader stops", async () => {
    using home = testHome();
    many(home);
    const before = children();
    const { signal } = new AbortController();
    for await (const hit of hitsOf({ logs: jsonlLogs, directory: home.session("."), text: "word", signal })) {
      expect(hit.eventId).toBe("e0");
      expect(children().length).toBe(before.length + 1);
      break;
    }
    await expect.poll(children).toEqual(before);
  });

  it("ends when the search is interrupted, and the search reports it", async () => {
    using home = testHome();
    many(home);
    const before = children();
    const control = new AbortController();
    const hits = hitsOf({ logs: jsonlLogs, directory: home.session("."), text: "word", signal: control.signal });
    await hits.next();
    control.abort(new Error("interrupted"));
    await expect(drain(hits)).rejects.toThrow("interrupted");
    await expect.poll(children).toEqual(before);
  });

  it("fails when ripgrep is killed, as what it has found until then is not everything", async () => {
    using home = testHome();
    many(home);
    const before = children();
    const { signal } = new AbortController();
    const hits = hitsOf({ logs: jsonlLogs, directory: home.session("."), text: "word", signal });
    await hits.next();
    for (const pid of children()) if (!before.includes(pid)) process.kill(Number(pid), "SIGKILL");
    await expect(drain(hits)).rejects.toMatchObject({
      code: "FIND_FAILED",
      message: expect.stringContaining("ripgrep was killed before it had finished"),
    });
  });
});

async function drain(hits: AsyncGenerator<Hit>): Promise<void> {
  for await (const _hit of hits);
}
