import { definePlugin } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { testHeader, testKernel } from "../harness.ts";
import { fc, seed } from "../property.ts";
import { notes } from "./notes.ts";

describe("a log", () => {
  it("numbers persistent and transient events in one sequence, and writes only persistent ones", async () => {
    await using t = await testKernel([notes]);
    await t.session.append("note", { text: "a" });
    t.session.emit("tick", { n: 1 });
    await t.session.append("note", { text: "b" }, { clientId: "phone" });
    const common = { sessionId: "session000000001", type: "note" };
    expect(t.stored()).toEqual([
      { ...common, id: "id0000000002", parentId: null, seq: 1, clientId: "test", ts: 1, text: "a" },
      { ...common, id: "id0000000003", parentId: "id0000000002", seq: 3, clientId: "phone", ts: 3, text: "b" },
    ]);
    expect(await t.heard()).toEqual([
      t.stored()[0],
      { type: "tick", seq: 2, sessionId: "session000000001", clientId: "test", ts: 2, n: 1 },
      t.stored()[1],
    ]);
  });

  it("resolves the parent and runs check synchronously, so that one of two racing appends wins", async () => {
    await using t = await testKernel([notes]);
    const first = await t.session.append("note", { text: "question" });
    const answer = (text: string) =>
      t.session.append(
        "note",
        { text },
        {
          check: (view) => {
            if (view.activeLeaf !== first.id) throw new Error("answered already");
          },
        },
      );
    const outcomes = await Promise.allSettled([answer("yes"), answer("no")]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected"]);
    await t.session.append("note", { text: "next" });
    expect(t.stored().map((event) => [event.seq, (event as unknown as { text: string }).text])).toEqual([
      [1, "question"],
      [2, "yes"],
      [3, "next"],
    ]);
  });

  it("writes either all events of appendAll or none", async () => {
    await using t = await testKernel([notes]);
    await expect(
      t.session.appendAll([
        { type: "note", payload: { text: "a" } },
        { type: "note", payload: { text: 1 as unknown as string } },
      ]),
    ).rejects.toMatchObject({ code: "EVENT_INVALID" });
    expect(t.stored()).toEqual([]);
    const events = await t.session.appendAll([
      { type: "note", payload: { text: "a" } },
      { type: "note", payload: { text: "b" } },
    ]);
    expect(events.map(({ seq, parentId }) => ({ seq, parentId }))).toEqual([
      { seq: 1, parentId: null },
      { seq: 2, parentId: events[0]?.id },
    ]);
  });

  it("links each event of appendAll to the leaf after the events before it, even after a jump to the root", async () => {
    await using t = await testKernel([notes]);
    await t.session.append("note", { text: "old root" });
    const [, root, child] = await t.session.appendAll([
      { type: "jump", payload: { to: null } },
      { type: "note", payload: { text: "new root" } },
      { type: "note", payload: { text: "child" } },
    ]);
    expect({ parents: [root?.parentId, child?.parentId], context: t.session.buildContext() }).toEqual({
      parents: [null, root?.id],
      context: ["new root", "child"],
    });
  });

  it("rejects a payload with a field of the envelope, even if the schema allows it", async () => {
    const loose = definePlugin({
      id: "loose",
      name: "Loose",
      version: "1.0.0",
      events: { loose: { schema: z.looseObject({}) } },
    });
    await using t = await testKernel([loose]);
    await expect(t.session.append("loose" as never, { seq: 99 } as never)).rejects.toMatchObject({
      code: "EVENT_RESERVED_KEY",
      data: { type: "loose", key: "seq", plugin: "loose" },
    });
  });

  it("announces when it cannot be saved and when it can again, without a gap in seq", async () => {
    let full = true;
    const memory = createMemoryStore(testHeader);
    const append = (records: readonly string[]) => {
      if (full) throw new Error("disk full");
      memory.append(records);
    };
    await using t = await testKernel([notes], { store: { ...memory, append } });
    await expect(t.session.append("note", { text: "lost" })).rejects.toThrow("disk full");
    full = false;
    await t.session.append("note", { text: "kept" });
    expect((await t.heard()).map(({ type, ...rest }) => [type, (rest as { seq: number }).seq])).toEqual([
      ["storage_status", 1],
      ["note", 2],
      ["storage_status", 3],
    ]);
    expect(t.session.buildContext()).toEqual(["kept"]);
  });

  it("returns frozen events", async () => {
    await using t = await testKernel([notes]);
    const event = await t.session.append("note", { text: "a" });
    expect(() => Object.assign(event, { text: "b" })).toThrow(TypeError);
  });

  it("rejects unknown types, wrong kinds, used ids and unknown parents with their error codes", async () => {
    await using t = await testKernel([notes]);
    const { id } = await t.session.append("note", { text: "a" });
    const code = async (work: () => unknown) => {
      try {
        await work();
      } catch (error) {
        return (error as { code: string }).code;
      }
      return "none";
    };
    expect([
      await code(() => t.session.append("nope" as never, {} as never)),
      await code(() => t.session.append("tick" as never, { n: 1 } as never)),
      await code(() => t.session.emit("note" as never, { text: "a" } as never)),
      await code(() => t.session.append("note", { text: "b" }, { id })),
      await code(() => t.session.append("note", { text: "b" }, { parentId: "missing0" })),
      await code(() => t.session.append("jump", { to: "missing0" })),
    ]).toEqual([
      "EVENT_UNKNOWN_TYPE",
      "EVENT_TRANSIENT",
      "EVENT_PERSISTENT",
      "LOG_DUPLICATE_ID",
      "LOG_UNKNOWN_PARENT",
      "LOG_INVALID_LEAF",
    ]);
  });
});

describe("the tree", () => {
  it("moves its active leaf on path events and jumps, but not on side events", async () => {
    await using t = await testKernel([notes]);
    const a = await t.session.append("note", { text: "a" });
    const b = await t.session.append("note", { text: "b" });
    const aside = await t.session.append("aside", { text: "s" });
    expect([t.session.activeLeaf, aside.parentId]).toEqual([b.id, b.id]);
    const jump = await t.session.append("jump", { to: a.id as string });
    expect([t.session.activeLeaf, jump.parentId]).toEqual([a.id, b.id]);
    const c = await t.session.append("note", { text: "c" });
    const { tree } = t.session;
    expect({
      path: tree.path(c.id as string).map((event) => event.id),
      leaves: tree.leaves().map((event) => event.id),
      branchPoints: tree.branchPoints().map((event) => event.id),
      children: tree.children(a.id as string).map((event) => event.id),
      root: tree.root?.id,
    }).toEqual({ path: [a.id, c.id], leaves: [b.id, c.id], branchPoints: [a.id], children: [b.id, c.id], root: a.id });
  });
});

describe("events by the beginning of their ids", () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(..."abC") }), {
    minLength: 1,
    maxLength: 90,
  });
  const prefixes = fc.string({ maxLength: 3, unit: fc.constantFrom(...'abC"é') });

  it.each([{ checksum: "crc32" as const }, {}])(
    `are the same as when reading the whole log, with header %j (seed ${seed})`,
    async (more) => {
      await fc.assert(
        fc.asyncProperty(ids, prefixes, async (all, prefix) => {
          const words = all.map((id) => ({ type: "note" as const, id, payload: { text: `"id":"${id}` } }));
          await using t = await testKernel([notes], { store: createMemoryStore({ ...testHeader, ...more }) });
          await t.session.appendAll(words);
          expect(t.session.tree.startingWith(prefix)).toEqual(all.filter((id) => id.startsWith(prefix)));
        }),
        { seed },
      );
    },
  );

  it("are found without reading other events, except for the last few", async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      ...{ type: "note", id: `id${n}x`, parentId: n === 0 ? null : `id${n - 1}x`, seq: n + 1, text: `${n}` },
      ...{ sessionId: testHeader.sessionId, clientId: "test", ts: n },
    }));
    const memory = createMemoryStore({ ...testHeader, checksum: "crc32" }, events);
    const read: number[] = [];
    const open = () => {
      const opened = memory.open();
      const { ledger } = opened;
      const reading = ledger.read.bind(ledger);
      ledger.read = (row) => {
        read.push(row);
        return reading(row);
      };
      return opened;
    };
    await using t = await testKernel([notes], { store: { ...memory, open } });
    read.length = 0;
    expect(t.session.tree.startingWith("id12x")).toEqual(["id12x"]);
    expect(t.session.tree.startingWith("nobody")).toEqual([]);
    expect([read.includes(12), Math.min(...read.filter((row) => row !== 12)) > 900]).toEqual([true, true]);
  });
});

