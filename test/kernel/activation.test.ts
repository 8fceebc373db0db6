import { type AnyPlugin, createKernel, definePlugin, type HookCall } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Tap } from "../../kernel/hook.ts";
import { testHeader, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

declare module "@scorel/kernel" {
  interface Contributions {
    words: string[];
  }
  interface Hooks {
    spell(word: string): string;
  }
  interface Services {
    speller: { spell: HookCall<"spell"> };
  }
}

const base = { name: "test", version: "1.0.0" };
const speller = definePlugin({
  ...base,
  id: "speller",
  provides: ["speller"],
  activate: (ctx) => ctx.provide("speller", { spell: ctx.defineHook("spell", "waterfall") }),
});

describe("the return value of activate", () => {
  it("adds contributions after those of the plugin itself, with access to local variables", async () => {
    const heard: string[] = [];
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: ["speller"],
      activate() {
        let asked = 0;
        return {
          words: () => [`asked ${++asked}`],
          hooks: { spell: (word) => `${word}, returned` },
          onEvent: ({ type }) => void heard.push(`returned: ${type} after ${asked}`),
        };
      },
      words: () => ["own"],
      hooks: () => ({ spell: (word) => `${word}, own` }),
      onEvent: ({ type }) => void heard.push(`own: ${type}`),
    });
    await using t = await testKernel([notes, speller, plugin]);
    expect(t.kernel.collect("words")).toEqual([
      { plugin: "own", value: ["own"] },
      { plugin: "own", value: ["asked 1"] },
    ]);
    expect(t.kernel.collect("words")[1]).toEqual({ plugin: "own", value: ["asked 2"] });
    expect(await t.kernel.find("speller")?.spell("a")).toBe("a, own, returned");
    t.session.emit("tick", { n: 1 });
    await t.kernel.drained();
    expect(heard.sort()).toEqual(["own: tick", "returned: tick after 2"]);
  });

  it.each([
    ["values", { words: ["a"], hooks: { spell: () => "spelt" } }],
    ["functions", { words: () => ["a"], hooks: () => ({ spell: { handler: () => "spelt", level: "late" } }) }],
    [
      "methods of a class",
      new (class {
        list = ["a"];
        words() {
          return this.list;
        }
        hooks() {
          return { spell: () => (this.list.length === 1 ? "spelt" : "") };
        }
      })(),
    ],
  ])("may hold contributions as %s", async (_what, returned) => {
    const plugin = definePlugin({ ...base, id: "own", needs: ["speller"], activate: async () => returned as object });
    await using t = await testKernel([speller, plugin]);
    expect([t.kernel.collect("words"), await t.kernel.find("speller")?.spell("?")]).toEqual([
      [{ plugin: "own", value: ["a"] }],
      "spelt",
    ]);
  });

  it("is undone when the plugin stops, and its dispose function is called", async () => {
    const order: string[] = [];
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: ["speller"],
      deactivate: () => void order.push("deactivate"),
      activate(ctx) {
        ctx.onDispose(() => void order.push("onDispose"));
        return { words: ["a"], hooks: { spell: () => "" }, onEvent() {}, dispose: () => void order.push("dispose") };
      },
    });
    await using t = await testKernel([speller]);
    const before = t.kernel.census();
    await t.kernel.load({ plugin, origin: "test" });
    expect([t.kernel.collect("words").length, t.kernel.census()["hook spell"]]).toEqual([1, 1]);
    await t.kernel.unload("own");
    expect([t.kernel.collect("words"), t.kernel.census(), order]).toEqual([
      [],
      before,
      ["dispose", "onDispose", "deactivate"],
    ]);
  });

  it("has typed contributions and hooks", () => {
    definePlugin({
      ...base,
      id: "typed",
      activate: () => ({
        words: ["a"],
        hooks: {
          spell(word) {
            expectTypeOf(word).toEqualTypeOf<string>();
            return word;
          },
        },
      }),
    });
    // @ts-expect-error words are strings
    definePlugin({ ...base, id: "typed", activate: () => ({ words: [1] }) });
    // @ts-expect-error a layer returns a string
    definePlugin({ ...base, id: "typed", activate: () => ({ hooks: { spell: () => 1 } }) });
  });

  it.each<[string, unknown]>([
    ["a list", []],
    ['"events", which is read before activate() runs; declare it on the plugin itself', { events: {} }],
    ['"deactivate", which is read before activate() runs; declare it on the plugin itself', { deactivate() {} }],
    ['a "dispose" that is not a function', { dispose: true }],
    ['an "onEvent" that is not a function', { onEvent: {} }],
    ['"hooks" that are neither an object nor a function', { hooks: [] }],
    ['"word", which is not a known contribution (did you mean "words"?)', { word: ["a"] }],
    [
      '"word", which is not a known contribution (did you mean "words"?), and "wrds", which is not a known contribution (did you mean "words"?), and a "dispose" that is not a function',
      { word: ["a"], wrds: ["b"], dispose: true },
    ],
  ])("is rejected if it is or contains %s", async (what, returned) => {
    let undone = 0;
    const plugin = definePlugin({
      ...base,
      id: "own",
      activate(ctx) {
        ctx.onDispose(() => void undone++);
        return returned as object;
      },
    });
    const contribution = (name: string) => (["word", "wrds"].includes(name) ? "words" : undefined);
    const hints = { service: () => undefined, hook: () => undefined, contribution };
    await expect(testKernel([plugin], { hints })).rejects.toMatchObject({
      code: "PLUGIN_RETURNED",
      message: `activate() of plugin "own" returned ${what}. It may return nothing, a function that undoes its work, or an object with contributions such as "tools", "commands" and "hooks", with "dispose" for the undo.`,
    });
    expect(undone).toBe(1);
  });

  it("has its dispose function called even if the rest is rejected", async () => {
    const order: string[] = [];
    const returned = { dispose: () => void order.push("dispose"), events: {} };
    const plugin = definePlugin({ ...base, id: "own", activate: () => returned });
    await expect(testKernel([plugin])).rejects.toMatchObject({ code: "PLUGIN_RETURNED" });
    expect(order).toEqual(["dispose"]);
  });

  it.each<[string, object, string]>([
    ["a promise", { words: Promise.resolve(["a"]) }, "PLUGIN_ASYNC_CONTRIBUTION"],
    [
      "a function that throws",
      {
        words: () => {
          throw new Error("boom");
        },
      },
      "UNEXPECTED",
    ],
  ])("has %s left out and reported", async (_what, returned, code) => {
    const plugin = definePlugin({ ...base, id: "own", activate: () => returned, words: () => ["own"] });
    await using t = await testKernel([plugin]);
    expect(t.kernel.collect("words")).toEqual([{ plugin: "own", value: ["own"] }]);
    expect(t.kernel.failures).toMatchObject([{ plugin: "own", where: "words", code }]);
  });

  it("is ignored if it is neither a function nor an object", async () => {
    const plugins = [1, "text", true, null].map((returned, at): AnyPlugin => {
      return { ...base, id: `own${at}`, activate: () => returned as never };
    });
    await using t = await testKernel(plugins);
    expect(t.kernel.failures).toEqual([]);
  });

  it("has its layers validated like those of the plugin itself", async () => {
    const tap = { handlr: () => "" } as unknown as Tap<(word: string) => string>;
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: ["speller"],
      activate: () => ({ hooks: { spell: tap } }),
    });
    await expect(testKernel([speller, plugin])).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      message: expect.stringContaining('it has no field "handlr": did you mean "handler"?'),
    });
  });
});

