import type { TreePage, TreeRow } from "@scorel/history/contract";
import { describe, expect, it, vi } from "vitest";
import { draw } from "../../../plugins/history/drawing.ts";
import { call, desk, result } from "./desk.ts";

describe("a session's tree", () => {
  it("lists each event, the rewind points, the branches and the leaf", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const { eventId } = await client.request("rewind", { sessionId, targetEventId: one });
    const calls = await t.write({ role: "assistant", content: [call("c1")] });
    const last = await t.write(result("c1"));
    const page = await client.request("get_tree", { sessionId });
    const asked = session.tree.parent(one)?.id as string;
    const left = session.tree.parent(two)?.id as string;
    const row = (id: string, parentId: string | null, label: string, text: string, active: boolean, point = true) => ({
      id,
      parentId,
      seq: session.tree.get(id)?.seq,
      ts: session.tree.get(id)?.ts,
      label,
      text,
      point,
      active,
    });
    expect(page).toEqual<TreePage>({
      sessionId,
      leafId: last,
      idLength: expect.any(Number) as number,
      events: 7,
      rows: [
        row(asked, null, "user", "one", true),
        row(one, asked, "assistant", "echo: one", true),
        row(left, one, "user", "two", false),
        row(two, left, "assistant", "echo: two", false),
        row(calls, one, "assistant", "calls Look", true, false),
        row(last, calls, "Look", "seen", true),
      ] as TreeRow[],
      branchPoints: [{ id: one, children: [left, calls] }],
      branchPointCount: 1,
      leaves: [
        { id: two, ts: 0, text: "assistant: echo: two", active: false },
        { id: last, ts: 0, text: "Look: seen", active: true },
      ].map((leaf) => ({ ...leaf, ts: session.tree.get(leaf.id)?.ts as number })),
      leafCount: 2,
    });
    const path = await client.request("get_tree", { sessionId, show: "path" });
    expect(path.rows.map(({ id }) => id)).toEqual([asked, one, calls, last]);
    const all = await client.request("get_tree", { sessionId, show: "all" });
    expect(all.rows.find(({ id }) => id === eventId)).toMatchObject({ parentId: two, label: "rewind", beside: true });
  });

  it("escapes control characters, also in errors", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("\u001b[2Jone\r\nline\u0007");
    const calls = await t.write({ role: "assistant", content: [call("c1", "\u001b]0;title\u0007Look")] });
    const { rows } = await client.request("get_tree", { sessionId });
    expect(rows.map(({ text }) => text)).toEqual(["one line", "echo: one line", "calls Look"]);
    await expect(client.request("rewind", { sessionId, targetEventId: calls })).rejects.toThrow(
      `${calls.slice(0, 8)} (assistant: calls Look): its tool calls (Look) wait for their results.`,
    );
  });

  it("is returned in pages, the latest first", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    for (const text of ["one", "two", "three"]) await t.say(text);
    const pages = [await client.request("get_tree", { sessionId, limit: 4 })];
    pages.unshift(await client.request("get_tree", { sessionId, limit: 4, before: pages[0]?.before }));
    expect(pages.map(({ rows, before }) => [rows.length, before === undefined])).toEqual([
      [2, true],
      [4, false],
    ]);
    const texts = pages.flatMap(({ rows }) => rows.map(({ text }) => text));
    expect(texts).toEqual(["one", "echo: one", "two", "echo: two", "three", "echo: three"]);
  });

  it("takes a few steps for each row, however many calls a reply has", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const stepsFor = async (count: number) => {
      await t.say("go");
      const ids = Array.from({ length: count }, (_, n) => `c${count}-${n}`);
      const reply = await t.write({ role: "assistant", content: ids.map((id) => call(id)) });
      for (const id of ids.slice(1)) await t.write(result(id));
      const waiting = session.activeLeaf;
      const last = await t.write(result(ids[0] as string));
      const [up, read] = [vi.spyOn(session.tree, "parent"), vi.spyOn(session.tree, "get")];
      const page = await client.request("get_tree", { sessionId, show: "path", limit: count + 1 });
      const points = page.rows.filter(({ point }) => point).map(({ id }) => id);
      const refused = client.request("rewind", { sessionId, targetEventId: reply });
      await expect(refused).rejects.toThrow(`${last.slice(0, 8)} (Look: seen)`);
      const steps = up.mock.calls.length + read.mock.calls.length;
      up.mockRestore();
      read.mockRestore();
      expect([points, page.rows.at(-2)?.id]).toEqual([[last], waiting]);
      return steps;
    };
    const [few, many] = [await stepsFor(100), await stepsFor(400)];
    expect(many / few).toBeLessThan(5);
  });

  it("takes as many steps for an early page of the conversation as for the latest", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const ids: string[] = [];
    for (let n = 0; n < 200; n++) ids.push(await t.write({ role: "internal", content: `${n}` }));
    const pageBefore = async (before?: string) => {
      const looked = vi.spyOn(session.tree, "isPath");
      const { rows } = await client.request("get_tree", {
        sessionId,
        show: "path",
        limit: 5,
        ...(before && { before }),
      });
      const steps = looked.mock.calls.length;
      looked.mockRestore();
      return { ids: rows.map(({ id }) => id), steps };
    };
    const latest = await pageBefore();
    expect(latest.ids).toEqual(ids.slice(-5));
    const early = await pageBefore(ids[10]);
    expect(early.ids).toEqual(ids.slice(5, 10));
    expect(early.steps - latest.steps).toBeLessThan(5);
  });

  it("of ten thousand events is returned in pages of a few hundred kilobytes", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const text = "A line of words that goes on and on. ".repeat(20);
    for (let turn = 0; turn < 5_000; turn++) {
      await session.appendAll([
        { type: "message", payload: { message: { role: "user", content: text, timestamp: 1 } } },
        { type: "message", payload: { message: { role: "internal", content: text, timestamp: 1 } } },
      ]);
      if (turn % 10 === 9) await client.request("undo", { sessionId });
    }
    const page = await client.request("get_tree", { sessionId, limit: 1000 });
    expect(page).toMatchObject({ events: 10_500, branchPointCount: 499, leafCount: 500 });
    expect([page.rows.length, page.branchPoints.length, page.leaves.length]).toEqual([1000, 200, 200]);
    expect(JSON.stringify(page).length).toBeLessThan(400_000);
    const whole = await client.request("get_tree", { sessionId, limit: 100_000 });
    expect(whole.rows.slice(-1000)).toEqual(page.rows);
    expect(whole.rows.map(({ id }) => id)).toEqual(
      [...session.tree].flatMap(({ id }) => (session.tree.isPath(id) ? id : [])),
    );
  });
});

