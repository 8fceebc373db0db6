import { getEventListeners } from "node:events";
import { type BaseContext, definePlugin, type FoldCall, type HookCall, stop } from "@scorel/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type TestPlugin, testKernel } from "../harness.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    echo(text: string, signal?: AbortSignal): Promise<string | undefined> | string | undefined;
    choose(given: { of: string }): Promise<string | undefined> | string | undefined;
    total(sum: { sum: number }): Promise<number | undefined> | number | undefined;
  }
  interface Services {
    echoing: { echo: HookCall<"echo">; choose: HookCall<"choose">; total: FoldCall<"total"> };
  }
}

const base = { name: "x", version: "1.0.0" };
const owner = definePlugin({
  ...base,
  id: "owner",
  provides: ["echoing"],
  activate(ctx) {
    const short = (value: unknown) => {
      if (String(value).length > 20) throw new Error("too long");
    };
    const positive = (value: unknown) => {
      if (typeof value !== "number" || value <= 0) throw new Error("not positive");
    };
    ctx.provide("echoing", {
      echo: ctx.defineHook("echo", "waterfall", short),
      choose: ctx.defineHook("choose", "bail"),
      total: ctx.defineHook("total", { fold: ({ sum }, more) => ({ sum: sum + more }) }, positive),
    });
  },
});
let plugins = 0;
const layer = (hooks: object, id = `layer${++plugins}`) =>
  definePlugin({ ...base, id, needs: ["echoing"], hooks: () => hooks as never });

async function chain(...layers: TestPlugin[]) {
  const t = await testKernel([owner, ...layers]);
  return { ...t, calls: t.kernel.find("echoing") as NonNullable<ReturnType<typeof t.kernel.find<"echoing">>> };
}
afterEach(() => void vi.useRealTimers());

describe("a layer", () => {
  const fields = "(there are handler, level, critical, limit)";
  const noLimit = "its limit is neither a number of milliseconds up to 2147483647 nor false";
  const handler = () => undefined;

  it.each<[unknown, string]>([
    ["text", "it is neither a function nor { handler: a function }"],
    [5, "it is neither a function nor { handler: a function }"],
    [{}, "its handler is not a function"],
    [{ handler: "text" }, "its handler is not a function"],
    [{ handler, levl: "early" }, 'it has no field "levl": did you mean "level"?'],
    [{ handler, zzz: 1 }, `it has no field "zzz" ${fields}`],
    [{ handler, level: "first" }, 'its level is not "early", "normal" or "late"'],
    [{ handler, level: "toString" }, 'its level is not "early", "normal" or "late"'],
    [{ handler, critical: 1 }, "its critical is neither true nor false"],
    [{ handler, critical: null }, "its critical is neither true nor false"],
    [{ handler, limit: -1 }, noLimit],
    [{ handler, limit: true }, noLimit],
    [{ handler, limit: "5" }, noLimit],
    [{ handler, limit: Number.NaN }, noLimit],
    [{ handler, limit: 2 ** 31 }, noLimit],
    [{ zzz: 1, limit: 2 ** 31 }, `it has no field "zzz" ${fields}; its handler is not a function; ${noLimit}`],
  ])("given as %j is refused", async (tap, flaws) => {
    await expect(chain(layer({ echo: tap }, "odd"))).rejects.toMatchObject({
      code: "PLUGIN_FAILED",
      cause: { code: "HOOK_LAYER", data: { plugin: "odd", hook: "echo", flaws: flaws.split("; ") } },
    });
  });

  it.each([
    { level: "early" },
    { level: undefined, critical: undefined, limit: undefined },
    { critical: false, limit: 0 },
    { limit: 2 ** 31 - 1 },
    { limit: false },
  ])("may have the options %j", async (options) => {
    await using t = await chain(layer({ echo: { handler: (text: string) => `${text}!`, ...options } }));
    expect(await t.calls.echo("hi")).toBe("hi!");
  });

  it.each([undefined, null, false])("that is %s is left out", async (tap) => {
    await using t = await chain(layer({ echo: tap }));
    expect([await t.calls.echo("hi"), t.kernel.census()["hook echo"]]).toEqual(["hi", 0]);
  });

  it.each<[string, unknown]>([
    ["a list", []],
    ["a Map", new Map()],
    ["a promise", Promise.resolve({})],
    ["a text", "hooks"],
    ["true", true],
  ])("cannot be in %s", async (_what, hooks) => {
    await expect(chain(layer(hooks as object))).rejects.toMatchObject({
      message: expect.stringContaining('"hooks" must be a function that returns { hook: layer }'),
    });
  });

  it("cannot be on a hook that nobody defines, and a hook is defined once", async () => {
    const hook = (name: string) => (name === "ehco" ? 'Did you mean "echo"?' : undefined);
    const hints = { service: () => undefined, hook };
    await expect(testKernel([owner, layer({ ehco: handler }, "odd")], { hints })).rejects.toMatchObject({
      cause: { code: "HOOK_UNKNOWN", data: { hook: "ehco", plugin: "odd", advice: 'Did you mean "echo"?' } },
    });
    await expect(
      testKernel([owner, layer({ ehco: handler, other: handler, echo: 5 }, "odd")], { hints }),
    ).rejects.toMatchObject({
      cause: {
        code: "HOOK_SEVERAL",
        data: {
          reasons: [
            expect.stringContaining('"ehco"'),
            expect.stringContaining('"other"'),
            expect.stringContaining('"echo"'),
          ],
        },
      },
    });
    const thief = definePlugin({ ...base, id: "thief", activate: (ctx) => void ctx.defineHook("echo", "waterfall") });
    await expect(testKernel([owner, thief])).rejects.toMatchObject({
      cause: { code: "HOOK_DUPLICATE", data: { hook: "echo", plugin: "thief" } },
    });
    const borrower = definePlugin({
      ...base,
      id: "borrower",
      activate: (ctx) => void ctx.defineHook("other" as never, "bail"),
    });
    await using t = await testKernel([borrower]);
    await t.kernel.unload("borrower");
    await t.kernel.load({ plugin: borrower, origin: "test" });
    expect(t.kernel.census()).toMatchObject({ "hook other": 0 });
  });
});

