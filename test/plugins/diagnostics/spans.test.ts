import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import diagnostics from "@scorel/diagnostics";
import { definePlugin } from "@scorel/kernel";
import { afterEach, describe, expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "../agent/setup.ts";

/** Collects the spans of this process, as an SDK does. */
function collector(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return exporter;
}
afterEach(() => trace.disable());

const watcher = definePlugin({
  id: "watcher",
  name: "Watcher",
  version: "1.0.0",
  hooks: () => ({ beforeToolCall: () => undefined }),
});

describe("spans", () => {
  it("record a turn with its rounds, tools and hook layers, by name and duration only", async () => {
    const exporter = collector();
    const look = tool("Look", async () => says("the recipe"));
    {
      await using t = await openAgent([toolCall("Look", { at: "the cellar" }), text("Found.")], {
        tools: [look],
        plugins: [diagnostics, watcher],
      });
      await (await t.agent.send("where is the recipe?")).turn;
      await t.kernel.drained();
    }
    const spans = exporter.getFinishedSpans();
    const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
    const told = spans.map(({ name, parentSpanContext, attributes }) => ({
      name,
      in: names.get(parentSpanContext?.spanId ?? ""),
      attributes,
    }));
    expect(told).toEqual(
      expect.arrayContaining([
        {
          name: "scorel.hook",
          in: expect.stringMatching(/scorel\.(round|turn)/),
          attributes: { "scorel.hook.name": "beforeToolCall", "scorel.plugin.id": "watcher" },
        },
        { name: "scorel.tool", in: "scorel.round", attributes: { "gen_ai.tool.name": "Look" } },
        {
          name: "scorel.turn",
          in: undefined,
          attributes: { "scorel.session.id": expect.any(String), "scorel.turn.reason": "completed" },
        },
      ]),
    );
    expect(told.filter(({ name }) => name === "scorel.round")).toMatchObject([
      { in: "scorel.turn", attributes: { "scorel.round.index": 0, "gen_ai.response.finish_reasons": ["toolUse"] } },
      { in: "scorel.turn", attributes: { "scorel.round.index": 1, "gen_ai.response.finish_reasons": ["stop"] } },
    ]);
    expect(JSON.stringify(told)).not.toMatch(/recipe|cellar|Found/);
  });

  it("mark failures", async () => {
    const exporter = collector();
    const break_ = tool("Break", async () => {
      throw new Error("broken");
    });
    await using t = await openAgent([toolCall("Break", {}), text("It broke.")], {
      tools: [break_],
      plugins: [diagnostics],
    });
    await (await t.agent.send("try it")).turn;
    await t.kernel.drained();
    const failed = exporter.getFinishedSpans().filter(({ status }) => status.code === 2);
    expect(failed.map(({ name }) => name)).toEqual(["scorel.tool"]);
  });

  it("of other plugins belong to the tool call that requested them, or to the active span", async () => {
    const exporter = collector();
    const dig = definePlugin({
      id: "digger",
      name: "Digger",
      version: "1.0.0",
      tools: (ctx) => [
        tool("Dig", async (id: string) => {
          const spans = await ctx.find("spans")?.below(id);
          const span = spans?.begin("dig", { depth: 3, found: undefined });
          span?.end({ name: "NOTHING", message: "only earth" });
          return says("Nothing.");
        }),
      ],
    });
    {
      await using t = await openAgent([toolCall("Dig", {}), text("Nothing there.")], {
        tools: [],
        plugins: [diagnostics, dig],
      });
      await (await t.agent.send("dig")).turn;
      (await t.kernel.find("spans")?.below())?.begin("alone").end();
    }
    const spans = exporter.getFinishedSpans();
    const [found] = spans.filter(({ name }) => name === "dig");
    const parent = spans.find((span) => span.spanContext().spanId === found?.parentSpanContext?.spanId);
    expect([parent?.name, found?.attributes, found?.status]).toEqual([
      "scorel.tool",
      { depth: 3, "scorel.session.id": expect.any(String) },
      { code: 2, message: "only earth" },
    ]);
    expect(found?.events).toMatchObject([
      { name: "exception", attributes: { "exception.type": "NOTHING", "exception.message": "only earth" } },
    ]);
    expect(spans.find(({ name }) => name === "alone")?.parentSpanContext).toBeUndefined();
  });
});