describe("the drawn tree", () => {
  const rows = (lines: string[]): TreeRow[] =>
    lines.map((line, index) => {
      const [id = "", parentId = "", label = "", ...words] = line.split(" ");
      const active = !id.startsWith("x");
      return {
        id,
        parentId: parentId === "-" ? null : parentId,
        seq: index,
        ts: 0,
        label,
        text: words.join(" "),
        point: true,
        active,
      };
    });
  const page = (lines: string[], leafId: string): TreePage => ({
    sessionId: "s",
    leafId,
    idLength: 4,
    events: lines.length,
    rows: rows(lines),
    branchPoints: [],
    branchPointCount: 0,
    leaves: [],
    leafCount: 0,
  });

  it("runs down the left edge, with abandoned branches indented by one step", () => {
    const drawn = draw(
      page(
        [
          "aaaa - user one",
          "bbbb aaaa assistant first answer",
          "xccc bbbb user two",
          "xddd xccc assistant second answer",
          "xeee xccc assistant another answer",
          "ffff bbbb user three",
          "gggg ffff assistant third answer",
        ],
        "gggg",
      ),
    );
    expect(drawn).toBe(`○ aaaa  user       one
○ bbbb  assistant  first answer
├─○ xccc  user       two
│ ├─○ xddd  assistant  second answer
│ ○ xeee  assistant  another answer
○ ffff  user       three
● gggg  assistant  (here) third answer
`);
  });

  it("contains every event of a page that begins in the middle", () => {
    const drawn = draw(page(["xccc gone user left", "dddd gone user one", "eeee dddd assistant two"], "eeee"));
    expect(drawn).toBe("├─○ xccc  user       left\n○ dddd  user       one\n● eeee  assistant  (here) two\n");
  });

  it("fits the terminal, also with wide characters, and has a maximum depth", () => {
    const drawn = draw(page(["aaaa - user 你好你好你好你好你好你好"], "none"), 30);
    expect(drawn).toBe("○ aaaa  user       你好你好你…\n");
    const nested = [
      "a000 - user one",
      ...Array.from({ length: 40 }, (_, n) => [
        `x${n + 1} ${n === 0 ? "a000" : `x${n}`} user deep`,
        `y${n + 1} ${n === 0 ? "a000" : `x${n}`} user beside`,
      ]).flat(),
    ];
    const prefixes = draw(page(nested, "a000"))
      .split("\n")
      .map((line) => line.search(/[○●]/));
    expect(Math.max(...prefixes)).toBeLessThan(24);
  });

  it("handles a conversation of a hundred thousand events", () => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `e${n} ${n === 0 ? "-" : `e${n - 1}`} user hello`);
    expect(draw(page(lines, "e99999")).split("\n")).toHaveLength(100_001);
  });
});
