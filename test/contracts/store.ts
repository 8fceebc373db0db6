import { createKernel, type Kernel, type SessionHeader, type StoredEvent } from "@scorel/kernel";
import type { Store } from "@scorel/kernel/store";
import { expect, it } from "vitest";
import { testHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";
import { fc, seed } from "../property.ts";

/** A place for one log. Each call of `open` stands for another process that opens it. */
export interface StorePlace extends Disposable {
  open(options?: { create?: SessionHeader; readOnly?: boolean }): Store;
}
export interface StoreCase {
  place(): StorePlace;
  /** Whether the appended events can be read by a read-only store. */
  readOnly: boolean;
}

const event = (seq: number, more: object = {}): StoredEvent => ({
  ...{ type: "note", id: `event${String(seq).padStart(11, "0")}`, parentId: seq === 1 ? null : idOf(seq - 1) },
  ...{ seq, sessionId: testHeader.sessionId, clientId: "test", ts: seq },
  ...more,
});
const idOf = (seq: number) => `event${String(seq).padStart(11, "0")}`;
const texts = ["plain", 'quoted " \\ \n and "role":"user"', "grüße 👋 \u2028", "x".repeat(300_000), ""];

/** Appends like a kernel does: writes the records, and adds a row to the ledger for each. */
function append(store: Store, ledger: ReturnType<Store["open"]>["ledger"], events: readonly StoredEvent[]): void {
  const records = events.map((each) => JSON.stringify(each));
  store.append(
    records,
    records.map((record) => JSON.parse(record)),
  );
  for (const each of events) ledger.add(each);
}

function read({ ledger }: ReturnType<Store["open"]>): (StoredEvent | undefined)[] {
  return Array.from({ length: ledger.size }, (_, row) => ledger.read(row));
}

const kernelOver = (store: Store): Promise<Kernel> =>
  createKernel({ entries: [{ plugin: notes, origin: "test" }], store });

/** The test cases that every store must pass. */
export function storeContract({ place, readOnly }: StoreCase): void {
  it("is empty at first, with the given header", async () => {
    using log = place();
    const store = log.open({ create: testHeader });
    const { header, ledger, problems } = store.open();
    expect([header.sessionId, header.epoch, header.meta]).toEqual([testHeader.sessionId, testHeader.epoch, {}]);
    expect([ledger.size, problems]).toEqual([0, []]);
    await store.close();
  });

  it("returns each event as it was appended, immediately and after it is opened again", async () => {
    using log = place();
    const store = log.open({ create: testHeader });
    const opened = store.open();
    const events = texts.map((text, index) => event(index + 1, { text, nested: { list: [1, null, { a: true }] } }));
    append(store, opened.ledger, events.slice(0, 1));
    append(store, opened.ledger, events.slice(1));
    expect(read(opened)).toEqual(events);
    await store.sync();
    await store.close();
    const again = log.open();
    const reopened = again.open();
    expect(read(reopened)).toEqual(events);
    expect([reopened.header.sessionId, reopened.problems]).toEqual([testHeader.sessionId, []]);
    expect(reopened.ledger.rowOf(idOf(3))).toBe(2);
    append(again, reopened.ledger, [event(6)]);
    await again.close();
    const last = log.open();
    expect(read(last.open()).at(-1)).toEqual(event(6));
    await last.close();
  });

  it("keeps appended events that were neither synced nor closed", async () => {
    using log = place();
    const store = log.open({ create: testHeader });
    append(store, store.open().ledger, [event(1), event(2)]);
    const other = log.open({ readOnly });
    expect(read(other.open())).toEqual([event(1), event(2)]);
    await other.close();
    await store.close();
  });

  it("returns frozen events", async () => {
    using log = place();
    const store = log.open({ create: testHeader });
    append(store, store.open().ledger, [event(1, { nested: { a: 1 } })]);
    await store.close();
    const again = log.open();
    const [first] = read(again.open()) as (StoredEvent & { nested: object })[];
    expect([Object.isFrozen(first), Object.isFrozen(first?.nested)]).toEqual([true, true]);
    await again.close();
  });

  it("finds every row that contains a text, from a given row on", async () => {
    using log = place();
    const store = log.open({ create: testHeader });
    const { ledger } = store.open();
    append(
      store,
      ledger,
      Array.from({ length: 9 }, (_, n) => event(n + 1, { text: n % 3 === 0 ? "a needle" : "straw" })),
    );
    expect(store.search("needle", 0)).toEqual(expect.arrayContaining([0, 3, 6]));
    expect(store.search("needle", 4)).toEqual(expect.arrayContaining([6]));
    expect(store.search("needle", 4).every((row) => row >= 4)).toBe(true);
    append(store, ledger, [event(10, { text: "needle" })]);
    expect(store.search("needle", 7)).toEqual(expect.arrayContaining([9]));
    await store.close();
  });

  if (readOnly)
    it("refuses to append when opened read-only, with the reason", async () => {
      using log = place();
      const store = log.open({ create: testHeader });
      append(store, store.open().ledger, [event(1)]);
      await store.close();
      const reader = log.open({ readOnly: true });
      expect(reader.open().readOnly).toEqual(expect.any(String));
      expect(() => reader.append(["{}"])).toThrow(expect.objectContaining({ code: "STORE_READ_ONLY" }));
      await reader.close();
    });

  it("gives a kernel the same results as the memory store, for any events and any number of openings", async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ text: fc.string({ unit: "grapheme", maxLength: 40 }) }) },
      { weight: 1, arbitrary: fc.constant("reopen" as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        using log = place();
        let kernel = await kernelOver(log.open({ create: testHeader }));
        await kernel.session.append("note", { text: "first" });
        const expected = ["first"];
        for (const each of steps) {
          if (each === "reopen") {
            await kernel.stop();
            kernel = await kernelOver(log.open());
          } else {
            await kernel.session.append("note", each);
            expected.push(each.text);
          }
        }
        expect(kernel.session.buildContext()).toEqual(expected);
        await kernel.stop();
      }),
      { seed, numRuns: 20 },
    );
  });
}
