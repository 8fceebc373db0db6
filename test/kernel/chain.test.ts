import { setTimeout as delay } from "node:timers/promises";
import { type AnyPlugin, type BaseContext, definePlugin, type FoldCall, type HookCall, stop } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import type { Tap } from "../../kernel/hook.ts";
import { contained, type TestPlugin, testKernel } from "../harness.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    shout(text: string, signal?: AbortSignal): Promise<string | undefined> | string | undefined;
    permit(
      action: { name: string },
      signal?: AbortSignal,
    ): Promise<{ no: string } | undefined> | { no: string } | undefined;
    price(offer: { sum: number }): { add: number } | undefined;
  }
  interface Services {
    calls: { shout: HookCall<"shout">; permit: HookCall<"permit">; price: FoldCall<"price"> };
  }
}

function isVerdict(result: unknown): void {
  if (typeof (result as { no?: unknown }).no !== "string") throw new Error("that is not a verdict");
}
const owner = definePlugin({
  id: "owner",
  name: "Owner",
  version: "1.0.0",
  provides: ["calls"],
  activate(ctx) {
    ctx.provide("calls", {
      shout: ctx.defineHook("shout", "waterfall"),
      permit: ctx.defineHook("permit", "bail", isVerdict),
      price: ctx.defineHook("price", { fold: (offer, { add }) => ({ sum: offer.sum + add }) }),
    });
  },
});
let plugins = 0;
function layer<T>(hook: string, tap: T | Tap<T>, id = `layer${++plugins}`): AnyPlugin {
  return definePlugin({ id, name: id, version: "1.0.0", needs: ["calls"], hooks: () => ({ [hook]: tap }) });
}
async function chain(...layers: TestPlugin[]) {
  const t = await testKernel([owner, ...layers]);
  return { ...t, calls: t.kernel.find("calls") as NonNullable<ReturnType<typeof t.kernel.find<"calls">>> };
}

