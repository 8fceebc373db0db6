import { type AnyPlugin, definePlugin, type EventDefinition } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contained, testHeader, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

const base = { name: "x", version: "1.0.0" };
/** A plugin of which only the services are relevant. */
function user(id: string, needs: readonly string[], provides: readonly string[] = []): AnyPlugin {
  return {
    ...{ ...base, id, needs: needs as never, provides: provides as never },
    activate(ctx) {
      for (const service of provides) ctx.provide(service as never, {} as never);
    },
  };
}

describe("a kernel that cannot start", () => {
  it("undoes what has been started", async () => {
    const order: string[] = [];
    const first = definePlugin({ ...base, id: "first", activate: () => () => void order.push("undone") });
    const second = definePlugin({ ...base, id: "second", activate: () => Promise.reject(new Error("no")) });
    await expect(testKernel([first, second])).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: 'Plugin "second" (test) failed in start: no',
    });
    expect(order).toEqual(["undone"]);
  });

  it("says why, even if it cannot be stopped, which is reported", async () => {
    const store = { ...createMemoryStore(testHeader), close: () => Promise.reject(new Error("disk gone")) };
    const broken = definePlugin({ ...base, id: "broken", activate: () => Promise.reject(new Error("no")) });
    const logged: unknown[] = [];
    const logger = { debug() {}, info() {}, warn: (text: string) => void logged.push(text), error() {} };
    await expect(testKernel([broken], { store, logger })).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: 'Plugin "broken" (test) failed in start: no',
    });
    expect(logged).toEqual(['Plugin "kernel" failed in stop: disk gone']);
  });

  it("names the plugins of a circle, and no others", async () => {
    const plugins = [user("a", ["z", "b"], ["a"]), user("b", ["z", "a"], ["b"]), user("z", [], ["z"])];
    await expect(testKernel(plugins)).rejects.toMatchObject({
      code: "PLUGIN_CIRCLE",
      data: { plugins: "a -> b -> a", origin: "test" },
    });
    await expect(testKernel([user("outer", ["a"]), ...plugins])).rejects.toMatchObject({
      data: { plugins: "a -> b -> a" },
    });
  });

  it("passes on the advice for a service that no plugin provides", async () => {
    const hints = { service: (name: string) => `Use the plugin of ${name}.`, hook: () => undefined };
    await expect(testKernel([user("a", ["lost"])], { hints })).rejects.toMatchObject({
      data: { plugin: "a", service: "lost", origin: "test", advice: "Use the plugin of lost." },
    });
    await expect(testKernel([user("a", ["lost"])])).rejects.toMatchObject({
      data: { plugin: "a", service: "lost", origin: "test" },
    });
  });
});

describe("plugins that may fail", () => {
  it("are refused if they are loaded later and are not valid", async () => {
    await using t = await testKernel([]);
    const { version: _, ...unversioned } = user("unversioned", []);
    await expect(t.kernel.load(contained(unversioned as AnyPlugin))).rejects.toMatchObject({ code: "PLUGIN_INVALID" });
    expect(t.kernel.started).toEqual([]);
  });

  it("are left out with the reason if a service is missing, while the others start in order", async () => {
    const optional = (plugin: AnyPlugin) => ({ plugin, optional: true });
    await using t = await testKernel([
      contained(user("lonely", ["lost"], ["given"])),
      optional(user("user", ["given"])),
      optional(user("twin", [], ["given"])),
      user("own", [], ["own"]),
    ]);
    expect([t.kernel.started.map(({ plugin }) => plugin), t.kernel.failures.map(({ where }) => where)]).toEqual([
      ["own"],
      ["start", "start", "start"],
    ]);
    expect(t.kernel.failures.map(({ plugin, code }) => [plugin, code])).toEqual([
      ["twin", "PLUGIN_DOUBLE_SERVICE"],
      ["lonely", "PLUGIN_MISSING_SERVICE"],
      ["user", "PLUGIN_MISSING_SERVICE"],
    ]);
  });

  it("are left out if they are in a circle, and later ones still start", async () => {
    const loop = [contained(user("a", ["b"], ["a"])), contained(user("b", ["a"], ["b"]))];
    await using t = await testKernel([...loop, user("c", [], ["c"]), user("d", ["c"])]);
    expect(t.kernel.started.map(({ plugin }) => plugin)).toEqual(["c", "d"]);
    expect(t.kernel.failures.map(({ plugin, code }) => [plugin, code])).toEqual([
      ["a", "PLUGIN_CIRCLE"],
      ["b", "PLUGIN_MISSING_SERVICE"],
    ]);
    expect(t.kernel.failures.map(({ message }) => message)).toEqual([
      'Circular dependency between plugins: a -> b -> a. Remove one of these from "needs".',
      'it needs the service "a", which no loaded plugin provides. Plugin "a" provides it, but is left out: see its own problem.',
    ]);
  });
});

describe("a configuration", () => {
  const seen: unknown[] = [];
  const plugin = (config?: z.ZodType): AnyPlugin => ({
    ...{ ...base, id: "set", ...(config && { config: config as never }) },
    activate: (ctx) => void seen.push(ctx.config),
  });

  it("is validated, completed and frozen", async () => {
    const schema = z.strictObject({ watt: z.number().default(5) });
    for (const config of [undefined, { watt: 7 }]) {
      await using t = await testKernel([{ plugin: plugin(schema), origin: "test", ...(config && { config }) }]);
      expect(t.kernel.failures).toEqual([]);
    }
    await using t = await testKernel([{ plugin: plugin(), origin: "test", config: { any: 1 } }]);
    expect([seen, seen.map((config) => Object.isFrozen(config)), t.kernel.failures]).toEqual([
      [{ watt: 5 }, { watt: 7 }, { any: 1 }],
      [true, true, true],
      [],
    ]);
  });
});

