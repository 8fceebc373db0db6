import { type AnyPlugin, createKernel, definePlugin, type HookCall } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { testHeader, testKernel } from "../harness.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    enter(door: string): Promise<string | undefined> | string | undefined;
  }
  interface Services {
    door: { enter: HookCall<"enter"> };
  }
}

const base = { name: "x", version: "1.0.0" };
const tick = () => new Promise<void>((done) => setImmediate(done));

/** A plugin that adds entries to `order` when its running work ends and when it is unloaded. */
function working(id: string, order: string[]): AnyPlugin {
  return definePlugin({
    ...base,
    id,
    activate(ctx) {
      ctx.signal.addEventListener("abort", () => order.push(`${id}: signal`));
      ctx.beforeStop(async () => {
        await tick();
        order.push(`${id}: work ended`);
      });
      return () => void order.push(`${id}: unloaded`);
    },
  });
}

describe("a kernel that stops", () => {
  it("ends the work of all plugins before it unloads the first plugin", async () => {
    const order: string[] = [];
    const t = await testKernel([working("a", order), working("b", order)]);
    await t.kernel.stop();
    expect(order).toEqual(["a: signal", "b: signal", "a: work ended", "b: work ended", "b: unloaded", "a: unloaded"]);
  });

  it("aborts stopping immediately in all its child kernels, even in those created later", async () => {
    const t = await testKernel([]);
    const child = (sessionId: string) =>
      createKernel({ entries: [], parent: t.kernel, store: createMemoryStore({ ...testHeader, sessionId }) });
    const before = await child("session000000002");
    const states = () => [t.session, before.session].map(({ stopping }) => stopping.aborted);
    const running = states();
    const stopped = t.kernel.stop();
    expect([running, states()]).toEqual([
      [false, false],
      [true, true],
    ]);
    await stopped;
    const late = await child("session000000003");
    expect(late.session.stopping.reason).toMatchObject({ code: "KERNEL_STOPPING" });
    await Promise.all([before.stop(), late.stop()]);
  });

  it("waits for work as long as its plugin has set, and reports work that takes longer", async () => {
    const plugin = definePlugin({
      ...base,
      id: "stuck",
      activate: (ctx) => ctx.beforeStop(() => new Promise(() => {}), 1),
    });
    const t = await testKernel([plugin]);
    await t.kernel.stop();
    expect(t.kernel.failures).toMatchObject([
      { plugin: "stuck", code: "SCOPE_DISPOSE_LIMIT", message: expect.stringContaining("took longer than 1 ms") },
    ]);
  });

  it("stops only once, however often stop() is called", async () => {
    const order: string[] = [];
    const t = await testKernel([working("a", order)]);
    await Promise.all([t.kernel.stop(), t.kernel.stop()]);
    await t.kernel.stop();
    expect(order).toEqual(["a: signal", "a: work ended", "a: unloaded"]);
  });

  it("denies actions whose guard has already been unloaded", async () => {
    const asked: Promise<unknown>[] = [];
    const owner = definePlugin({
      ...base,
      id: "owner",
      provides: ["door"],
      activate(ctx) {
        const enter = ctx.defineHook("enter", "bail");
        ctx.provide("door", { enter });
        ctx.onDispose(() => void asked.push(enter("front").catch((thrown: unknown) => thrown)));
      },
    });
    const guard = definePlugin({
      ...base,
      id: "guard",
      needs: ["door"],
      hooks: () => ({ enter: { critical: true, handler: () => undefined } }),
    });
    const t = await testKernel([owner, guard]);
    expect(await t.kernel.find("door")?.enter("front")).toBeUndefined();
    await t.kernel.stop();
    expect(await asked[0]).toMatchObject({ code: "HOOK_CRITICAL", cause: { code: "HOOK_STOPPING" } });
  });
});

it("ends a plugin's work before it unloads the plugin and those that need it", async () => {
  const order: string[] = [];
  const plain = working("owner", order);
  const owner: AnyPlugin = {
    ...plain,
    provides: ["door"],
    activate(ctx) {
      ctx.provide("door", { enter: async () => undefined });
      return plain.activate?.(ctx);
    },
  };
  const user: AnyPlugin = { ...working("user", order), needs: ["door"] };
  await using t = await testKernel([owner, user]);
  await t.kernel.unload("owner");
  expect([order, t.session.stopping.aborted]).toEqual([
    ["owner: signal", "owner: work ended", "user: signal", "user: work ended", "user: unloaded", "owner: unloaded"],
    false,
  ]);
});
