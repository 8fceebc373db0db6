import {
  type AnyEvent,
  type AnyPlugin,
  type BaseContext,
  definePlugin,
  type HookCall,
  type StoredEvent,
} from "@scorel/kernel";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Tap } from "../../../../kernel/hook.ts";
import { displayText } from "../../../../plugins/kit/text/display.ts";
import { contained, type TestPlugin, testKernel } from "../../../harness.ts";
import { notes } from "../../../kernel/notes.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    greet(name: string): Promise<string | undefined> | string | undefined;
  }
  interface Services {
    greeter: { greet: HookCall<"greet"> };
  }
  interface Contributions {
    flags: string[];
  }
}

const base = { name: "test", version: "1.0.0" };
const greeter = definePlugin({
  ...base,
  id: "greeter",
  provides: ["greeter"],
  activate: (ctx) => ctx.provide("greeter", { greet: ctx.defineHook("greet", "waterfall") }),
});
const boom = (): never => {
  throw new Error("boom");
};
/** A plugin as if it were loaded from an extension's file. */
const own = (plugin: AnyPlugin, origin = "/home/ada/.scorel/extensions/own.ts") =>
  contained(plugin, origin, { file: origin });
const tapping = (tap: Tap<(name: string) => string | undefined>) =>
  definePlugin({ ...base, id: "own", needs: ["greeter"], hooks: () => ({ greet: tap }) });
async function started(...plugins: TestPlugin[]) {
  const t = await testKernel([notes, greeter, ...plugins]);
  const greet = (name: string) => (t.kernel.find("greeter") as { greet: HookCall<"greet"> }).greet(name);
  const codes = () => t.kernel.failures.map(({ where, code }) => `${where} ${code}`);
  return { ...t, greet, codes };
}

describe("a mistake in an extension", () => {
  const file = "/e/own.ts";
  const failing = async (plugin: AnyPlugin) => {
    await using t = await started(own(plugin, file));
    return t.kernel.failures.map(({ where, code, message, at }) => ({ where, code, message, at }));
  };

  it("in a hook's layer is reported with all mistakes, once each, with the nearest known words", async () => {
    const layer = { handlr: () => "", critcal: true, level: "first", limit: "1s" } as unknown as Tap<() => "">;
    expect(await failing(tapping(layer))).toEqual([
      {
        where: "start",
        code: "PLUGIN_FAILED",
        message:
          'it has a layer on the hook "greet" that cannot be used: it has no field "handlr": did you mean "handler"?; it has no field "critcal": did you mean "critical"?; its handler is not a function; its level is not "early", "normal" or "late"; its limit is neither a number of milliseconds up to 2147483647 nor false. Pass a function, or an object { handler, level?, critical?, limit? }.',
        at: expect.stringContaining(""),
      },
    ]);
  });

  it.each([[{}], ["text"], [[]], [true]])("causes no layer without effect: %j", async (layer) => {
    expect(await failing(tapping(layer as never))).toMatchObject([
      { where: "start", message: expect.stringContaining("Pass a function") },
    ]);
  });

  it("that uses a service without naming it in needs is reported with the fix", async () => {
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: [],
      activate: (ctx) => void (ctx as unknown as { greeter: { greet(): void } }).greeter.greet(),
    });
    expect(await failing(plugin)).toEqual([
      {
        where: "start",
        code: "PLUGIN_UNNAMED_NEED",
        message:
          'it uses ctx.greeter, but does not name it in "needs". Add "greeter" to "needs"; if the plugin can do without it, call ctx.find("greeter"), which may return undefined.',
        at: expect.stringContaining(""),
      },
    ]);
  });

  it("does not change the context: reading, spreading and unknown names work as before", async () => {
    const seen: unknown[] = [];
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: [],
      activate: (ctx) => {
        const { plugin: id } = { ...ctx };
        seen.push(id, "greeter" in ctx, (ctx as { nothing?: unknown }).nothing, ctx.find("greeter") !== undefined);
      },
    });
    expect([await failing(plugin), seen]).toEqual([[], ["own", false, undefined, true]]);
  });
});