describe("a guard whose plugin is unloaded", () => {
  it("no longer denies, and other layers never do when the session stops", async () => {
    const deny = () => {
      throw new Error("closed");
    };
    const asked: Promise<unknown>[] = [];
    const asking = definePlugin({
      ...base,
      id: "asking",
      needs: ["echoing"],
      activate(ctx) {
        ctx.onDispose(() => void asked.push(ctx.echoing.echo("late")));
      },
    });
    const guard = layer({ echo: { critical: true, handler: deny } }, "guard");
    await using t = await chain(asking, layer({ echo: (text: string) => `${text}!` }), guard);
    const first = await t.calls.echo("hi").catch(({ code }) => code);
    await t.kernel.unload("guard");
    const second = await t.calls.echo("hi");
    await t.kernel.stop();
    expect([first, second, await Promise.all(asked)]).toEqual(["HOOK_CRITICAL", "hi!", ["late"]]);
  });
});

describe("a chain", () => {
  it("without layers returns its input, or no result if it is a bail chain", async () => {
    await using t = await chain();
    expect([await t.calls.echo("hi"), await t.calls.choose({ of: "a" }), await t.calls.total({ sum: 1 })]).toEqual([
      ...["hi", undefined, { sum: 1 }],
    ]);
  });

  it("has no result if its layers return nothing or null", async () => {
    await using t = await chain(layer({ choose: () => undefined }), layer({ choose: async () => null }));
    expect(await t.calls.choose({ of: "a" })).toBeUndefined();
  });

  it("ends at stop(), with its value if it has one", async () => {
    const never = vi.fn(() => "never");
    const stopping = (value?: unknown) =>
      layer({ echo: async () => stop(value), choose: () => stop(value), total: () => stop(value) });
    const later = layer({ echo: never, choose: never, total: never });
    const answers = [];
    for (const value of [undefined, 5]) {
      await using t = await chain(stopping(value), later);
      answers.push(await t.calls.echo("hi"), await t.calls.choose({ of: "a" }), await t.calls.total({ sum: 1 }));
    }
    expect([answers, never.mock.calls]).toEqual([["hi", undefined, { sum: 1 }, 5, 5, { sum: 6 }], []]);
  });

  it("skips and reports each invalid result, and checks no unchanged input", async () => {
    const long = "a text of more than twenty characters";
    await using t = await chain(
      layer({ echo: (text: string) => text, total: () => 0 }, "zero"),
      layer({ echo: async () => `${long}!`, total: async () => 3 }, "long"),
      layer({ echo: () => null, total: () => null }, "silent"),
    );
    expect([await t.calls.echo(long), await t.calls.echo("hi"), await t.calls.total({ sum: 1 })]).toEqual([
      ...[long, "hi", { sum: 4 }],
    ]);
    expect(t.kernel.failures.map(({ plugin, message }) => `${plugin}: ${message}`)).toEqual([
      ...["long: too long", "long: too long", "zero: not positive"],
    ]);
  });

  it("treats an object with a method `then` as a promise", async () => {
    // biome-ignore lint/suspicious/noThenProperty: the object is a thenable on purpose
    const thenable = { then: (settle: (text: string) => void) => settle("settled") };
    await using t = await chain(layer({ echo: () => thenable }));
    expect(await t.calls.echo("hi")).toBe("settled");
  });
});