describe("a native hook", () => {
  it("passes a waterfall's value from layer to layer, and keeps it if a layer returns undefined", async () => {
    await using t = await chain(
      layer("shout", (text: string) => `${text}!`),
      layer("shout", async () => undefined),
      layer("shout", async (text: string) => text.toUpperCase()),
    );
    expect(await t.calls.shout("hi")).toBe("HI!");
  });

  it("orders layers by level, then by load order", async () => {
    const add = (mark: string, level?: "early" | "late") =>
      layer("shout", { handler: (text: string) => text + mark, ...(level && { level }) });
    await using t = await chain(add("d", "late"), add("b"), add("a", "early"), add("c"));
    expect(await t.calls.shout("")).toBe("abcd");
  });

  it("ends a waterfall if a layer returns stop()", async () => {
    await using t = await chain(
      layer("shout", () => stop("enough")),
      layer("shout", () => "never"),
    );
    expect(await t.calls.shout("hi")).toBe("enough");
  });

  it("ends a bail chain at the first result", async () => {
    const asked: string[] = [];
    const ask = (name: string, answer?: { no: string }) =>
      layer("permit", () => {
        asked.push(name);
        return answer;
      });
    await using t = await chain(ask("first"), ask("second", { no: "closed" }), ask("third", { no: "never asked" }));
    expect(await t.calls.permit({ name: "open" })).toEqual({ no: "closed" });
    expect(asked).toEqual(["first", "second"]);
  });

  it("merges results of a fold chain into the input of later layers", async () => {
    await using t = await chain(
      layer("price", (offer: { sum: number }) => ({ add: offer.sum })),
      layer("price", () => undefined),
      layer("price", (offer: { sum: number }) => ({ add: offer.sum })),
    );
    expect(await t.calls.price({ sum: 1 })).toEqual({ sum: 4 });
  });

  it("skips and reports a layer that throws, rejects or throws null", async () => {
    await using t = await chain(
      layer("shout", () => { throw new Error("broken"); }, "thrower"), // biome-ignore format: one line a layer
      layer("shout", () => Promise.reject(new Error("late")), "rejecter"),
      layer("shout", () => { throw null; }, "nuller"), // biome-ignore format: one line a layer
      layer("shout", (text: string) => `${text}!`),
    );
    expect(await t.calls.shout("hi")).toBe("hi!");
    const failure = { where: "shout", code: "UNEXPECTED" };
    const failures = [
      { ...failure, plugin: "thrower", message: "broken" },
      { ...failure, plugin: "rejecter", message: "late" },
      { ...failure, plugin: "nuller", message: "thrown value: null" },
    ];
    expect(t.kernel.failures).toEqual(failures);
    expect((await t.heard()).map((event) => event.type)).toEqual([
      "plugin_failure",
      "plugin_failure",
      "plugin_failure",
    ]);
  });

  it("denies the action if a critical layer fails", async () => {
    await using t = await chain(
      layer("permit", { critical: true, handler: () => Promise.reject(new Error("no rules")) }, "guard"),
    );
    await expect(t.calls.permit({ name: "open" })).rejects.toMatchObject({
      code: "HOOK_CRITICAL",
      data: { hook: "permit", plugin: "guard", reason: "no rules" },
    });
  });

  describe("denies the action at every call of a guard that fails with", () => {
    const wait = () => delay(5);
    const guards: [string, () => unknown, string][] = [
      ["a throw", () => { throw new Error("no rules"); }, "no rules"], // biome-ignore format: a line each
      ["a throw of null", () => { throw null; }, "thrown value: null"], // biome-ignore format: a line each
      ["a rejection", () => Promise.reject(new Error("no rules")), "no rules"],
      ["a late rejection", () => wait().then(() => Promise.reject(null)), "thrown value: null"],
      ["no result in time", () => new Promise(() => {}), "took longer than 20 ms"],
      ["an invalid result", () => 5, "that is not a verdict"],
      ["a late invalid result", () => wait().then(() => "yes"), "that is not a verdict"],
    ];
    it.each(guards)("%s", async (_what, handler, reason) => {
      const guard = layer("permit", { critical: true, limit: 20, handler: handler as () => undefined }, "guard");
      await using t = await chain(
        contained(guard),
        layer("permit", () => undefined),
      );
      for (let call = 0; call < 5; call++)
        await expect(t.calls.permit({ name: "open" })).rejects.toMatchObject({
          code: "HOOK_CRITICAL",
          data: { hook: "permit", plugin: "guard", reason: expect.stringContaining(reason) },
        });
    });
  });

  it("skips and reports a layer whose result is invalid", async () => {
    await using t = await chain(
      layer("permit", () => true as never, "yes"),
      layer("permit", () => ({ no: "closed" })),
    );
    expect(await t.calls.permit({ name: "open" })).toEqual({ no: "closed" });
    expect(t.kernel.failures).toMatchObject([{ plugin: "yes", where: "permit", message: "that is not a verdict" }]);
  });

  it("applies in-place changes of a contained layer only if the layer succeeds", async () => {
    const changing = (name: string, then: () => undefined) =>
      layer("permit", (action: { name: string }) => {
        action.name += name;
        return then();
      });
    const fails = () => { throw new Error("broken"); }; // biome-ignore format: short
    const own = [changing("a", () => undefined), changing("b", fails), changing("c", () => undefined)];
    await using t = await chain(...own.map((plugin) => contained(plugin)));
    const action = { name: "" };
    await t.calls.permit(action);
    expect(action).toEqual({ name: "ac" });
  });

  it("skips a layer that exceeds its limit, aborts its signal and discards its late result", async () => {
    let late: AbortSignal | undefined;
    let settle: ((text: string) => void) | undefined;
    const slow = (_text: string, signal?: AbortSignal) => {
      late = signal;
      return new Promise<string>((resolve) => { settle = resolve; }); // biome-ignore format: short
    };
    await using t = await chain(
      layer("shout", { handler: slow, limit: 5 }, "slow"),
      layer("shout", (text: string, signal?: AbortSignal) => `${text} ${signal?.aborted}`),
    );
    const value = await t.calls.shout("hi");
    settle?.("too late");
    expect([value, late?.aborted, t.kernel.failures[0]?.code]).toEqual(["hi false", true, "HOOK_LIMIT"]);
  });

  it("pauses a layer's time limit while the layer waits for a person", async () => {
    const patient = async (ctx: BaseContext, action: { name: string }, signal: AbortSignal) => {
      const go = ctx.calls.pauseLimit(signal);
      await delay(60);
      go();
      go();
      return action.name === "answered" ? { no: "not this" } : new Promise<undefined>(() => {});
    };
    const asking = definePlugin({
      id: "asking",
      name: "Asking",
      version: "1.0.0",
      hooks: (ctx) => ({
        permit: { handler: (action, signal) => patient(ctx, action, signal as AbortSignal), limit: 30 },
      }),
    });
    await using t = await chain(asking);
    expect(await t.calls.permit({ name: "answered" })).toEqual({ no: "not this" });
    expect(await t.calls.permit({ name: "silent" })).toBeUndefined();
    expect(t.kernel.failures.map(({ code }) => code)).toEqual(["HOOK_LIMIT"]);
  });

  it("rejects immediately if the caller aborts while a layer is running", async () => {
    await using t = await chain(
      layer("permit", { handler: () => new Promise<never>(() => {}), limit: false as const }),
    );
    const control = new AbortController();
    const call = t.calls.permit({ name: "open" }, control.signal);
    control.abort(new Error("cancelled"));
    await expect(call).rejects.toThrow("cancelled");
  });

  it("finishes a call in flight with its original layers, and starts the next call without unloaded ones", async () => {
    let go: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => { go = resolve; }); // biome-ignore format: short
    const waiting = layer("shout", async (text: string) => {
      await gate;
      return text;
    });
    await using t = await chain(
      waiting,
      layer("shout", (text: string) => `${text}!`, "bang"),
    );
    const inFlight = t.calls.shout("one");
    await t.kernel.unload("bang");
    go?.();
    expect([await inFlight, await t.calls.shout("two")]).toEqual(["one!", "two"]);
  });
});
