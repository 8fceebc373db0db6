import { type AnyEvent, createKernel, definePlugin, type Missed } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contained, testHeader, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

declare module "@scorel/kernel" {
  interface Events {
    oath: { text: string };
  }
}

const seqs = (events: (AnyEvent | Missed)[]) =>
  events.map((event) =>
    event.type === "missed" ? ["missed", (event as Missed).from, (event as Missed).to] : (event as AnyEvent).seq,
  );

describe("joining deltas", () => {
  it("is allowed while every subscriber accepts it", async () => {
    await using t = await testKernel([]);
    const joins = [t.session.joinsDeltas];
    const kernel = await createKernel({ entries: [], store: createMemoryStore(testHeader), clientId: "test" });
    try {
      joins.push(kernel.session.joinsDeltas);
      const leave = kernel.subscribe(() => {}, { joined: true });
      joins.push(kernel.session.joinsDeltas);
      const leaveEach = kernel.subscribe(() => {});
      joins.push(kernel.session.joinsDeltas);
      await leaveEach();
      joins.push(kernel.session.joinsDeltas);
      await leave();
    } finally {
      await kernel.stop();
    }
    expect(joins).toEqual([false, true, true, false, true]);
  });

  it("is not allowed while a contained extension listens", async () => {
    const listens = definePlugin({ id: "listens", name: "Listens", version: "1.0.0", onEvent: () => {} });
    for (const entry of [{ plugin: listens, origin: "test" }, contained(listens)]) {
      const entries = [entry];
      const kernel = await createKernel({ entries, store: createMemoryStore(testHeader), clientId: "test" });
      try {
        expect(kernel.session.joinsDeltas).toBe(entry.plugin === listens);
      } finally {
        await kernel.stop();
      }
    }
  });
});

it("the kernel knows what an event type declares about work in flight, also for a contained extension", async () => {
  const inFlight = { work: "dig", effect: "replace" as const };
  const events = { dig_progress: { transient: true as const, schema: z.object({}), inFlight } };
  await using t = await testKernel([contained(definePlugin({ id: "digs", name: "Digs", version: "1.0.0", events }))]);
  expect([t.kernel.inFlight("dig_progress"), t.kernel.inFlight("nobody")]).toEqual([inFlight, undefined]);
});

