import type { StoredEvent } from "@scorel/kernel";
import { createMemoryStore, Ledger } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { TreeView } from "../../kernel/tree-view.ts";
import { testHeader, testKernel } from "../harness.ts";
import { fc, seed } from "../property.ts";
import { notes } from "./notes.ts";

const ANY = z.looseObject({});
/** Two ids that a ledger hashes to the same number. */
const SAME_HASH = ["3aq8s63s6wu9", "0bdtdq3hqjvx"] as const;

type Stored = StoredEvent & { to?: string };

/** All results of a tree's methods, as ids. */
function answersOf(tree: TreeView, after: string | null) {
  const ids = [...tree].map(({ id }) => id);
  const idsOf = (events: Iterable<StoredEvent>) => [...events].map(({ id }) => id);
  return {
    all: ids,
    size: tree.size,
    root: tree.root?.id,
    activeLeaf: tree.activeLeaf,
    last: tree.last?.id,
    leaves: idsOf(tree.leaves()),
    branchPoints: idsOf(tree.branchPoints()),
    asides: idsOf(tree.ofType("aside")),
    unknown: idsOf(tree.ofType("unknown")),
    tails: [0, 1, 3].map((count) => idsOf(tree.tail(count))),
    heads: [0, 1, 3].map((count) => idsOf(tree.head(count))),
    headsAfter: idsOf(tree.head(2, 3)),
    between: idsOf(tree.between(2, 5)),
    each: ids.map((id) => ({
      isPath: tree.isPath(id),
      isBridged: tree.isBridged(id),
      parent: tree.parent(id)?.id,
      ancestors: idsOf(tree.ancestors(id)),
      path: idsOf(tree.path(id)),
      way: idsOf(tree.way(id, 2)),
      stretch: idsOf(tree.stretch(after, id).slice(0)),
      stretchSize: tree.stretch(after, id).size,
      above: ids.filter(tree.above(id)),
      nearest: tree.nearest(id, "aside")?.id,
      children: idsOf(tree.children(id)),
    })),
  };
}

/** The same results, each computed directly from the list of all events. */
function plainAnswers(events: readonly Stored[], after: string | null): ReturnType<typeof answersOf> {
  const byId = new Map(events.map((event) => [event.id, event]));
  const isPath = (id: string) => byId.get(id)?.type === "note";
  const upwards = (id: string | null): string[] => {
    const event = id === null ? undefined : byId.get(id);
    return event ? [event.id, ...upwards(event.parentId)] : [];
  };
  const childrenOf = (id: string) =>
    events.filter((event) => isPath(event.id) && upwards(event.parentId).find(isPath) === id).map((event) => event.id);
  const ids = events.map(({ id }) => id);
  const paths = ids.filter(isPath);
  let activeLeaf: string | null = null;
  for (const { id, type, to } of events)
    activeLeaf = type === "note" ? id : type === "jump" ? (to as string) : activeLeaf;
  const skipped = new Set(after === null ? [] : upwards(after));
  return {
    all: ids,
    size: ids.length,
    root: paths[0],
    activeLeaf,
    last: ids.at(-1),
    leaves: paths.filter((id) => childrenOf(id).length === 0),
    branchPoints: paths.filter((id) => childrenOf(id).length > 1),
    asides: ids.filter((id) => byId.get(id)?.type === "aside"),
    unknown: [],
    tails: [0, 1, 3].map((count) => (count === 0 ? [] : ids.slice(-count))),
    heads: [0, 1, 3].map((count) => ids.slice(0, count)),
    headsAfter: events.flatMap(({ id, seq }) => (seq > 3 ? id : [])).slice(0, 2),
    between: events.filter(({ seq }) => seq >= 2 && seq <= 5).map(({ id }) => id),
    each: events.map(({ id, parentId }) => {
      const stretch = upwards(id).reverse();
      const kept = stretch.includes(after ?? "") ? stretch.filter((event) => !skipped.has(event)) : stretch;
      return {
        isPath: isPath(id),
        isBridged: false,
        parent: parentId ?? undefined,
        ancestors: upwards(id),
        path: upwards(id).reverse(),
        way: upwards(id).slice(0, 2).reverse(),
        stretch: kept,
        stretchSize: kept.length,
        above: ids.filter((other) => upwards(id).includes(other)),
        nearest: upwards(id).find((other) => byId.get(other)?.type === "aside"),
        children: childrenOf(id),
      };
    }),
  };
}

