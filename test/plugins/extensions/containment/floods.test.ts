import { type AnyEvent, type AnyPlugin, type BaseContext, codeOf, definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { Allowance } from "../../../../plugins/extensions/containment/allowance.ts";
import { ContainedPlugin } from "../../../../plugins/extensions/containment/contained-plugin.ts";
import { contained, testKernel } from "../../../harness.ts";
import { notes } from "../../../kernel/notes.ts";

const MANY = 100_000;
const base = { name: "test", version: "1.0.0" };

/** A kernel with an extension `wild`, and the extension's context. */
async function withOwn(more: Partial<AnyPlugin> = {}) {
  const given: BaseContext[] = [];
  const plugin = definePlugin({ ...base, id: "wild", activate: (ctx) => void given.push(ctx), ...more });
  const t = await testKernel([notes, contained(plugin, "/x/wild.ts", { file: "/x/wild.ts" })]);
  const told = () => t.kernel.failures.map(({ plugin, where, code, at }) => `${plugin} ${where} ${code} ${at}`);
  return { ...t, ctx: given[0] as BaseContext, told };
}
/** The limit, with some tolerance for the time that the loop takes. */
const isAbout = (count: number, limit: number) => count >= limit && count < limit * 1.5;
const flood = (where: string) => `wild ${where} PLUGIN_FLOOD /x/wild.ts`;

describe("an extension that writes without end", () => {
  it("can announce 5,000 transient events, then gets an error; other plugins miss none of theirs", async () => {
    await using t = await withOwn();
    const emitAll = () => {
      for (let n = 0; n < MANY; n++) t.ctx.session.emit("tick", { n });
    };
    expect(emitAll).toThrow(expect.objectContaining({ code: "PLUGIN_FLOOD" }));
    t.session.emit("tick", { n: -1 });
    const heard = (await t.heard()).filter(({ type }) => type === "tick") as (AnyEvent & { n: number })[];
    expect(heard.at(-1)).toMatchObject({ n: -1 });
    expect(heard.slice(0, -1).map(({ n }) => n)).toEqual([...Array(heard.length - 1).keys()]);
    expect(isAbout(heard.length - 1, 5_000)).toBe(true);
    expect(t.told()).toEqual([flood("session.emit")]);
  });

  it("can write 20,000 events, and other plugins can still write theirs", async () => {
    await using t = await withOwn();
    let written = 0;
    let refused = 0;
    const each = Array.from({ length: MANY }, () =>
      t.ctx.session.append("aside", { text: "x" }).then(
        () => written++,
        () => refused++,
      ),
    );
    await Promise.all(each);
    await t.session.append("note", { text: "others" });
    expect([isAbout(written, 20_000), written + refused]).toEqual([true, MANY]);
    expect(t.stored().at(-1)).toMatchObject({ type: "note", text: "others" });
    expect(t.told()).toEqual([flood("session.append")]);
  });

  it("leaves no unhandled rejection if it awaits none of its appends", async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (thrown: unknown) => void unhandled.push(thrown);
    process.on("unhandledRejection", onUnhandled);
    await using t = await withOwn();
    for (let n = 0; n < MANY; n++) void t.ctx.session.append("aside", { text: "x" });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    expect([unhandled, t.told()]).toEqual([[], [flood("session.append")]]);
  });

  it("is limited by the size of its events, too", async () => {
    await using t = await withOwn();
    const text = "x".repeat(10_000_000);
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, () => t.ctx.session.append("aside", { text })),
    );
    const written = results.filter(({ status }) => status === "fulfilled").length;
    expect([written >= 6, written < 20]).toEqual([true, true]);
    expect(t.told()).toEqual([flood("session.append")]);
  });

  it("has the same limit when it appends several at once, or holds the path", async () => {
    await using t = await withOwn();
    const entries = Array.from({ length: 15_000 }, () => ({ type: "aside" as const, payload: { text: "x" } }));
    await t.ctx.session.appendAll(entries);
    const hold = t.ctx.session.hold();
    await expect(hold.appendAll(entries)).rejects.toMatchObject({ code: "PLUGIN_FLOOD" });
  });

  it.each([
    ["persistent", (ctx: BaseContext) => void ctx.session.append("aside", { text: "again" }), 20_000],
    ["transient", (ctx: BaseContext) => void ctx.session.emit("tick", { n: 0 }), 5_000],
  ])("that reacts to its own events (%s events) is stopped", async (_what, feed, most) => {
    await using t = await withOwn({ onEvent: (_event, ctx) => feed(ctx) });
    await t.session.append("note", { text: "the first" });
    const heard = await t.heard();
    expect(isAbout(heard.filter(({ type }) => type === "aside" || type === "tick").length, most)).toBe(true);
    expect(t.told()).toContain(flood(most === 5_000 ? "session.emit" : "session.append"));
    await t.session.append("note", { text: "and the session goes on" });
  });
});

it("a hold that an extension does not release ends when the extension is stopped", async () => {
  await using t = await withOwn({ activate: (ctx) => void ctx.session.hold() });
  expect(t.session.held).toBe(true);
  await t.kernel.unload("wild");
  expect(t.session.held).toBe(false);
});

it("an extension can read the state of projections, but not change it", async () => {
  const list = definePlugin({
    ...base,
    id: "list",
    projections: {
      texts: { over: "log", init: () => ({ all: [] as string[] }), update: (state, { text }) => ({ all: [...state.all, text] }) },
    },
  }); // biome-ignore format: short
  await using t = await withOwn();
  await t.kernel.load({ plugin: list, origin: "test" });
  await t.session.append("note", { text: "a" });
  const own = t.ctx.session.projection("texts" as never) as { all: string[] };
  expect(() => own.all.push("b")).toThrow(TypeError);
  expect(t.session.projection("texts" as never)).toEqual({ all: ["a"] });
  expect(t.ctx.session.projection("texts" as never)).toBe(own);
});

describe("the allowance of an extension", () => {
  function allowance() {
    let now = 0;
    const told: string[] = [];
    class Telling extends ContainedPlugin {
      override report(_where: string, thrown: unknown) {
        told.push(codeOf(thrown));
      }
    }
    const spending = new Allowance(new Telling("wild", { path: "x" }), () => now);
    const spend = (written: number) => {
      try {
        spending.spend("session.append", { written });
        return true;
      } catch {
        return false;
      }
    };
    const pass = (seconds: number) => {
      now += seconds * 1_000;
    };
    return { spend, told, pass };
  }

  it("grows by a thousand events per second, and after a flood only once half of it is back", () => {
    const a = allowance();
    expect([a.spend(20_000), a.spend(1)]).toEqual([true, false]);
    a.pass(9);
    expect(a.spend(1)).toBe(false);
    a.pass(1);
    expect([a.spend(10_000), a.spend(1)]).toEqual([true, false]);
    expect(a.told).toEqual(["PLUGIN_FLOOD", "PLUGIN_FLOOD"]);
  });

  it("is used up after the third flood", () => {
    const a = allowance();
    for (let flood = 0; flood < 3; flood++) {
      expect(a.spend(20_001)).toBe(false);
      a.pass(100);
    }
    expect(a.spend(1)).toBe(false);
    expect(a.told).toEqual([...Array(3).fill("PLUGIN_FLOOD"), "PLUGIN_SWITCHED_OFF"]);
  });

  it("is not used by built-in plugins", async () => {
    await using t = await testKernel([notes]);
    for (let n = 0; n < 10_000; n++) t.session.emit("tick", { n });
    expect(t.kernel.failures).toEqual([]);
  });
});