describe("a call whose caller aborts", () => {
  const cancelled = new Error("cancelled");

  it("calls no layer at all if it has aborted before", async () => {
    const never = vi.fn();
    await using t = await chain(layer({ echo: never }));
    const aborted = AbortSignal.abort(cancelled);
    await expect(t.calls.echo("hi", aborted)).rejects.toBe(cancelled);
    expect(never).not.toHaveBeenCalled();
  });

  it.each([
    ["a synchronous layer", (): string | undefined | Promise<string> => undefined],
    ["a layer that returns a promise", async () => "text"],
    ["a layer that never ends", () => new Promise<string>(() => {})],
  ])("calls no layer after %s that aborted, and reports no failure", async (_what, returned) => {
    const control = new AbortController();
    const never = vi.fn();
    const aborting = () => {
      control.abort(cancelled);
      return returned();
    };
    await using t = await chain(layer({ echo: aborting }), layer({ echo: never }));
    await expect(t.calls.echo("hi", control.signal)).rejects.toBe(cancelled);
    expect([never.mock.calls, t.kernel.failures]).toEqual([[], []]);
  });

  it("waits for no later layer that aborted and never ends", async () => {
    vi.useFakeTimers();
    const control = new AbortController();
    const aborting = () => {
      control.abort(cancelled);
      return new Promise<never>(() => {});
    };
    await using t = await chain(layer({ echo: async () => "first" }), layer({ echo: aborting }));
    await expect(t.calls.echo("hi", control.signal)).rejects.toBe(cancelled);
    expect([vi.getTimerCount(), getEventListeners(control.signal, "abort"), t.kernel.failures]).toEqual([0, [], []]);
  });

  it("ignores the late rejection of a layer that aborted", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      const control = new AbortController();
      const aborting = async () => {
        control.abort(cancelled);
        throw new Error("broken");
      };
      await using t = await chain(layer({ echo: aborting }));
      await expect(t.calls.echo("hi", control.signal)).rejects.toBe(cancelled);
      // Node reports unhandled rejections after the callbacks of promises and before those of setImmediate.
      await new Promise((resolve) => setImmediate(resolve));
      expect([unhandled.mock.calls, t.kernel.failures]).toEqual([[], []]);
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });

  it("aborts the signal of the running layer, and ends its time limit", async () => {
    vi.useFakeTimers();
    const contexts: BaseContext[] = [];
    const signals: AbortSignal[] = [];
    const waiting = definePlugin({
      ...base,
      id: "waiting",
      needs: ["echoing"],
      activate: (ctx) => void contexts.push(ctx),
      hooks: () => ({
        echo: (_text, signal) => {
          signals.push(signal as AbortSignal);
          return new Promise<never>(() => {});
        },
      }),
    });
    await using t = await chain(waiting);
    const pending = () => contexts[0]?.calls.of("waiting");
    const control = new AbortController();
    const call = t.calls.echo("hi", control.signal).catch((thrown: unknown) => thrown);
    const during = [pending(), vi.getTimerCount(), getEventListeners(control.signal, "abort").length];
    control.abort(cancelled);
    expect([during, await call, pending(), vi.getTimerCount(), signals[0]?.reason]).toEqual([
      ...[[signals, 1, 1], cancelled, [], 0, cancelled],
    ]);
    expect(t.kernel.failures).toEqual([]);
  });

  it("leaves no listener on the caller's signal", async () => {
    await using t = await chain(
      layer({ echo: async (text: string) => `${text}!` }),
      layer({ echo: async (text: string) => `${text}?` }),
    );
    const { signal } = new AbortController();
    expect([await t.calls.echo("hi", signal), getEventListeners(signal, "abort")]).toEqual(["hi!?", []]);
  });
});