describe("the tree of any log", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("note", "note", "under", "aside", "jump"), fc.nat({ max: 1_000 })), {
    minLength: 1,
    maxLength: 90,
  });

  it(`gives the same answers as a list of its events, while it is written and after it is opened again (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const store = createMemoryStore(testHeader);
        await using t = await testKernel([notes], { store });
        const { session } = t;
        const stored = () => store.records.map((record) => JSON.parse(record) as Stored);
        for (const [at, [what, choice]] of taken.entries()) {
          const chosen = (events: readonly Stored[]) => events[choice % Math.max(1, events.length)]?.id;
          const to = chosen(stored().filter(({ type }) => type === "note"));
          const parentId = chosen(stored());
          if (what === "aside") await session.append("aside", { text: `${at}` });
          else if (what === "note" || to === undefined) await session.append("note", { text: `${at}` });
          else if (what === "under") await session.append("note", { text: `${at}` }, { parentId: parentId as string });
          else await session.append("jump", { to });
          // Called in the middle of the path; from then on the tree must keep its list of children up to date.
          if (at === 5) session.tree.children(stored()[0]?.id as string);
        }
        const after = stored()[(taken[0]?.[1] ?? 0) % store.records.length]?.id ?? null;
        await using again = await testKernel([notes], { store: createMemoryStore(testHeader, stored()) });
        const plain = plainAnswers(stored(), after);
        expect(answersOf(session.tree, after)).toEqual(plain);
        expect(answersOf(again.session.tree, after)).toEqual(plain);
        expect(again.session.seq).toBe(stored().at(-1)?.seq);
      }),
      { seed, numRuns: 40 },
    );
  });

  it("knows nothing about ids that it does not have", async () => {
    await using t = await testKernel([notes]);
    const { tree } = t.session;
    const about = (id: string) => ({
      has: tree.has(id),
      get: tree.get(id),
      isPath: tree.isPath(id),
      isBridged: tree.isBridged(id),
      parent: tree.parent(id),
      path: tree.path(id),
      children: tree.children(id),
      nearest: tree.nearest(id, "note"),
      above: tree.above(id)(id),
    });
    const nothing = {
      ...{ has: false, get: undefined, isPath: false, isBridged: false, parent: undefined, path: [], children: [] },
      ...{ nearest: undefined, above: false },
    };
    const empty = { root: tree.root, last: tree.last, leaf: tree.activeLeaf, context: t.session.buildContext() };
    expect([about("missing0"), empty]).toEqual([
      nothing,
      { root: undefined, last: undefined, leaf: null, context: [] },
    ]);
    await t.session.append("note", { text: "a" });
    expect(about("missing0")).toEqual(nothing);
  });

  it("tells ids with the same hash apart", async () => {
    const [one, two] = SAME_HASH;
    expect(Ledger.hash(one)).toBe(Ledger.hash(two));
    await using t = await testKernel([notes]);
    await t.session.append("note", { text: "one" }, { id: one });
    expect([t.session.tree.has(one), t.session.tree.has(two)]).toEqual([true, false]);
    await t.session.append("note", { text: "two" }, { id: two });
    expect([one, two].map((id) => t.session.tree.get(id))).toMatchObject([{ text: "one" }, { text: "two" }]);
  });
});

describe("a stored log", () => {
  const record = (n: number, type: string, more: object): Stored =>
    ({
      ...{ type, id: `id${n}`, parentId: n === 1 ? null : `id${n - 1}`, seq: n },
      ...{ sessionId: testHeader.sessionId, clientId: "test", ts: n, ...more },
    }) as unknown as Stored;

  it("attaches events whose parents are lost to the active leaf of that moment, and ignores jumps to lost events", async () => {
    const events = [
      record(1, "note", { text: "a" }),
      record(2, "note", { text: "b", parentId: "lost1" }),
      record(3, "jump", { to: "lost2" }),
      record(4, "note", { text: "c", parentId: "lost3" }),
      record(5, "jump", { to: "id6" }),
      record(6, "note", { text: "d", parentId: "id4" }),
      record(7, "aside", { text: "s", parentId: "id7" }),
    ];
    await using t = await testKernel([notes], { store: createMemoryStore(testHeader, events) });
    const { tree } = t.session;
    expect({
      context: t.session.buildContext(),
      bridged: events.filter(({ id }) => tree.isBridged(id)).map(({ id }) => id),
      parents: events.map(({ id }) => tree.parent(id)?.id),
      paths: events.filter(({ id }) => tree.isPath(id)).map(({ id }) => id),
      lostJumps: tree.lostJumps,
      activeLeaf: tree.activeLeaf,
    }).toEqual({
      context: ["a", "b", "c", "d"],
      bridged: ["id2", "id4", "id7"],
      parents: [undefined, "id1", "id2", "id2", "id4", "id4", "id6"],
      paths: ["id1", "id2", "id4", "id6"],
      lostJumps: 1,
      activeLeaf: "id6",
    });
  });

  it("skips records that can no longer be read", async () => {
    const events = Array.from({ length: 5 }, (_, n) => record(n + 1, "note", { text: `${n}` }));
    const memory = createMemoryStore(testHeader, events);
    const lost = new Set<number>();
    const open = () => {
      const opened = memory.open();
      const read = opened.ledger.read.bind(opened.ledger);
      opened.ledger.read = (row) => (lost.has(row) ? undefined : read(row));
      return opened;
    };
    await using t = await testKernel([notes], { store: { ...memory, open } });
    lost.add(1).add(4);
    const { tree } = t.session;
    expect({
      all: [...tree].map(({ id }) => id),
      notes: [...tree.ofType("note")].map(({ id }) => id),
      tail: tree.tail(2).map(({ id }) => id),
      head: tree.head(2).map(({ id }) => id),
      path: tree.path("id5").map(({ id }) => id),
      parent: tree.parent("id3")?.id,
      starting: tree.startingWith("id"),
      context: t.session.buildContext(),
    }).toEqual({
      all: ["id1", "id3", "id4"],
      notes: ["id1", "id3", "id4"],
      tail: ["id3", "id4"],
      head: ["id1", "id3"],
      path: ["id1", "id3", "id4"],
      parent: "id1",
      starting: ["id1", "id3", "id4"],
      context: ["0", "2", "3"],
    });
  });

  it("is opened by reading only the records that may move the active leaf", async () => {
    const events = Array.from({ length: 600 }, (_, n) => record(n + 1, "note", { text: `${n}` }));
    events[300] = record(301, "jump", { to: "id100" });
    events[301] = record(302, "note", { text: "after", parentId: "id301" });
    events[599] = record(600, "hop", { to: "id200", text: "hop!" });
    events[400] = record(401, "hop", { to: "id150" });
    const called: string[] = [];
    const hop = (leaf: "hop!" | undefined) => ({
      id: "hopping",
      name: "Hopping",
      version: "1.0.0",
      events: {
        hop: {
          schema: ANY,
          ...(leaf && { leafReads: leaf }),
          leaf(event: Stored) {
            called.push(event.id);
            return event.to as string;
          },
        },
      },
    });
    const memory = createMemoryStore(testHeader, events);
    await using t = await testKernel([notes, hop("hop!")], { store: memory });
    const first = { leaf: t.session.activeLeaf, called: called.splice(0), isPath: t.session.tree.isPath("id401") };
    await using all = await testKernel([notes, hop(undefined)], { store: memory });
    expect([first, { leaf: all.session.activeLeaf, called, isPath: all.session.tree.isPath("id401") }]).toEqual([
      { leaf: "id200", called: ["id600"], isPath: true },
      { leaf: "id200", called: ["id401", "id600"], isPath: false },
    ]);
  });

  it("is opened by asking every event of a type that moves the leaf if the log is short", async () => {
    const events = [
      record(1, "note", { text: "a" }),
      record(2, "note", { text: "b" }),
      record(3, "hop", { to: "id1" }),
    ];
    const leaf = ({ to }: Stored) => to as string;
    const hopping = {
      id: "hopping",
      name: "Hopping",
      version: "1.0.0",
      events: { hop: { schema: ANY, leaf, leafReads: '"to"' } },
    };
    await using t = await testKernel([notes, hopping], { store: createMemoryStore(testHeader, events) });
    expect([t.session.activeLeaf, t.session.tree.isPath("id3")]).toEqual(["id1", false]);
  });

  it("takes an event whose leaf function throws as a path event, and reports it", async () => {
    const events = [record(1, "note", { text: "a" }), record(2, "hop", {}), record(3, "note", { text: "b" })];
    const leaf = () => {
      throw new Error("no leaf");
    };
    const hop = { id: "hopping", name: "Hopping", version: "1.0.0", events: { hop: { schema: ANY, leaf } } };
    await using t = await testKernel([notes, hop], { store: createMemoryStore(testHeader, events) });
    expect([t.session.tree.isPath("id2"), t.session.buildContext(), t.kernel.failures]).toEqual([
      true,
      ["a", "b"],
      [{ plugin: "hopping", where: "leaf of hop", code: "UNEXPECTED", message: "no leaf" }],
    ]);
  });
});

describe("a ledger", () => {
  it("finds every row however many there are, and never shrinks", () => {
    const ledger = new Ledger(() => undefined);
    for (let row = 0; row < 300; row++) {
      if (row === 70) ledger.reserve(10);
      const parentId = row === 0 ? null : `row${row - 1}`;
      ledger.add({
        type: `type${row % 3}`,
        id: `row${row}`,
        parentId,
        seq: row * 2,
        sessionId: "",
        clientId: "",
        ts: 0,
      });
    }
    expect(ledger.seq.length).toBeGreaterThanOrEqual(300);
    expect(Array.from({ length: 300 }, (_, row) => ledger.rowOf(`row${row}`))).toEqual(
      Array.from({ length: 300 }, (_, row) => row),
    );
    expect({
      missing: ledger.rowOf("row300"),
      parents: [0, 1, 299].map((row) => ledger.parent[row]),
      orphan: ledger.isOrphan(1),
      types: ledger.types,
      lastSeq: ledger.lastSeq,
      found: [-1, 0, 1, 2, 597, 598, 599].map((seq) => ledger.firstAtOrAfter(seq)),
    }).toEqual({
      ...{ missing: -1, parents: [-1, 0, 298], orphan: false, types: ["type0", "type1", "type2"], lastSeq: 598 },
      found: [0, 0, 1, 1, 299, 299, 300],
    });
  });
});