describe("a report without a place", () => {
  it("is not treated as a failure: a built-in's text stays unchanged, and an extension is named", async () => {
    const says = (id: string) =>
      definePlugin({ ...base, id, activate: (ctx) => ctx.report("", new Error("It rains.")) });
    await using t = await testKernel([says("shipped"), own(says("mine"), "/e/mine.ts")]);
    t.session.emit("plugin_failure", { plugin: "shipped", where: "", code: "X", message: "It rains." });
    t.session.emit("plugin_failure", {
      plugin: "mine",
      where: "",
      code: "X",
      message: "It rains.",
      at: "/e/mine.ts:1",
    });
    const heard = (await t.heard()).filter(({ type }) => type === "plugin_failure") as AnyEvent[];
    expect(heard.map((event) => displayText(t.session.display(event)))).toEqual([
      "It rains.",
      'Plugin "mine": It rains. (/e/mine.ts:1)',
    ]);
    expect(t.kernel.failures.map(({ plugin, where }) => [plugin, where])).toEqual([
      ["shipped", ""],
      ["mine", ""],
    ]);
  });
});

describe("the third failure of an extension", () => {
  const switchedOff = (where: string) => [...Array(3).fill(`${where} UNEXPECTED`), `${where} PLUGIN_SWITCHED_OFF`];

  it("in a layer switches that layer off, with a notice, and keeps its others", async () => {
    const fails = vi.fn(boom);
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: ["greeter"],
      activate(ctx) {
        ctx.hook("greet", { handler: fails });
        ctx.hook("greet", (name) => `${name}!`);
      },
    });
    await using t = await started(own(plugin));
    for (const name of ["a", "b", "c", "d"]) expect(await t.greet(name)).toBe(`${name}!`);
    expect([fails.mock.calls.length, t.codes()]).toEqual([3, switchedOff("greet")]);
    expect((await t.heard()).at(-1)).toMatchObject({
      type: "plugin_failure",
      code: "PLUGIN_SWITCHED_OFF",
      message: expect.stringContaining('greet of plugin "own" is switched off'),
    });
  });

  it("in a listener switches that listener off, and keeps its others", async () => {
    const heard: string[] = [];
    const fails = vi.fn(boom);
    const plugin = definePlugin({
      ...base,
      id: "own",
      activate: (ctx) => void ctx.subscribe(({ type }) => void heard.push(type)),
      onEvent: ({ type }) => (type === "note" ? fails() : undefined),
    });
    await using t = await started(own(plugin));
    for (const text of ["a", "b", "c", "d"]) {
      await t.session.append("note", { text });
      await t.kernel.drained();
    }
    expect([fails.mock.calls.length, heard.filter((type) => type === "note")]).toEqual([3, Array(4).fill("note")]);
    expect(t.codes()).toEqual([...Array(3).fill("onEvent note UNEXPECTED"), "onEvent PLUGIN_SWITCHED_OFF"]);
  });

  it("in a contribution switches that contribution off", async () => {
    const fails = vi.fn(boom);
    await using t = await started(own({ ...base, id: "own", flags: fails } as AnyPlugin));
    for (let i = 0; i < 5; i++) expect(t.kernel.collect("flags")).toEqual([]);
    expect([fails.mock.calls.length, t.codes()]).toEqual([3, switchedOff("flags")]);
  });

  it("in a callback of a service switches that callback off", async () => {
    const fails = vi.fn(boom);
    const calls: (() => Promise<void>)[] = [];
    const activate = (ctx: { isolate(where: string, work: () => void): () => Promise<void> }) =>
      void calls.push(ctx.isolate("bell", fails));
    await using t = await started(own({ ...base, id: "own", activate }));
    for (let i = 0; i < 5; i++) await calls[0]?.();
    expect([fails.mock.calls.length, t.codes()]).toEqual([3, switchedOff("bell")]);
  });

  it.each(["convertToDisplay", "convertToLlm", "toListener"])(
    "in %s of an event type switches that function off",
    async (name) => {
      const fails = vi.fn(boom);
      const leaf = (_event: unknown, current: string | null) => current;
      const events = { own_note: { schema: z.object({}), leaf, [name]: fails } };
      await using t = await started(own(definePlugin({ ...base, id: "own", events })));
      const event = (await t.session.append("own_note" as "note", {} as never)) as AnyEvent;
      const ask = { convertToDisplay: () => t.session.display(event), convertToLlm: () => t.session.buildContext((event as StoredEvent).id), toListener: () => t.session.asListened(event) }[name] as () => unknown; // biome-ignore format: short
      const first = ask();
      for (let i = 0; i < 4; i++) expect(ask()).toEqual(first);
      expect([fails.mock.calls.length, t.codes()]).toEqual([3, switchedOff(`${name} of own_note`)]);
    },
  );

  it("in a function inside of a contribution switches that function off", async () => {
    const fails = vi.fn(boom);
    const users: BaseContext[] = [];
    const user = definePlugin({ ...base, id: "user", activate: (ctx) => void users.push(ctx) });
    await using t = await started(user, own({ ...base, id: "own" }));
    const ask = (where: string) => users[0]?.attempt({ plugin: "own", where, otherwise: "nothing" }, fails);
    for (let i = 0; i < 5; i++) expect(ask("width of flag A")).toBe("nothing");
    expect(ask("width of flag B")).toBe("nothing");
    expect([fails.mock.calls.length, t.codes()]).toEqual([
      4,
      [...switchedOff("width of flag A"), "width of flag B UNEXPECTED"],
    ]);
  });

  it("never switches off a guard, which keeps denying", async () => {
    await using t = await started(own(tapping({ critical: true, handler: boom })));
    for (let i = 0; i < 5; i++) await expect(t.greet("a")).rejects.toMatchObject({ code: "HOOK_CRITICAL" });
    expect(new Set(t.codes())).toEqual(new Set(["greet UNEXPECTED"]));
  });

  it("has no consequence for a built-in plugin", async () => {
    const fails = vi.fn(boom);
    await using t = await started(tapping({ handler: fails }));
    for (let i = 0; i < 5; i++) await t.greet("a");
    expect([fails.mock.calls.length, new Set(t.codes())]).toEqual([5, new Set(["greet UNEXPECTED"])]);
  });

  it("is counted from zero when the plugin is loaded again", async () => {
    const fails = vi.fn(boom);
    const plugin = own(tapping({ handler: fails }));
    await using t = await started(plugin);
    for (let i = 0; i < 5; i++) await t.greet("a");
    await t.kernel.unload("own");
    await t.kernel.load(plugin);
    for (let i = 0; i < 5; i++) await t.greet("a");
    expect(fails).toHaveBeenCalledTimes(6);
  });
});

