import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import type { HookTrace } from "../../kernel/calls/trace.ts";
import { testHeader, testKernel } from "../harness.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    traced(text: string): Promise<string> | string;
  }
  interface Services {
    traced: (text: string) => Promise<string>;
  }
}

const owner = definePlugin({
  id: "traced-owner",
  name: "Owner",
  version: "1.0.0",
  provides: ["traced"],
  activate(ctx) {
    ctx.provide("traced", ctx.defineHook("traced", "waterfall"));
  },
});
function layer(id: string, traced: (text: string) => Promise<string> | string) {
  return definePlugin({ id, name: id, version: "1.0.0", needs: ["traced"], hooks: () => ({ traced }) });
}

it("publishes each layer of a native hook on a diagnostics channel, with the failure if there was one", async () => {
  const traces: HookTrace[] = [];
  const hear = (trace: unknown) => void traces.push(trace as HookTrace);
  subscribe("scorel.hook", hear);
  try {
    await using t = await testKernel([
      owner,
      layer("upper", (text) => text.toUpperCase()),
      layer("broken", () => {
        throw new Error("no");
      }),
      layer("slow", async (text) => `${text}!`),
    ]);
    expect(await t.kernel.find("traced")?.("hi")).toBe("HI!");
  } finally {
    unsubscribe("scorel.hook", hear);
  }
  const { sessionId } = testHeader;
  const shared = { sessionId, hook: "traced", startedAt: expect.any(Number), endedAt: expect.any(Number) };
  expect(traces).toEqual([
    { ...shared, plugin: "upper" },
    { ...shared, plugin: "broken", error: "no" },
    { ...shared, plugin: "slow" },
  ]);
  expect(traces.every(({ startedAt, endedAt }) => startedAt <= endedAt)).toBe(true);
});
