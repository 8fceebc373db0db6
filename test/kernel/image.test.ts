import { definePlugin, type StoredEvent } from "@scorel/kernel";
import {
  createMemoryStore,
  Ledger,
  type LedgerImage,
  type LogImage,
  type Problem,
  type Store,
} from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { testHeader, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

declare module "@scorel/kernel" {
  interface Projections {
    logTexts: string[];
    pathTexts: string[];
    asideCount: number;
  }
}

interface Kept {
  image: LogImage;
  ledger: LedgerImage;
  known: { rows: number; types: readonly string[]; lastSeq: number };
}

/** A memory store that keeps an image when its log is closed, and returns it when the log is opened again. */
function keepingStore(events: readonly StoredEvent[] = []) {
  const memory = createMemoryStore(testHeader, events);
  const read: number[] = [];
  const replayed: number[] = [];
  let kept: Kept | undefined;
  let ledger: Ledger;
  const store: Store = {
    ...memory,
    open() {
      const opened = memory.open();
      const reading = opened.ledger.read;
      ledger = kept ? new Ledger(reading) : opened.ledger;
      if (kept) {
        ledger.restore(structuredClone(kept.ledger), kept.known);
        for (let row = kept.known.rows; row < memory.records.length; row++) ledger.add(reading(row) as StoredEvent);
      }
      ledger.read = (row) => {
        read.push(row);
        return reading(row);
      };
      return { ...opened, ledger, ...(kept && { image: structuredClone(kept.image) }) };
    },
    keep(make, rows) {
      replayed.push(rows);
      const known = { rows: ledger.size, types: [...ledger.types], lastSeq: ledger.lastSeq };
      kept = structuredClone({ image: make(), ledger: ledger.image(), known });
    },
  };
  return { ...store, records: memory.records, read, replayed, image: () => kept?.image };
}

/** A plugin with two projections, which records the events that they apply. */
function projecting(version: string, applied: string[]) {
  const add = (all: string[], { id, text }: { id: string; text: string }) => {
    applied.push(id);
    return [...all, text];
  };
  return definePlugin({
    id: "projecting",
    name: "Projecting",
    version,
    projections: {
      logTexts: { over: "log", init: (): string[] => [], update: add },
      pathTexts: { over: "path", init: (): string[] => [], update: add },
    },
  });
}

describe("the image of a log", () => {
  it("saves the next opening from reading and replaying what it covers", async () => {
    const store = keepingStore();
    const applied: string[] = [];
    {
      await using t = await testKernel([notes, projecting("1.0.0", applied)], { store });
      await t.session.append("note", { text: "a" });
      await t.session.append("note", { text: "b" });
      await t.session.append("jump", { to: "id0000000002" });
      await t.session.append("note", { text: "c" });
      expect([t.session.projection("logTexts"), t.session.projection("pathTexts")]).toEqual([
        ["a", "b", undefined, "c"],
        ["a", "c"],
      ]);
    }
    const shared = { plugin: "projecting", version: "1.0.0" };
    expect({ ...store.image(), flags: [...(store.image()?.flags ?? [])].slice(0, 4) }).toEqual({
      rows: 4,
      signatures: ["notes@1.0.0", "notes@1.0.0"],
      tree: { root: 0, leaf: 3, activeLeaf: "id0000000005" },
      projections: [
        { ...shared, name: "logTexts", over: "log", at: 4, state: ["a", "b", undefined, "c"] },
        { ...shared, name: "pathTexts", over: "path", at: 3, state: ["a", "c"] },
      ],
      flags: [13, 1, 0, 1],
    });
    applied.length = 0;
    store.read.length = 0;
    await using again = await testKernel([notes, projecting("1.0.0", applied)], { store });
    const { session } = again;
    const { root, activeLeaf, lostJumps } = session.tree;
    expect({
      activeLeaf,
      lostJumps,
      logTexts: session.projection("logTexts"),
      pathTexts: session.projection("pathTexts"),
      applied,
    }).toEqual({
      activeLeaf: "id0000000005",
      lostJumps: 0,
      logTexts: ["a", "b", undefined, "c"],
      pathTexts: ["a", "c"],
      applied: [],
    });
    expect([root?.id, session.tree.branchPoints().map(({ id }) => id)]).toEqual(["id0000000002", ["id0000000002"]]);
    expect(Math.max(...store.read)).toBe(0);
    await session.append("note", { text: "d" }, { id: "newnote" });
    expect([
      session.projection("logTexts").length,
      session.projection("pathTexts"),
      session.buildContext(),
      session.seq,
    ]).toEqual([...[5, ["a", "c", "d"], ["a", "c", "d"], 5]]);
    await again.kernel.stop();
    // The first opening had no image, so it saved one at once; the second had nothing to replay.
    expect(store.replayed).toEqual([0, 2, 0]);
  });

  it("is completed with the records that were written after it", async () => {
    const store = keepingStore();
    {
      await using t = await testKernel([notes, projecting("1.0.0", [])], { store });
      await t.session.append("note", { text: "a" });
      t.session.projection("logTexts");
    }
    const [first] = store.records.map((record) => JSON.parse(record) as StoredEvent & { text: string });
    store.append([JSON.stringify({ ...first, id: "later", parentId: first?.id, seq: 2, text: "b" })]);
    const applied: string[] = [];
    await using again = await testKernel([notes, projecting("1.0.0", applied)], { store });
    expect([
      again.session.activeLeaf,
      again.session.buildContext(),
      again.session.projection("logTexts"),
      applied,
    ]).toEqual([...["later", ["a", "b"], ["a", "b"], ["later"]]]);
  });

  it("leaves out projections that have read nothing, failed, or are very large", async () => {
    const failing = definePlugin({
      id: "failing",
      name: "Failing",
      version: "1.0.0",
      projections: {
        asideCount: { over: "log", init: () => 0, update: () => { throw new Error("broken"); } }, // biome-ignore format: short
        logTexts: { over: "log", init: (): string[] => [], update: (all: string[]) => [...all, "x".repeat(2 ** 20)] },
        pathTexts: { over: "path", init: (): string[] => [], update: (all: string[]) => all },
      },
    });
    const store = keepingStore();
    await using t = await testKernel([notes, failing], { store });
    expect(store.image()).toMatchObject({ rows: 0, projections: [] });
    await t.session.append("note", { text: "a" });
    t.session.projection("logTexts");
    await t.kernel.stop();
    expect(store.image()).toMatchObject({ rows: 1, projections: [] });
  });

  it("is not used if an event type is defined by another version of its plugin, which may move the leaf differently", async () => {
    const store = keepingStore();
    {
      await using t = await testKernel([notes, projecting("1.0.0", [])], { store });
      await t.session.append("note", { text: "a" });
      await t.session.append("note", { text: "b" });
      await t.session.append("jump", { to: "id0000000002" });
      t.session.projection("logTexts");
    }
    // Its parent is lost, so it is attached to the leaf at that moment.
    const last = JSON.parse(store.records[2] as string) as StoredEvent;
    store.append([JSON.stringify({ ...last, type: "note", id: "bridged", parentId: "lost", seq: 4, text: "c" })]);
    {
      await using t = await testKernel([notes, projecting("1.0.0", [])], { store });
      expect([t.session.tree.isBridged("bridged"), t.session.buildContext()]).toEqual([true, ["a", "c"]]);
    }
    const jump = { schema: z.looseObject({}), leaf: (_event: unknown, current: string | null) => current };
    const changed = { ...notes, version: "2.0.0", events: { ...notes.events, jump } };
    await using again = await testKernel([changed, projecting("1.0.0", [])], { store });
    const { tree } = again.session;
    expect([tree.isBridged("bridged"), again.session.buildContext(), tree.branchPoints()]).toEqual([
      ...[true, ["a", "b", "c"], []],
    ]);
  });

  it.each([
    ["another version of its plugin", projecting("2.0.0", [])],
    ["another plugin", { ...projecting("1.0.0", []), id: "other" }],
  ])("does not give its states to projections of %s", async (_what, plugin) => {
    const store = keepingStore();
    {
      await using t = await testKernel([notes, projecting("1.0.0", [])], { store });
      await t.session.append("note", { text: "a" });
      t.session.projection("logTexts");
    }
    const counting = {
      logTexts: { over: "log" as const, init: () => ["own"], update: (all: string[]) => [...all, "new"] },
    };
    await using again = await testKernel([notes, { ...plugin, projections: counting }], { store });
    expect(again.session.projection("logTexts")).toEqual(["own", "new"]);
  });

  it("does not give the state of a projection over the log to one over the path", async () => {
    const store = keepingStore();
    {
      await using t = await testKernel([notes, projecting("1.0.0", [])], { store });
      await t.session.append("note", { text: "a" });
      await t.session.append("aside", { text: "s" });
      expect(t.session.projection("logTexts")).toEqual(["a", "s"]);
    }
    const { logTexts } = projecting("1.0.0", []).projections ?? {};
    const moved = { ...projecting("1.0.0", []), projections: { logTexts: { ...logTexts, over: "path" as const } } };
    await using again = await testKernel([notes, moved as never], { store });
    expect(again.session.projection("logTexts")).toEqual(["a"]);
  });
});

describe("lost records", () => {
  const damage: Problem = { line: 3, offset: 120, reason: "json", lost: true };
  const repaired: Problem = { line: 4, offset: 180, reason: "unchecked", lost: false };
  const open = (
    memory: ReturnType<typeof createMemoryStore>,
    problems: readonly Problem[],
    readOnly?: string,
  ): Store => ({
    ...memory,
    open: () => ({ ...memory.open(), problems, ...(readOnly !== undefined && { readOnly }) }),
  });

  it("begin a new epoch, once for each loss", async () => {
    const memory = createMemoryStore(testHeader);
    const epochs: string[] = [];
    let ids = 0;
    const newId = () => `id${++ids}`;
    for (const problems of [[], [repaired], [damage, repaired], [damage, repaired]]) {
      await using t = await testKernel([notes], { store: open(memory, problems), newId });
      epochs.push(t.session.epoch);
    }
    const [first, second, third, last] = epochs;
    expect([first, second, last]).toEqual([testHeader.epoch, testHeader.epoch, third]);
    const also: Problem = { line: 9, offset: 400, reason: "crc", lost: true };
    await using t = await testKernel([notes], { store: open(memory, [damage, also]), newId });
    expect(memory.records.map((record) => JSON.parse(record))).toEqual([
      expect.objectContaining({ type: "epoch", seq: 1, epoch: third, reason: "line 3: json", damage: [120] }),
      expect.objectContaining({
        ...{ type: "epoch", seq: 2, epoch: t.session.epoch },
        ...{ reason: "line 3: json; line 9: crc", damage: [120, 400] },
      }),
    ]);
    expect([t.kernel.problems, t.session.activeLeaf]).toEqual([[damage, also], null]);
  });

  it("begin no new epoch in a log that is only read", async () => {
    const memory = createMemoryStore(testHeader);
    await using t = await testKernel([notes], { store: open(memory, [damage], "another process has it") });
    expect([t.session.epoch, t.kernel.readOnly, memory.records]).toEqual([
      testHeader.epoch,
      "another process has it",
      [],
    ]);
  });
});

describe("a projection that names what it reads", () => {
  it("is given only those events, from a stored log and while it is written", async () => {
    const read = (given: string[], reads: readonly (string | { type: string; containing: string })[]) => ({
      ...{ over: "log" as const, reads, init: () => 0 },
      update: (n: number, { id }: StoredEvent) => {
        given.push(id);
        return n + 1;
      },
    });
    const given = { asideCount: [] as string[], logTexts: [] as string[] };
    const reader = definePlugin({
      id: "reader",
      name: "Reader",
      version: "1.0.0",
      projections: {
        asideCount: read(given.asideCount, ["aside", { type: "jump", containing: '"to":"id7"' }]),
        logTexts: read(given.logTexts, [{ type: "note", containing: '"text":"5' }]) as never,
      },
    });
    const common = { sessionId: testHeader.sessionId, clientId: "test", ts: 0 };
    const events = Array.from({ length: 300 }, (_, n) => {
      const parentId = n === 0 ? null : `id${n - 1}`;
      const kind = n === 50 ? { type: "aside" } : n === 60 ? { type: "jump", to: "id7" } : { type: "note" };
      return { ...common, id: `id${n}`, parentId, seq: n + 1, text: `${n}`, ...kind };
    });
    events[70] = { ...(events[70] as (typeof events)[0]), type: "jump", to: "id9" } as never;
    await using t = await testKernel([notes, reader], { store: createMemoryStore(testHeader, events) });
    expect([t.session.projection("asideCount"), t.session.projection("logTexts")]).toEqual([2, 10]);
    await t.session.append("aside", { text: "new" }, { id: "newaside" });
    await t.session.append("note", { text: "9" }, { id: "newnote" });
    expect([t.session.projection("asideCount"), given.asideCount]).toEqual([3, ["id50", "id60", "newaside"]]);
    const fives = ["id5", "id51", "id52", "id53", "id54", "id55", "id56", "id57", "id58", "id59"];
    expect(given.logTexts).toEqual([...fives, "newnote"]);
  });
});
