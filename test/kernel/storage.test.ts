import { definePlugin } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { testHeader, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

afterEach(() => void vi.useRealTimers());

describe("storage", () => {
  /** A store whose disk syncs when the test allows it. */
  function slowStore() {
    const memory = createMemoryStore(testHeader);
    const syncs: { resolve(): void; reject(error: Error): void }[] = [];
    const sync = () => new Promise<void>((resolve, reject) => void syncs.push({ resolve, reject }));
    return { store: { ...memory, sync }, syncs };
  }

  const vow = definePlugin({
    ...{ id: "vow", name: "Vow", version: "1.0.0" },
    events: { oath: { schema: z.strictObject({ text: z.string() }), durable: true } },
  });
  /** Resolves when all promises that are ready have run their callbacks. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("that cannot be synced is announced with its reason, and again when it can", async () => {
    const { store, syncs } = slowStore();
    const t = await testKernel([notes], { store });
    await t.session.append("note", { text: "a" });
    const failing = t.session.synced();
    syncs[0]?.reject(new Error("disk gone"));
    await expect(failing).rejects.toThrow("disk gone");
    const succeeding = t.session.synced();
    syncs[1]?.resolve();
    await succeeding;
    await t.session.synced();
    expect((await t.heard()).slice(1)).toMatchObject([
      { type: "storage_status", error: "disk gone" },
      { type: "storage_status" },
    ]);
    expect((await t.heard())[2]).not.toHaveProperty("error");
    expect(syncs).toHaveLength(2);
    await t.kernel.stop();
  });

  it("that cannot be synced is not announced as well again when more is written", async () => {
    const { store, syncs } = slowStore();
    await using t = await testKernel([notes], { store });
    const statuses = async () => (await t.heard()).filter(({ type }) => type === "storage_status");
    await t.session.append("note", { text: "a" });
    const failing = t.session.synced();
    syncs[0]?.reject(new Error("disk gone"));
    await expect(failing).rejects.toThrow("disk gone");
    await t.session.append("note", { text: "b" });
    expect(await statuses()).toMatchObject([{ error: "disk gone" }]);
    const succeeding = t.session.synced();
    syncs[1]?.resolve();
    await succeeding;
    expect((await statuses()).map((event) => "error" in event)).toEqual([true, false]);
  });

  it("is synced one after another: a write during one sync is covered by the next", async () => {
    const { store, syncs } = slowStore();
    const t = await testKernel([notes], { store });
    await t.session.append("note", { text: "a" });
    const order: string[] = [];
    const note = (name: string, synced: Promise<void>) => void synced.then(() => order.push(name));
    note("first", t.session.synced());
    note("first again", t.session.synced());
    await t.session.append("note", { text: "b" });
    note("second", t.session.synced());
    note("second again", t.session.synced());
    expect(syncs).toHaveLength(1);
    syncs[0]?.resolve();
    await vi.waitFor(() => expect(syncs).toHaveLength(2));
    expect(order.sort()).toEqual(["first", "first again"]);
    syncs[1]?.resolve();
    await t.session.synced();
    await vi.waitFor(() => expect(order.sort()).toEqual(["first", "first again", "second", "second again"]));
    await t.kernel.stop();
    expect(syncs).toHaveLength(2);
  });

  it("is synced once at a time and then closed, even if the code that awaits a sync writes again", async () => {
    const { store, syncs } = slowStore();
    const calls: string[] = [];
    const sync = async () => {
      calls.push("sync begins");
      await store.sync();
      calls.push("sync ends");
    };
    const close = async () => void calls.push("close");
    const t = await testKernel([vow], { store: { ...store, sync, close } });
    const oath = () => t.session.append("oath" as never, { text: "a" } as never);
    const first = oath();
    const again = first.then(oath);
    const meanwhile = oath();
    syncs[0]?.resolve();
    await first;
    await settled();
    const stopped = t.kernel.stop();
    for (const { resolve } of [...syncs].reverse()) {
      resolve();
      await settled();
    }
    await Promise.all([again, meanwhile, stopped]);
    expect(calls).toEqual(["sync begins", "sync ends", "sync begins", "sync ends", "close"]);
  });

  it("delays the durable events of a batch until they are synced, but not those before them", async () => {
    const { store, syncs } = slowStore();
    const t = await testKernel([notes, vow], { store });
    const heard: string[] = [];
    t.kernel.subscribe(({ type }) => void heard.push(type));
    const entry = (type: "note" | "oath") => ({ type, payload: { text: "a" } });
    const written = t.session.appendAll([entry("note"), entry("oath"), entry("note")]);
    await new Promise((done) => setImmediate(done));
    const before = [...heard];
    syncs[0]?.resolve();
    await written;
    await t.kernel.drained();
    expect([before, heard]).toEqual([["note"], ["note", "oath", "note"]]);
    await t.kernel.stop();
  });

  it("in memory takes more records at once than a call takes arguments", async () => {
    const memory = createMemoryStore(testHeader);
    memory.append(new Array(300_000).fill("{}"));
    expect(memory.records.length).toBe(300_000);
  });

  it("is synced within 100 ms of a write, and when the log closes", async () => {
    vi.useFakeTimers();
    const memory = createMemoryStore(testHeader);
    const calls: string[] = [];
    const store = {
      ...memory,
      sync: async () => void calls.push("sync"),
      close: async () => void calls.push("close"),
    };
    const t = await testKernel([notes], { store });
    await t.session.append("note", { text: "a" });
    await vi.advanceTimersByTimeAsync(99);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(["sync"]);
    await vi.advanceTimersByTimeAsync(1_000);
    await t.session.append("note", { text: "b" });
    await t.kernel.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toEqual(["sync", "sync", "close"]);
  });

  it("announces one failure for each failed write with its reason, and nothing while all is well", async () => {
    let full = 0;
    const memory = createMemoryStore(testHeader);
    const append = (records: readonly string[]) => {
      if (full-- > 0) throw new Error("disk full");
      memory.append(records);
    };
    await using t = await testKernel([notes], { store: { ...memory, append } });
    await t.session.append("note", { text: "a" });
    full = 2;
    for (const text of ["b", "c"]) await expect(t.session.append("note", { text })).rejects.toThrow("disk full");
    await t.session.append("note", { text: "d" });
    await t.session.append("note", { text: "e" });
    const heard = (await t.heard()).map((event) => [event.type, (event as { error?: string }).error]);
    expect(heard).toEqual([
      ["note", undefined],
      ["storage_status", "disk full"],
      ["storage_status", "disk full"],
      ["note", undefined],
      ["storage_status", undefined],
      ["note", undefined],
    ]);
  });

  it("is refused after the log has closed, for events of either kind", async () => {
    const t = await testKernel([notes]);
    await t.kernel.stop();
    await expect(t.session.append("note", { text: "a" })).rejects.toMatchObject({ code: "LOG_CLOSED" });
    expect(() => t.session.emit("tick", { n: 1 })).toThrow(expect.objectContaining({ code: "LOG_CLOSED" }));
    expect(t.stored()).toEqual([]);
  });

  it("stages transient events, and announces one only when its staging has settled", async () => {
    let staged: (() => void) | undefined;
    const stage = ({ type }: { type: string }) =>
      type === "tick" ? new Promise<void>((resolve) => (staged = resolve)) : undefined;
    await using t = await testKernel([notes], { store: { ...createMemoryStore(testHeader), stage } });
    const heard: string[] = [];
    t.kernel.subscribe(({ type }) => void heard.push(type));
    t.session.emit("tick", { n: 1 });
    await t.session.append("note", { text: "a" });
    await new Promise((done) => setImmediate(done));
    expect(heard).toEqual([]);
    staged?.();
    await t.kernel.drained();
    expect(heard).toEqual(["tick", "note"]);
  });

  it("rejects appends that a check or a projection makes while the log is being written", async () => {
    await using t = await testKernel([notes]);
    const outcomes: unknown[] = [];
    const again = () => void t.session.append("note", { text: "b" }).catch(({ code }) => outcomes.push(code));
    await t.session.append("note", { text: "a" }, { check: again });
    await null;
    expect([outcomes, t.stored().length]).toEqual([["LOG_REENTRANT"], 1]);
  });
});