describe("a hold on the path", () => {
  /** Its notes must be synced to disk. */
  const vow = definePlugin({
    id: "vow",
    name: "Vow",
    version: "1.0.0",
    events: { note: { schema: z.strictObject({ text: z.string() }), durable: true } },
  });

  it("queues path events of others, lets side events through and rejects jumps", async () => {
    await using t = await testKernel([notes]);
    const hold = t.session.hold();
    const mine = await hold.append("note", { text: "mine" });
    const theirs = await t.session.append("note", { text: "theirs" });
    await t.session.append("aside", { text: "beside" });
    expect(theirs).toEqual({ id: expect.any(String), queued: true });
    await expect(t.session.append("jump", { to: mine.id })).rejects.toMatchObject({ code: "LOG_BUSY" });
    expect(() => t.session.hold()).toThrow(expect.objectContaining({ code: "LOG_BUSY" }));
    await hold.release();
    expect(t.stored().map((event) => (event as unknown as { text: string }).text)).toEqual([
      "mine",
      "beside",
      "theirs",
    ]);
    expect(t.session.activeLeaf).toBe(theirs.id);
  });

  it("refuses an invalid event at once, and not when it is written", async () => {
    await using t = await testKernel([notes]);
    const hold = t.session.hold();
    await expect(t.session.append("note", { text: 7 } as never)).rejects.toMatchObject({ code: "EVENT_INVALID" });
    await hold.release();
    expect([t.stored(), t.kernel.failures]).toEqual([[], []]);
  });

  it("writes all queued events when it is released, before the next holder can write", async () => {
    await using t = await testKernel([vow]);
    const first = t.session.hold();
    await t.session.append("note", { text: "one" });
    await t.session.append("note", { text: "two" });
    const released = first.release();
    const second = t.session.hold();
    await second.append("note", { text: "three" });
    await released;
    await second.release();
    expect(t.stored().map((event) => (event as unknown as { text: string }).text)).toEqual(["one", "two", "three"]);
  });

  it("writes queued events when it is opened, and lets others append directly until it closes", async () => {
    await using t = await testKernel([notes]);
    const hold = t.session.hold();
    await t.session.append("note", { text: "waiting" });
    await hold.open(async () => {
      expect(t.stored()).toHaveLength(1);
      expect((await t.session.append("note", { text: "direct" })).queued).toBeUndefined();
    });
    expect(await t.session.append("note", { text: "closed again" })).toMatchObject({ queued: true });
    await hold.release();
    expect(t.stored()).toHaveLength(3);
  });

  it("writes what others append while it is being opened at once, and after the queued events", async () => {
    await using t = await testKernel([vow]);
    const hold = t.session.hold();
    await t.session.append("note", { text: "one" });
    const opened = hold.open(async () => void (await t.session.append("note", { text: "three" })));
    const two = await t.session.append("note", { text: "two" });
    await opened;
    await hold.release();
    const texts = t.stored().map((event) => (event as unknown as { text: string }).text);
    expect([two.queued, texts]).toEqual([undefined, ["one", "two", "three"]]);
  });

  it("refuses the events of appendAll that would have to wait", async () => {
    await using t = await testKernel([notes]);
    const hold = t.session.hold();
    const entry = (type: "note" | "aside") => ({ type, payload: { text: "a" } });
    await expect(t.session.appendAll([entry("aside"), entry("note")])).rejects.toMatchObject({ code: "LOG_BUSY" });
    expect([await t.session.appendAll([entry("aside")]), t.session.held]).toMatchObject([[{ type: "aside" }], true]);
    await hold.release();
    expect([await t.session.appendAll([entry("note")]), t.session.held]).toMatchObject([[{ type: "note" }], false]);
  });

  it("says whose work it does: events that name no client bear that client's id until it ends", async () => {
    await using t = await testKernel([notes]);
    const clients = () => t.stored().map(({ clientId }) => clientId);
    const hold = t.session.hold();
    await hold.append("note", { text: "nobody's" });
    hold.answer("anna");
    await hold.append("note", { text: "anna's" });
    await hold.append("note", { text: "ben's" }, { clientId: "ben" });
    await t.session.append("aside", { text: "while it works for anna" });
    await t.session.append("note", { text: "waiting" });
    await hold.release();
    hold.answer("carl");
    await t.session.append("note", { text: "afterwards" });
    expect(clients()).toEqual(["test", "anna", "ben", "anna", "test", "test"]);
  });

  it("is not ended by somebody who releases an earlier hold twice", async () => {
    await using t = await testKernel([notes]);
    const first = t.session.hold();
    await first.release();
    const second = t.session.hold();
    await first.release();
    expect([t.session.held, (await t.session.append("note", { text: "a" })).queued]).toEqual([true, true]);
    await second.release();
    expect([t.session.held, t.stored().length]).toEqual([false, 1]);
  });

  it("cannot be used after its release, and does not open the next hold", async () => {
    await using t = await testKernel([notes]);
    const first = t.session.hold();
    const ends: (() => void)[] = [];
    const opened = first.open(() => new Promise<void>((resolve) => void ends.push(resolve)));
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    await first.release();
    const second = t.session.hold();
    const entry = { type: "note" as const, payload: { text: "a" } };
    const late = [
      () => first.append("note", { text: "a" }),
      () => first.appendAll([entry]),
      () => first.open(async () => {}),
    ];
    for (const work of late) await expect(work()).rejects.toMatchObject({ code: "LOG_HOLD_ENDED" });
    const other = await t.session.append("note", { text: "waiting" });
    await second.open(async () => {
      ends[0]?.();
      await opened;
      expect((await t.session.append("note", { text: "direct" })).queued).toBeUndefined();
    });
    await second.release();
    expect([other.queued, t.stored()]).toMatchObject([true, [{ text: "waiting" }, { text: "direct" }]]);
  });

  it("writes a queued event as it was when it was appended", async () => {
    await using t = await testKernel([notes]);
    const hold = t.session.hold();
    const payload = { text: "at first" };
    await t.session.append("note", payload);
    payload.text = "later";
    await hold.release();
    expect(t.stored()).toMatchObject([{ text: "at first" }]);
  });

  it("reports queued events that can no longer be written, and writes the others", async () => {
    await using t = await testKernel([notes]);
    const hold = t.session.hold();
    const check = () => {
      throw new Error("too late");
    };
    await t.session.append("note", { text: "a" }, { check });
    await t.session.append("note", { text: "b" });
    await hold.release();
    expect([t.stored(), t.kernel.failures]).toMatchObject([
      [{ text: "b" }],
      [{ plugin: "kernel", where: "queued append", code: "UNEXPECTED", message: "too late" }],
    ]);
  });
});
