import { definePlugin } from "@scorel/kernel";
import tools from "@scorel/tools";
import type { Tool, ToolOutput, ToolWrapper } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import { contained, testKernel } from "../harness.ts";

const says = (text: string): ToolOutput => ({ content: [{ type: "text", text }] });
const parameters = { type: "object", properties: {}, additionalProperties: true };
const echo: Tool = {
  name: "echo",
  description: "Repeats its arguments",
  parameters,
  execute: async (_id, params) => says(JSON.stringify(params)),
};
const toolbox = definePlugin({ id: "toolbox", name: "Toolbox", version: "1.0.0", tools: () => [echo] });

function wrapping(id: string, toolWrappers: unknown) {
  return contained(
    definePlugin({ id, name: id, version: "1.0.0", toolWrappers: () => toolWrappers as Record<string, ToolWrapper> }),
  );
}

/** Runs `echo` with `{ n: 1 }` inside these wrappers. Returns its result, failures and updates. */
async function runInside(wrappers: Record<string, unknown>, signal?: AbortSignal) {
  const plugins = Object.entries(wrappers).map(([id, given]) => wrapping(id, given));
  await using t = await testKernel([tools, toolbox, ...plugins]);
  const tool = t.kernel.find("tools")?.get("echo");
  const updates: ToolOutput[] = [];
  const run = async () =>
    tool?.execute("call1", tool.validate({ n: 1 }), signal, (partial) => void updates.push(partial));
  const result = await run().catch((thrown: Error & { code?: string }) => thrown.code ?? thrown.message);
  return { result, updates, failures: t.kernel.failures.map(({ plugin, code }) => [plugin, code]) };
}

const suffix =
  (text: string): ToolWrapper =>
  async (_call, next) => {
    const [block] = (await next()).content;
    return says(`${block?.type === "text" && block.text} ${text}`);
  };

describe("a wrapper around a tool", () => {
  it("sees the call with its arguments, and changes the result; the first plugin's is the outermost", async () => {
    const seen: unknown[] = [];
    const look: ToolWrapper = (call, next) => {
      const { signal: _, update: __, ...rest } = call;
      seen.push(rest);
      return next();
    };
    expect(
      await runInside({ one: { echo: suffix("one") }, two: { "*": suffix("two") }, three: { echo: look } }),
    ).toEqual({
      result: says('{"n":1} two one'),
      updates: [],
      failures: [],
    });
    expect(seen).toEqual([{ toolCallId: "call1", tool: "echo", params: { n: 1 } }]);
  });

  it("may run the tool again, answer by itself, and show progress", async () => {
    const twice: ToolWrapper = async (_call, next) => says(JSON.stringify([await next(), await next()].length));
    const cached: ToolWrapper = (call) => {
      call.update(says("looking it up"));
      return says("from the cache");
    };
    expect(await runInside({ one: { echo: twice } })).toMatchObject({ result: says("2") });
    expect(await runInside({ one: { echo: cached } })).toEqual({
      result: says("from the cache"),
      updates: [says("looking it up")],
      failures: [],
    });
  });

  it("cannot change the arguments that were approved", async () => {
    const change: ToolWrapper = (call, next) => {
      Object.assign(call, { params: { n: 2 } });
      return next();
    };
    const inside: ToolWrapper = (call, next) => {
      Object.assign(call.params as object, { n: 2 });
      return next();
    };
    for (const wrapper of [change, inside])
      expect(await runInside({ one: { echo: wrapper } })).toMatchObject({
        result: { isError: true, details: { code: "TOOL_WRAPPER" } },
      });
  });

  it("of another tool does not run", async () => {
    expect(await runInside({ one: { other: suffix("wrong") } })).toMatchObject({ result: says('{"n":1}') });
  });

  it("that throws fails the call and names its plugin, every time", async () => {
    const fails: ToolWrapper = () => {
      throw new Error("no connection");
    };
    await using t = await testKernel([tools, toolbox, wrapping("one", { echo: fails })]);
    const tool = t.kernel.find("tools")?.get("echo");
    for (let n = 0; n < 5; n++)
      expect(await tool?.execute("call1", {}, undefined)).toEqual({
        ...says('The wrapper of plugin "one" around echo failed: no connection'),
        isError: true,
        details: { code: "TOOL_WRAPPER" },
      });
  });

  it("does not start the tool after an abort, and is not waited for", async () => {
    const control = new AbortController();
    let next: (() => Promise<ToolOutput>) | undefined;
    const late: ToolWrapper = (_call, run) => {
      next = run;
      control.abort(new Error("stop"));
      return new Promise(() => {});
    };
    expect(await runInside({ one: { echo: late } }, control.signal)).toMatchObject({ result: "TOOL_CANCELLED" });
    await expect(next?.()).rejects.toThrow("stop");
  });

  it("that is not a function is left out and reported, and the others run", async () => {
    expect(await runInside({ one: { echo: "no", "*": suffix("kept") }, two: [] })).toEqual({
      result: says('{"n":1} kept'),
      updates: [],
      failures: [
        ["one", "TOOL_WRAPPERS"],
        ["two", "TOOL_WRAPPERS"],
      ],
    });
  });
});