describe("a failure of an extension", () => {
  const file = import.meta.filename;
  it("is reported with the line of the extension's file that threw, or that called what threw", async () => {
    await using t = await started(own(tapping({ handler: () => JSON.parse("{") }), file));
    await t.greet("a");
    expect(t.kernel.failures[0]?.at).toMatch(new RegExp(`^${file}:\\d+$`));
  });

  it.each<[string, () => unknown]>([
    ["null", () => null],
    ["nothing", () => undefined],
    ["an object without a prototype", () => Object.create(null)],
    ["an object whose every property throws", () => new Proxy({}, { get: boom, getPrototypeOf: boom })],
  ])("is reported with the extension's file when the thrown value is %s", async (_what, make) => {
    const handler = () => {
      throw make();
    };
    await using t = await started(own(tapping({ handler }), file));
    expect(await t.greet("a")).toBe("a");
    expect(t.kernel.failures).toMatchObject([{ plugin: "own", where: "greet", at: file }]);
  });

  it("is not waited for: a contribution's function that never returns gets a substitute result", async () => {
    const users: BaseContext[] = [];
    const user = definePlugin({ ...base, id: "user", activate: (ctx) => void users.push(ctx) });
    await using t = await started(user, own({ ...base, id: "own" }));
    const never = () => new Promise<string>(() => {});
    const answer = users[0]?.attempt<Promise<string>>(
      { plugin: "own", where: "width", otherwise: "nothing", limit: 5 },
      never,
    );
    expect(await answer).toBe("nothing");
    expect(t.codes()).toEqual(["width PLUGIN_LIMIT"]);
  });

  it("never keeps a session from opening: an activate() that does not settle is abandoned", async () => {
    vi.useFakeTimers();
    try {
      const opening = started(own({ ...base, id: "own", activate: () => new Promise(() => {}) }));
      await vi.advanceTimersByTimeAsync(10_000);
      await using t = await opening;
      expect(t.kernel.failures).toMatchObject([
        { plugin: "own", where: "start", code: "PLUGIN_START_LIMIT", at: "/home/ada/.scorel/extensions/own.ts" },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});

it("in activate() undoes everything that it had done", async () => {
  await using t = await started();
  const before = t.kernel.census();
  const heard: string[] = [];
  const plugin = definePlugin({
    ...base,
    id: "own",
    needs: ["greeter"],
    events: { half: { schema: z.object({}), leaf: (_event, current) => current } },
    projections: { halves: { over: "log", init: () => 0, update: (count) => count + 1 } },
    activate(ctx) {
      ctx.onDispose(() => void heard.push("undone"));
      ctx.subscribe(({ type }) => void heard.push(type));
      ctx.hook("greet", (name) => `${name}!`);
      ctx.session.hold();
      boom();
    },
  });
  await expect(t.kernel.load(contained(plugin))).rejects.toMatchObject({
    code: "PLUGIN_FAILED",
  });
  await t.session.append("note", { text: "a" });
  await t.kernel.drained();
  expect([t.kernel.census(), await t.greet("a"), heard]).toEqual([before, "a", ["undone"]]);
});

it.each<[string, (ctx: BaseContext) => unknown]>([
  ["a listener", (ctx) => ctx.subscribe(() => {})],
  ["a layer", (ctx) => ctx.hook("greet", (name) => name)],
  ["a service", (ctx) => ctx.provide("greeter", {} as never)],
  ["a hook", (ctx) => ctx.defineHook("greet2" as "greet", "bail")],
  ["an undo", (ctx) => ctx.onDispose(() => {})],
])("after the plugin has stopped, registering %s is refused", async (_what, register) => {
  const kept: BaseContext[] = [];
  const plugin = definePlugin({
    ...base,
    id: "own",
    provides: ["late" as "greeter"],
    activate(ctx) {
      kept.push(ctx);
      ctx.provide("late" as "greeter", {} as never);
    },
  });
  await using t = await started();
  const before = t.kernel.census();
  await t.kernel.load(contained(plugin));
  await t.kernel.unload("own");
  expect(() => register(kept[0] as BaseContext)).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(SCOPE_CLOSED|PLUGIN_UNDECLARED_SERVICE)$/) }),
  );
  expect(t.kernel.census()).toEqual(before);
});

it("a hundred loads and unloads leave the kernel as it was", async () => {
  await using t = await started();
  const before = t.kernel.census();
  const plugin = definePlugin({
    ...base,
    id: "own",
    needs: ["greeter"],
    activate: (ctx) => void ctx.subscribe(() => {}),
    hooks: () => ({ greet: (name) => name }),
    onEvent() {},
  });
  for (let i = 0; i < 100; i++) {
    await t.kernel.load(contained(plugin));
    await t.greet("a");
    await t.kernel.unload("own");
  }
  expect(t.kernel.census()).toEqual(before);
});
