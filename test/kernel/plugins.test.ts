import { type AnyPlugin, createKernel, definePlugin, perPlugin } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import { contained, testHeader, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

declare module "@scorel/kernel" {
  interface Services {
    lamp: { on(): string };
    switch: { press(): string };
  }
  interface Contributions {
    colours: string[];
  }
  interface Projections {
    count: number;
    onPath: string[];
  }
}

const base = { name: "", version: "1.0.0" };
const lamp = definePlugin({
  ...base,
  id: "lamp",
  provides: ["lamp"],
  activate: (ctx) => ctx.provide("lamp", { on: () => "light" }),
});
const button = definePlugin({
  ...base,
  id: "button",
  needs: ["lamp"],
  provides: ["switch"],
  activate: (ctx) => ctx.provide("switch", { press: () => ctx.lamp.on() }),
});

describe("plugins", () => {
  it("start after the providers of their services, in whatever order they are listed", async () => {
    await using t = await testKernel([button, lamp]);
    expect(t.kernel.find("switch")?.press()).toBe("light");
  });

  it("have only the services named in needs in the type of their context", () => {
    definePlugin({
      ...base,
      id: "typed",
      needs: ["lamp"],
      config: z.strictObject({ watt: z.number().default(5) }),
      activate(ctx) {
        expectTypeOf(ctx.lamp.on()).toEqualTypeOf<string>();
        expectTypeOf(ctx.config).toEqualTypeOf<{ watt: number }>();
        // @ts-expect-error not in needs
        ctx.switch;
        // @ts-expect-error no such event
        void ctx.session.append("nope", {});
        // @ts-expect-error wrong payload
        void ctx.session.append("note", { text: 1 });
      },
    });
  });

  it.each<[string, AnyPlugin[], object]>([
    [
      "a missing service",
      [button],
      { code: "PLUGIN_MISSING_SERVICE", data: { plugin: "button", service: "lamp", origin: "test" } },
    ],
    [
      "two providers",
      [lamp, { ...lamp, id: "torch" }],
      { code: "PLUGIN_DOUBLE_SERVICE", data: { service: "lamp", owner: "lamp", plugin: "torch", origin: "test" } },
    ],
    [
      "a circle",
      [button, { ...lamp, needs: ["switch"] }],
      { code: "PLUGIN_CIRCLE", data: { plugins: "button -> lamp -> button", origin: "test" } },
    ],
    [
      "no manifest",
      [{ id: "x" } as AnyPlugin],
      { code: "PLUGIN_INVALID", data: { origin: "test", reason: "it has no name, version" } },
    ],
    ["a duplicate id", [lamp, { ...lamp, provides: [] }], { code: "PLUGIN_DUPLICATE" }],
    ["a declared service that is not provided", [{ ...lamp, activate() {} }], { code: "PLUGIN_PROMISED_SERVICE" }],
    ["a provided service that is not declared", [{ ...lamp, provides: [] }], { code: "PLUGIN_UNDECLARED_SERVICE" }],
    [
      "a hook that no plugin defines",
      [{ ...base, id: "x", hooks: () => ({ nowhere: () => 1 }) as object }],
      { code: "PLUGIN_FAILED" },
    ],
    [
      "a reserved payload key",
      [{ ...base, id: "x", events: { e: { schema: z.object({ seq: z.number() }) } } }],
      { code: "EVENT_RESERVED_KEY" },
    ],
    [
      "an event type of another plugin",
      [notes, { ...base, id: "x", events: notes.events ?? {} }],
      { code: "EVENT_DUPLICATE_TYPE" },
    ],
    ["a wrong configuration", [{ ...base, id: "x", config: z.object({ n: z.number() }) }], { code: "PLUGIN_CONFIG" }],
  ])("are rejected with a coded error for %s", async (_what, plugins, error) => {
    await expect(testKernel(plugins)).rejects.toMatchObject(error);
  });

  it("that are contained and fail to start are left out with those that need them, and the others run", async () => {
    const broken = definePlugin({
      ...base,
      id: "lamp",
      provides: ["lamp"],
      activate: () => Promise.reject(new Error("no bulb")),
    });
    await using t = await testKernel([notes, contained(broken), contained(button)]);
    expect(t.kernel.failures.map(({ plugin, where, code }) => ({ plugin, where, code }))).toEqual([
      { plugin: "lamp", where: "start", code: "PLUGIN_FAILED" },
      { plugin: "button", where: "start", code: "PLUGIN_MISSING_SERVICE" },
    ]);
    await t.session.append("note", { text: "a" });
    expect(t.session.buildContext()).toEqual(["a"]);
  });

  it("that are contained and required keep the kernel from starting if they fail", async () => {
    const broken = definePlugin({ ...base, id: "broken", activate: () => Promise.reject(new Error("no")) });
    const entry = (plugin: AnyPlugin) => ({ ...contained(plugin), required: true });
    await expect(testKernel([notes, entry(broken)])).rejects.toMatchObject({ code: "PLUGIN_FAILED" });
    await expect(testKernel([entry(button)])).rejects.toMatchObject({ code: "PLUGIN_MISSING_SERVICE" });
    await using t = await testKernel([notes, entry(lamp), entry(button)]);
    expect(t.kernel.failures).toEqual([]);
  });

  it("are listed in start order, without those that failed to start", async () => {
    const broken = definePlugin({ ...base, id: "broken", activate: () => Promise.reject(new Error("no")) });
    const user = definePlugin({ ...base, id: "user", needs: ["lamp"] });
    await using t = await testKernel([user, contained(broken), notes, lamp]);
    expect(t.kernel.started.map(({ plugin }) => plugin)).toEqual(["lamp", "user", "notes"]);
    expect(t.kernel.started.every(({ ms }) => ms >= 0 && ms < 10_000)).toBe(true);
    await t.kernel.unload("lamp");
    expect(t.kernel.started.map(({ plugin }) => plugin)).toEqual(["notes"]);
  });

  it("leave nothing behind when unloaded, and plugins that need them are unloaded first", async () => {
    await using t = await testKernel([notes, lamp]);
    const before = t.kernel.census();
    const order: string[] = [];
    const user = definePlugin({
      ...base,
      id: "user",
      needs: ["lamp"],
      provides: ["switch"],
      events: { other: { schema: z.object({}) } },
      projections: { count: { over: "log", init: () => 0, update: (n) => n + 1 } },
      activate(ctx) {
        ctx.provide("switch", { press: () => "" });
        ctx.subscribe(() => {});
        ctx.onDispose(() => void order.push("first registered"));
        ctx.onDispose(() => void order.push("last registered"));
        return () => void order.push("cleanup");
      },
      deactivate: () => void order.push("deactivate"),
      onEvent() {},
    });
    await t.kernel.load({ plugin: user, origin: "test" });
    await t.kernel.load({
      plugin: { ...base, id: "top", needs: ["switch"], deactivate: () => void order.push("top") },
      origin: "test",
    });
    expect(t.kernel.census()).not.toEqual(before);
    await t.kernel.unload("user");
    expect(t.kernel.census()).toEqual(before);
    expect(order).toEqual(["top", "cleanup", "last registered", "first registered", "deactivate"]);
  });

  it("that are loaded later cannot provide a service that is already provided", async () => {
    const torch = definePlugin({
      ...base,
      id: "torch",
      provides: ["lamp"],
      activate: (ctx) => ctx.provide("lamp", { on: () => "beam" }),
    });
    const given = { lamp: { on: () => "daylight" } };
    const data = { service: "lamp", plugin: "torch", origin: "test" };
    await using t = await testKernel([lamp]);
    await expect(t.kernel.load({ plugin: torch, origin: "test" })).rejects.toMatchObject({
      code: "PLUGIN_DOUBLE_SERVICE",
      data: { ...data, owner: "lamp" },
    });
    expect(t.kernel.find("lamp")?.on()).toBe("light");
    await expect(testKernel([torch], { services: given })).rejects.toMatchObject({
      code: "PLUGIN_DOUBLE_SERVICE",
      data: { ...data, owner: "host" },
    });
  });

  it("get their own view of a service with perPlugin, which ends with them", async () => {
    const lit = new Set<string>();
    const view = (ctx: { plugin: string; onDispose(dispose: () => void): void }) => ({
      on() {
        lit.add(ctx.plugin);
        ctx.onDispose(() => void lit.delete(ctx.plugin));
        return ctx.plugin;
      },
    });
    const shared = definePlugin({
      ...base,
      id: "shared",
      provides: ["lamp"],
      activate: (ctx) => ctx.provide("lamp", { on: () => "nobody", [perPlugin]: view } as { on(): string }),
    });
    const user = definePlugin({ ...base, id: "user", needs: ["lamp"], activate: (ctx) => void ctx.lamp.on() });
    await using t = await testKernel([shared, user]);
    expect([...lit]).toEqual(["user"]);
    await t.kernel.unload("user");
    expect([...lit]).toEqual([]);
  });

  it("cannot keep the kernel from stopping with an undo function that never settles", async () => {
    vi.useFakeTimers();
    try {
      const stuck = definePlugin({ ...base, id: "stuck", activate: () => () => new Promise<void>(() => {}) });
      const t = await testKernel([stuck]);
      const stopped = t.kernel.stop();
      await vi.advanceTimersByTimeAsync(5_000);
      await stopped;
      expect(t.kernel.failures).toMatchObject([{ plugin: "stuck", where: "dispose", code: "SCOPE_DISPOSE_LIMIT" }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("cannot keep the kernel from stopping with a listener that hangs", async () => {
    vi.useFakeTimers();
    try {
      const deaf = definePlugin({ ...base, id: "deaf", onEvent: () => new Promise<void>(() => {}) });
      const t = await testKernel([notes, deaf]);
      t.session.emit("tick", { n: 1 });
      const stopped = t.kernel.stop();
      await vi.advanceTimersByTimeAsync(10_000);
      await stopped;
      expect(t.kernel.failures).toMatchObject([{ plugin: "deaf", where: "onEvent", code: "LISTENER_LATE" }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that register something after they stopped have it undone immediately", async () => {
    const contexts: { onDispose(dispose: () => void): void }[] = [];
    const late = definePlugin({ ...base, id: "late", activate: (ctx) => void contexts.push(ctx) });
    await using t = await testKernel([late]);
    await t.kernel.unload("late");
    const undone: string[] = [];
    expect(() => contexts[0]?.onDispose(() => void undone.push("at once"))).toThrow(
      expect.objectContaining({ code: "SCOPE_CLOSED" }),
    );
    expect(undone).toEqual(["at once"]);
  });

  it("have their contributions collected in load order, and failing ones reported and left out", async () => {
    const give = (id: string, colours: () => string[]) => definePlugin({ ...base, id, colours });
    const bad = give("bad", () => {
      throw new Error("colour-blind");
    });
    const late = give("late", (async () => ["green"]) as unknown as () => string[]);
    await using t = await testKernel([give("one", () => ["red"]), bad, late, give("two", () => ["blue"])]);
    expect(t.kernel.collect("colours")).toEqual([
      { plugin: "one", value: ["red"] },
      { plugin: "two", value: ["blue"] },
    ]);
    expect(t.kernel.failures.map(({ plugin, where, code }) => [plugin, where, code])).toEqual([
      ["bad", "colours", "UNEXPECTED"],
      ["late", "colours", "PLUGIN_ASYNC_CONTRIBUTION"],
    ]);
  });
});

describe("a child kernel", () => {
  it("sees its parent's services, event types and contributions, but not its hooks", async () => {
    await using parent = await testKernel([lamp, notes, definePlugin({ ...base, id: "c", colours: () => ["red"] })]);
    const entries = [{ plugin: definePlugin({ ...base, id: "d", colours: () => ["blue"] }), origin: "test" }];
    const child = await createKernel({ entries, store: createMemoryStore(testHeader), parent: parent.kernel });
    await child.session.append("note", { text: "in the child" });
    expect({
      service: child.find("lamp")?.on(),
      colours: child.collect("colours").map(({ plugin }) => plugin),
      parentLog: parent.stored(),
    }).toEqual({ service: "light", colours: ["c", "d"], parentLog: [] });
    await child.stop();
  });
});

describe("a projection", () => {
  const projecting = definePlugin({
    ...base,
    id: "projecting",
    projections: {
      count: { over: "log", init: () => 0, update: (n: number) => n + 1 },
      onPath: { over: "path", init: (): string[] => [], update: (all: string[], event) => [...all, event.text] },
    },
  });

  it("over the log applies every event; over the path it follows the active leaf", async () => {
    await using t = await testKernel([notes, projecting]);
    const a = await t.session.append("note", { text: "a" });
    await t.session.append("note", { text: "b" });
    await t.session.append("jump", { to: a.id as string });
    await t.session.append("note", { text: "c" });
    expect([t.session.projection("count"), t.session.projection("onPath")]).toEqual([4, ["a", "c"]]);
  });

  it("is kept when another plugin claims its name, and that plugin is left out", async () => {
    const claiming = definePlugin({
      ...base,
      id: "claiming",
      projections: { count: { over: "log", init: () => -1, update: (n: number) => n } },
    });
    await using t = await testKernel([notes, projecting, contained(claiming)]);
    await t.session.append("note", { text: "a" });
    expect({ count: t.session.projection("count"), failures: t.kernel.failures }).toEqual({
      count: 1,
      failures: [
        {
          plugin: "claiming",
          where: "start",
          code: "PROJECTION_DUPLICATE",
          message:
            'it registers the projection "count", which plugin "projecting" already registered. Prefix the name with the plugin\'s id.',
        },
      ],
    });
  });

  it("of a session cannot have the name of a projection of the host", async () => {
    await using host = await testKernel([projecting]);
    await expect(testKernel([{ ...projecting, id: "other" }], { parent: host.kernel })).rejects.toMatchObject({
      code: "PROJECTION_DUPLICATE",
      data: { projection: "count", plugin: "other", owner: "projecting" },
    });
  });

  it("that throws is reported once and switched off, and the writer continues", async () => {
    const broken = definePlugin({
      ...base,
      id: "broken",
      projections: {
        count: {
          over: "log",
          init: () => 0,
          update: () => {
            throw new Error("cannot count");
          },
        },
      },
    });
    await using t = await testKernel([notes, broken]);
    await t.session.append("note", { text: "a" });
    await t.session.append("note", { text: "b" });
    expect(t.session.buildContext()).toEqual(["a", "b"]);
    expect(t.kernel.failures).toEqual([
      { plugin: "broken", where: "projection count", code: "UNEXPECTED", message: "cannot count" },
    ]);
    expect(() => t.session.projection("count")).toThrow(expect.objectContaining({ code: "PROJECTION_FAILED" }));
    expect((await t.heard()).map(({ type, ...event }) => [type, (event as { seq: number }).seq])).toEqual([
      ["note", 1],
      ["plugin_failure", 2],
      ["note", 3],
    ]);
  });

  it("is the same after a replay, even across many snapshots and jumps", async () => {
    const store = createMemoryStore(testHeader);
    await using t = await testKernel([notes, projecting], { store });
    const ids: string[] = [];
    for (let i = 0; i < 300; i++) {
      ids.push((await t.session.append("note", { text: String(i) })).id as string);
      if (i % 50 === 49) await t.session.append("jump", { to: ids[i - 20] as string });
      if (i % 70 === 0) t.session.projection("onPath");
    }
    const live = [t.session.projection("count"), t.session.projection("onPath")];
    await using again = await testKernel([notes, projecting], { store });
    expect([again.session.projection("count"), again.session.projection("onPath")]).toEqual(live);
  });
});