describe("a contribution that a running plugin adds", () => {
  const contributor = definePlugin({ ...base, id: "own", needs: ["speller"], words: () => ["own"] });

  it("is collected after the others until it is removed, and listeners hear of both", async () => {
    const heard: string[][] = [];
    let undo: (() => unknown) | undefined;
    const collector = definePlugin({
      ...base,
      id: "collector",
      activate(ctx) {
        const words = () => ctx.collect("words").flatMap(({ value }) => value);
        ctx.onContributed("words", () => void heard.push(words()));
      },
    });
    const late = definePlugin({
      ...base,
      id: "late",
      events: { grow: { schema: z.object({}), transient: true } },
      onEvent({ type }, ctx) {
        if (type === "grow") undo = ctx.contribute("words", () => ["late"]);
        else if (type === "tick") undo?.();
      },
    });
    await using t = await testKernel([notes, speller, collector, contributor, late]);
    t.session.emit("grow" as never, {} as never);
    await t.kernel.drained();
    t.session.emit("tick", { n: 1 });
    await t.kernel.drained();
    expect(heard).toEqual([["own", "late"], ["own"]]);
  });

  it("may be hooks and a listener, and everything is undone when the plugin stops", async () => {
    const heard: string[] = [];
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: ["speller"],
      activate(ctx) {
        ctx.contribute("hooks", { spell: (word) => `${word}!` });
        ctx.contribute("onEvent", ({ type }) => void heard.push(type));
        ctx.contribute("words", ["a"]);
        ctx.onContributed("words", () => void heard.push("words"));
      },
    });
    await using t = await testKernel([notes, speller]);
    const before = t.kernel.census();
    await t.kernel.load({ plugin, origin: "test" });
    t.session.emit("tick", { n: 1 });
    await t.kernel.drained();
    expect([await t.kernel.find("speller")?.spell("a"), t.kernel.collect("words"), heard]).toEqual([
      "a!",
      [{ plugin: "own", value: ["a"] }],
      ["tick"],
    ]);
    await t.kernel.unload("own");
    expect([t.kernel.collect("words"), t.kernel.census()]).toEqual([[], before]);
  });

  it("of a parent kernel is heard in its sessions, also when its plugin starts or stops", async () => {
    await using parent = await testKernel([speller]);
    const heard: string[] = [];
    const collector = definePlugin({
      ...base,
      id: "collector",
      activate(ctx) {
        ctx.onContributed(
          "words",
          () =>
            void heard.push(
              ctx
                .collect("words")
                .flatMap(({ value }) => value)
                .join(),
            ),
        );
      },
    });
    const child = await createKernel({
      entries: [{ plugin: collector, origin: "test" }],
      store: createMemoryStore(testHeader),
      parent: parent.kernel,
    });
    await parent.kernel.load({ plugin: contributor, origin: "test" });
    await parent.kernel.unload("own");
    await child.stop();
    await parent.kernel.load({ plugin: contributor, origin: "test" });
    expect(heard).toEqual(["own", ""]);
  });

  it("does not fail because a listener does", async () => {
    const listening = definePlugin({
      ...base,
      id: "listening",
      activate(ctx) {
        ctx.onContributed("words", () => {
          throw new Error("cannot hear");
        });
      },
    });
    await using t = await testKernel([speller, listening]);
    await t.kernel.load({ plugin: contributor, origin: "test" });
    expect([t.kernel.collect("words"), t.kernel.failures]).toEqual([
      [{ plugin: "own", value: ["own"] }],
      [{ plugin: "listening", where: "onContributed words", code: "UNEXPECTED", message: "cannot hear" }],
    ]);
  });

  it.each<[string, string, unknown]>([
    ['"words" without a value', "words", undefined],
    ['"dispose"; register it with ctx.onDispose()', "dispose", () => {}],
    ['"events", which is read before activate() runs; declare it on the plugin itself', "events", {}],
    ['"hooks" that are neither an object nor a function', "hooks", 1],
    ['"word", which is not a known contribution (did you mean "words"?)', "word", ["a"]],
  ])("is refused with %s", async (what, name, value) => {
    const hints = {
      service: () => undefined,
      hook: () => undefined,
      contribution: (asked: string) => (asked === "word" ? "words" : undefined),
    };
    const plugin = definePlugin({
      ...base,
      id: "own",
      activate: (ctx) => void ctx.contribute(name as never, value as never),
    });
    await using t = await testKernel([], { hints });
    await expect(t.kernel.load({ plugin, origin: "test" })).rejects.toThrow(
      expect.objectContaining({
        code: "PLUGIN_CONTRIBUTES",
        message: expect.stringContaining(`called ctx.contribute() with ${what}.`),
      }),
    );
  });

  it("is undone whole if one of its layers is refused", async () => {
    let before: unknown;
    const plugin = definePlugin({
      ...base,
      id: "own",
      needs: ["speller"],
      activate(ctx) {
        before = t.kernel.census();
        expect(() => ctx.contribute("hooks", { spell: (word: string) => word, unknown: () => {} } as object)).toThrow(
          expect.objectContaining({ code: "HOOK_UNKNOWN" }),
        );
      },
    });
    await using t = await testKernel([speller]);
    await t.kernel.load({ plugin, origin: "test" });
    expect(t.kernel.census()).toEqual(before);
  });
});