describe("event types", () => {
  const odd = (definition: EventDefinition, id = "odd") => definePlugin({ ...base, id, events: { odd: definition } });

  it("may have a schema without a shape, whose payloads are checked when they are appended", async () => {
    const either = z.union([z.looseObject({ left: z.number() }), z.looseObject({ right: z.number() })]);
    await using t = await testKernel([odd({ schema: either })]);
    const append = (payload: object) => t.session.append("odd" as never, payload as never);
    expect(await append({ left: 1 })).toMatchObject({ type: "odd", left: 1 });
    await expect(append({ left: 1, parentId: "a" })).rejects.toMatchObject({
      code: "EVENT_RESERVED_KEY",
      data: { type: "odd", key: "parentId", plugin: "odd" },
    });
  });

  it("that are transient may use the name parentId, but not seq", async () => {
    const transient = (key: string) => ({ schema: z.strictObject({ [key]: z.string() }), transient: true as const });
    await using t = await testKernel([definePlugin({ ...base, id: "odd", events: { odd: transient("parentId") } })]);
    expect(t.session.emit("odd" as never, { parentId: "a" } as never)).toMatchObject({ parentId: "a" });
    const bad = definePlugin({ ...base, id: "odd", events: { odd: transient("seq") } });
    await expect(testKernel([bad])).rejects.toMatchObject({ code: "EVENT_RESERVED_KEY" });
  });

  it("that are transient use quick instead of the schema for what it accepts", async () => {
    const quick = ({ n }: { n: number }) => (n > 0 ? { n: n * 10 } : undefined);
    const schema = z.strictObject({ n: z.number() });
    const plugin = definePlugin({ ...base, id: "odd", events: { odd: { schema, quick, transient: true } } });
    await using t = await testKernel([plugin]);
    const emit = (payload: object) => t.session.emit("odd" as never, payload as never);
    expect([emit({ n: 1 }), emit({ n: -1 })]).toMatchObject([{ n: 10 }, { n: -1 }]);
    expect(() => emit({ n: "a" })).toThrow(expect.objectContaining({ code: "EVENT_INVALID" }));
  });

  it("of a plugin that is unloaded are unknown, and its events are left out of the context", async () => {
    const convertToLlm = () => ({ action: "include" as const, message: "odd" as never });
    const plugin = odd({ schema: z.object({}), convertToLlm });
    await using t = await testKernel([notes, plugin]);
    await t.session.append("note", { text: "a" });
    await t.session.append("odd" as never, {} as never);
    const contexts = [t.session.buildContext()];
    await t.kernel.unload("odd");
    contexts.push(t.session.buildContext());
    await expect(t.session.append("odd" as never, {} as never)).rejects.toMatchObject({ code: "EVENT_UNKNOWN_TYPE" });
    await t.kernel.load({ plugin, origin: "test" });
    contexts.push(t.session.buildContext());
    expect(contexts).toEqual([["a", "odd"], ["a"], ["a", "odd"]]);
  });

  it("may be durable for some of their events only", async () => {
    let syncs = 0;
    const plugin = odd({ schema: z.strictObject({ n: z.number() }), durable: ({ n }) => n > 1 });
    await using t = await testKernel([plugin]);
    const { createMemoryStore } = await import("@scorel/kernel/store");
    const store = { ...createMemoryStore(t.session.header), sync: async () => void syncs++ };
    await using counted = await testKernel([plugin], { store });
    const append = (n: number) => counted.session.append("odd" as never, { n } as never);
    const counts = [];
    for (const n of [1, 2]) {
      await append(n);
      counts.push(syncs);
    }
    expect(counts).toEqual([0, 1]);
  });
});

describe("contributions", () => {
  it("of a plugin must be functions; those that give nothing are left out and not checked", async () => {
    const give = (id: string, colours: unknown) => ({ ...base, id, colours }) as AnyPlugin;
    await using t = await testKernel([
      give("list", ["red"]),
      give("nothing", () => undefined),
      give("null", () => null),
      give("blue", () => ["blue"]),
      give("pink", () => ["pink"]),
      give("bad", () => ["bad"]),
      give("flawed", () => ["flawed"]),
    ]);
    const checked: unknown[] = [];
    const collect = () =>
      t.kernel.collect("colours" as never, (given, plugin, flaw) => {
        checked.push(given);
        if (plugin === "bad") throw new Error("no colour");
        if (plugin === "flawed") flaw(new Error("odd colour"));
        return plugin === "pink" ? (["changed"] as never) : undefined;
      });
    expect(collect()).toEqual([
      { plugin: "blue", value: ["blue"] },
      { plugin: "pink", value: ["changed"] },
      { plugin: "flawed", value: ["flawed"] },
    ]);
    collect();
    expect(checked.slice(0, 4)).toEqual([["blue"], ["pink"], ["bad"], ["flawed"]]);
    expect(t.kernel.failures.map(({ plugin, message }) => `${plugin}: ${message}`)).toEqual([
      'list: "colours" must be a function.',
      "bad: no colour",
      "flawed: odd colour",
      'list: "colours" must be a function.',
      "bad: no colour",
    ]);
  });
});
