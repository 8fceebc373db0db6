import type { AnyPlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { contained } from "../../harness.ts";
import { text, toolCall } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

const MANY = 100_000;
const own = (more: Partial<AnyPlugin>) => [contained(extension("wild", more))];

describe("an extension that sends endless messages", () => {
  it.each(["steer", "followUp"] as const)("is refused further ones (%s) by name, and the turn ends", async (way) => {
    const beforeToolCall = async (_call: unknown, ctx: any) => {
      for (let n = 0; n < MANY; n++) ctx.agent[way](`message ${n}`);
    };
    const plugins = own({ hooks: (ctx) => ({ beforeToolCall: (call) => beforeToolCall(call, ctx) as never }) });
    const tools = [tool("echo", async () => says("echoed"))];
    await using a = await openAgent([toolCall("echo", {}), text("done"), ...Array(3_000).fill(text("again"))], {
      tools,
      plugins,
    });
    const { turn } = await a.agent.send("go");
    const waits = await a.next(({ type }) => type === "tool_execution_end");
    expect(waits.isError).toBe(false);
    const waiting = a.session.projection("queue").length;
    expect(waiting).toBeGreaterThan(100);
    expect(waiting).toBeLessThan(2_000);
    if (way === "followUp") await a.agent.rewriteQueue([]);
    expect(await turn).toMatchObject({ reason: "completed" });
    expect(a.kernel.failures.map(({ plugin, where, code }) => `${plugin} ${where} ${code}`)).toEqual([
      `wild agent.${way} PLUGIN_FLOOD`,
      "wild beforeToolCall PLUGIN_FLOOD",
    ]);
  });
});

describe("a tool that sends endless updates", () => {
  it("is reported at intervals, and its last update is delivered", async () => {
    const chatty = tool("chatty", async (_id, _params, _signal, update) => {
      for (let n = 0; n < MANY; n++) update?.(says(`${n}`));
      return says("all told");
    });
    await using a = await openAgent([toolCall("chatty", {}), text("done")], { tools: [chatty] });
    await a.agent.prompt("go");
    const heard = (await a.heard()).filter(({ type }) => type === "tool_execution_update");
    expect(heard.length).toBeLessThan(100);
    expect(a.server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "all told" });
  });
});