describe("the time limit of a layer", () => {
  /** A layer that settles after `ms`, or never. */
  const slow = (ms: number | undefined, limit?: number | false) => ({
    handler: (text: string) =>
      new Promise<string>((resolve) => {
        if (ms !== undefined) setTimeout(() => resolve(`${text}!`), ms);
      }),
    ...(limit !== undefined && { limit }),
  });

  it.each<[number | undefined, number | false | undefined, number, string]>([
    [50, false, 50, "hi!"],
    [90_000, false, 90_000, "hi!"],
    [29_999, undefined, 29_999, "hi!"],
    [undefined, undefined, 30_000, "hi"],
    [undefined, 1, 1, "hi"],
  ])(
    "applies to a layer that takes %s ms with limit %s: after %s ms the result is %s",
    async (ms, limit, after, result) => {
      vi.useFakeTimers();
      await using t = await chain(layer({ echo: slow(ms, limit) }, "slow"));
      let answer: unknown = "none";
      void t.calls.echo("hi").then((given) => (answer = given));
      await vi.advanceTimersByTimeAsync(after - 1);
      const before = answer;
      await vi.advanceTimersByTimeAsync(1);
      expect([before, answer, vi.getTimerCount()]).toEqual(["none", result, 0]);
      expect(t.kernel.failures.map(({ message }) => message)).toEqual(
        result === "hi!"
          ? []
          : [`Plugin "slow" took longer than ${limit ?? 30_000} ms in "echo"; its result is ignored.`],
      );
    },
  );

  it("is paused while any question is open, and then continues", async () => {
    vi.useFakeTimers();
    const contexts: BaseContext[] = [];
    const asking = definePlugin({
      ...base,
      id: "asking",
      needs: ["echoing"],
      activate: (ctx) => void contexts.push(ctx),
      hooks: () => ({ echo: { handler: () => new Promise<never>(() => {}), limit: 100 } }),
    });
    await using t = await chain(asking);
    let answer: unknown = "none";
    void t.calls.echo("hi").then((given) => (answer = given));
    const { calls } = contexts[0] as BaseContext;
    const [signal] = calls.of("asking") as [AbortSignal];
    const answers: unknown[] = [];
    const wait = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      answers.push(answer);
    };
    await wait(60);
    const [first, second] = [calls.pauseLimit(signal), calls.pauseLimit(signal)];
    await wait(500);
    first();
    first();
    await wait(500);
    second();
    await wait(39);
    await wait(1);
    expect(answers).toEqual(["none", "none", "none", "none", "hi"]);
    // After the call, there is no limit to pause.
    calls.pauseLimit(signal)();
    expect([vi.getTimerCount(), calls.of("asking"), calls.of("nobody")]).toEqual([0, [], []]);
  });

  it("does not begin while a question that was asked before is open", async () => {
    vi.useFakeTimers();
    const early = definePlugin({
      ...base,
      id: "early",
      needs: ["echoing"],
      hooks: (ctx) => ({
        echo: {
          handler: (_text, signal) => {
            const go = ctx.calls.pauseLimit(signal as AbortSignal);
            setTimeout(go, 500);
            return new Promise<never>(() => {});
          },
          limit: 100,
        },
      }),
    });
    await using t = await chain(early);
    let answer: unknown = "none";
    void t.calls.echo("hi").then((given) => (answer = given));
    await vi.advanceTimersByTimeAsync(599);
    const before = answer;
    await vi.advanceTimersByTimeAsync(1);
    expect([before, answer]).toEqual(["none", "hi"]);
  });
});