describe("a subscriber", () => {
  it("that gets many earlier events lets other callbacks of the event loop run meanwhile", async () => {
    await using t = await testKernel([notes]);
    const note = await t.session.append("note", { text: "a" });
    async function* earlier() {
      yield Array.from({ length: 50 }, () => note);
    }
    let heard = 0;
    const ticks: number[] = [];
    const ticking = setInterval(() => ticks.push(heard));
    const listener = () => {
      heard++;
      for (const end = performance.now() + 2; performance.now() < end; );
    };
    t.kernel.subscribe(listener, { first: earlier() });
    await t.kernel.drained();
    clearInterval(ticking);
    expect(heard).toBe(50);
    expect(ticks.filter((count) => count > 0 && count < 50).length).toBeGreaterThan(1);
  });

  it("gets the events that it was given first, then those announced meanwhile", async () => {
    await using t = await testKernel([notes]);
    await t.session.append("note", { text: "1" });
    await t.session.append("note", { text: "2" });
    const stored = t.session.tree.tail(2);
    async function* earlier() {
      for (const event of stored) {
        await null;
        yield [event];
      }
    }
    const heard: (AnyEvent | Missed)[] = [];
    t.kernel.subscribe((event) => void heard.push(event), { first: earlier() });
    expect([t.kernel.announced, await t.session.append("note", { text: "3" })]).toMatchObject([2, { seq: 3 }]);
    await t.kernel.drained();
    expect(seqs(heard)).toEqual([1, 2, 3]);
  });

  it("gets later events also when those given first fail", async () => {
    await using t = await testKernel([notes]);
    const next = () => Promise.reject(new Error("no past"));
    const heard: (AnyEvent | Missed)[] = [];
    t.kernel.subscribe((event) => void heard.push(event), { first: { [Symbol.asyncIterator]: () => ({ next }) } });
    await t.session.append("note", { text: "1" });
    await t.kernel.drained();
    expect(heard.map(({ type }) => type)).toEqual(["note", "plugin_failure"]);
    expect(t.kernel.failures).toMatchObject([{ message: "no past" }]);
  });

  it("receives events in order, one at a time, after the append has returned", async () => {
    await using t = await testKernel([notes]);
    const heard: string[] = [];
    t.kernel.subscribe(async (event) => {
      heard.push(`start ${(event as AnyEvent).seq}`);
      await null;
      heard.push(`end ${(event as AnyEvent).seq}`);
    });
    t.session.emit("tick", { n: 1 });
    t.session.emit("tick", { n: 2 });
    expect(heard).toEqual([]);
    await t.kernel.drained();
    expect(heard).toEqual(["start 1", "end 1", "start 2", "end 2"]);
  });

  it("that hangs or throws does not delay the writer or other subscribers", async () => {
    await using t = await testKernel([notes]);
    const heard: number[] = [];
    const leave = t.kernel.subscribe(() => new Promise(() => {}));
    t.kernel.subscribe(() => {
      throw new Error("broken");
    });
    t.kernel.subscribe((event) => void heard.push((event as AnyEvent).seq));
    await t.session.append("note", { text: "a" });
    await t.session.append("note", { text: "b" });
    await leave();
    await t.kernel.drained();
    expect(heard.slice(0, 2)).toEqual([1, 2]);
    expect(t.kernel.failures.map(({ plugin, where, message }) => ({ plugin, where, message }))).toContainEqual({
      plugin: "host",
      where: "onEvent note",
      message: "broken",
    });
  });

  it("that lags loses only transient events, learns which, and still receives every persistent event", async () => {
    await using t = await testKernel([notes]);
    const heard: (AnyEvent | Missed)[] = [];
    t.kernel.subscribe((event) => void heard.push(event), { capacity: 2 });
    t.session.emit("tick", { n: 1 });
    t.session.emit("tick", { n: 2 });
    t.session.emit("tick", { n: 3 });
    const written = t.session.append("note", { text: "kept" });
    t.session.emit("tick", { n: 5 });
    await written;
    await t.kernel.drained();
    t.session.emit("tick", { n: 6 });
    await t.kernel.drained();
    expect(seqs(heard)).toEqual([1, 2, ["missed", 3, 5], 4, 6]);
  });

  it.each([
    ["in bytes", { maxBytes: 20_000 }],
    ["in time", { maxAgeMs: 0 }],
  ])("that lags beyond its limit %s loses only transient events, too", async (_, limit) => {
    await using t = await testKernel([notes]);
    const heard: (AnyEvent | Missed)[] = [];
    t.kernel.subscribe((event) => void heard.push(event), limit);
    for (let n = 1; n <= 100; n++) t.session.emit("tick", { n });
    const written = [1, 2, 3].map((n) => t.session.append("note", { text: `${n} ${"x".repeat(10_000)}` }));
    await Promise.all(written);
    await t.kernel.drained();
    t.session.emit("tick", { n: 104 });
    await t.kernel.drained();
    const all = seqs(heard);
    expect(all.filter((seq) => !Array.isArray(seq)).slice(-4)).toEqual([101, 102, 103, 104]);
    expect(all.filter((seq) => Array.isArray(seq))).toEqual([["missed", expect.any(Number), 103]]);
    expect(new Set(all).size).toBe(all.length);
  });

  it("receives a durable event once it is synced to disk, and later events after it", async () => {
    const order: string[] = [];
    let reachDisk: (() => void) | undefined;
    const sync = () => new Promise<void>((resolve) => (reachDisk = resolve));
    const oath = definePlugin({
      id: "oath",
      name: "Oath",
      version: "1.0.0",
      events: { oath: { schema: z.strictObject({ text: z.string() }), durable: true } },
    });
    await using t = await testKernel([notes, oath], { store: { ...createMemoryStore(testHeader), sync } });
    t.kernel.subscribe((event) => void order.push(`heard ${event.type}`));
    const appended = t.session.append("oath", { text: "important" }).then(() => order.push("answered"));
    t.session.emit("tick", { n: 1 });
    await null;
    order.push("on disk");
    reachDisk?.();
    await appended;
    await t.kernel.drained();
    expect([order[0], [...order].sort()]).toEqual(["on disk", ["answered", "heard oath", "heard tick", "on disk"]]);
    expect(seqs(await t.heard())).toEqual([1, 2]);
  });
});
