import { setTimeout as delay } from "node:timers/promises";
import { definePlugin, type FoldCall, type HookCall } from "@scorel/kernel";
import tools from "@scorel/tools";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Ui } from "../../../kernel/types.ts";
import { contained, testKernel } from "../../harness.ts";
import { exposingPlugin, firstOf, open } from "./setup.ts";

declare module "@scorel/kernel" {
  interface Hooks {
    decide(what: string, signal?: AbortSignal): Promise<string | undefined> | string | undefined;
  }
  interface Services {
    oracle: { sure(): Promise<boolean> };
    decider: { decide: HookCall<"decide"> | FoldCall<"decide"> };
  }
}

const decider = definePlugin({
  id: "decider",
  name: "Decider",
  version: "1.0.0",
  provides: ["decider"],
  activate: (ctx) => ctx.provide("decider", { decide: ctx.defineHook("decide", "waterfall") }),
});

/** A plugin with a layer that has a time limit of 30 ms. */
const layer = (id: string, handler: (ui: Ui) => Promise<string | undefined>) =>
  definePlugin({
    id,
    name: id,
    version: "1.0.0",
    needs: ["decider"],
    hooks: (ctx) => ({ decide: { limit: 30, handler: () => handler(ctx.ui) } }),
  });

describe("ctx.ui", () => {
  it("exists in every kernel, and returns defaults without the plugin requests", async () => {
    const told: string[] = [];
    const held: Ui[] = [];
    const plugin = definePlugin({ id: "a", name: "A", version: "1", activate: (ctx) => void held.push(ctx.ui) });
    const quiet = () => {};
    const logger = { debug: quiet, info: quiet, warn: (line: string) => void told.push(line), error: quiet };
    await using _kernel = await testKernel([plugin], { logger });
    const ui = held[0] as Ui;
    ui.notify("Disk is nearly full.", "warning");
    ui.status("busy");
    expect([
      ui.attended,
      await ui.confirm("Sure?"),
      await ui.confirm("Sure?", { default: true }),
      await ui.input("Name?"),
      await ui.select("Which?", ["a", "b"], { default: "b" }),
      told,
    ]).toEqual([false, false, true, undefined, "b", ['Plugin "a": Disk is nearly full.']]);
  });

  it("asks attached clients, and its questions state their default", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const { ui } = t.ctx;
    const where = ui.select(
      "Where\nto?",
      ["staging", { value: "live", label: "Production", needs: "set_permission" }],
      { default: "staging" },
    );
    const first = await firstOf(t.kernel);
    expect(first).toEqual({
      requestId: first.requestId,
      plugin: "asker",
      kind: "select",
      title: "Where to?",
      options: [
        { value: "staging", label: "staging" },
        { value: "live", label: "Production", needs: "set_permission" },
      ],
      fallback: "staging",
    });
    await t.run("answer_request", { requestId: first.requestId, answer: "live" });
    expect(await where).toBe("live");
    const sure = ui.confirm("Sure?", { details: "$ \u001b[2Jrm x" });
    const second = await firstOf(t.kernel);
    expect(second).toMatchObject({
      fallback: "n",
      body: [{ display: "notice", level: "info", text: "$ \u001b[2Jrm x" }],
    });
    await t.run("answer_request", { requestId: second.requestId, answer: "y" });
    expect(await sure).toBe(true);
  });

  it("returns the default immediately and reports it without an answering client", async () => {
    await using t = await open();
    const { ui } = t.ctx;
    expect([await ui.confirm("Sure?"), await ui.input("Name?"), await ui.input("Name?", { default: "Ann" })]).toEqual([
      false,
      undefined,
      "Ann",
    ]);
    expect(await t.told("request_defaulted")).toEqual([
      { type: "request_defaulted", plugin: "asker", kind: "confirm", title: "Sure?", answer: "n" },
      { type: "request_defaulted", plugin: "asker", kind: "input", title: "Name?", answer: null },
      { type: "request_defaulted", plugin: "asker", kind: "input", title: "Name?", answer: "Ann" },
    ]);
    expect(t.stored()).toEqual([]);
  });

  it("infers the types of its answers", () => {
    const ask = (ui: Ui) => ({
      open: ui.select("Which?", ["a", { value: "b", label: "B" }]),
      closed: ui.select("Which?", ["a", "b"], { default: "b" }),
      words: ui.input("Name?"),
      name: ui.input("Name?", { default: "Ann" }),
    });
    expectTypeOf(ask).returns.toEqualTypeOf<{
      open: Promise<"a" | "b" | undefined>;
      closed: Promise<"a" | "b">;
      words: Promise<string | undefined>;
      name: Promise<string>;
    }>();
  });

  it("returns the default when the user dismisses the question", async () => {
    await using t = await open();
    await t.run("attend_requests");
    const which = t.ctx.ui.select("Which?", ["a", "b"]);
    const { requestId } = await firstOf(t.kernel);
    await t.run("answer_request", { requestId, answer: null });
    expect(await which).toBeUndefined();
    expect(t.stored().at(-1)).toMatchObject({ answer: null, reason: "the question was left" });
  });

  it.each([
    ["it offers no answer", []],
    ["it offers no answer", "a, b"],
    ["one of its answers is not a text", ["a", 7]],
    ["two of its answers are the same", ["a", "a"]],
    ['its default "c" is not one of its answers', ["a", "b"]],
  ])("refuses an invalid select: %s", async (reason, choices) => {
    await using t = await open();
    await expect(t.ctx.ui.select("Which?", choices as string[], { default: "c" })).rejects.toMatchObject({
      code: "REQUEST_CHOICES",
      message: expect.stringContaining(reason),
    });
  });

  it("sends notices to attached clients, including earlier ones, without control characters", async () => {
    await using t = await open();
    const { ui } = t.ctx;
    ui.status("one\n\u001b[31mtwo");
    ui.notify("Well.", "warning");
    expect(await t.told("notification", "plugin_status")).toEqual([]);
    expect(await t.run("attend_requests")).toEqual({
      ...{ requests: [], statuses: [{ plugin: "asker", text: "one two", shipped: true }], panels: [] },
    });
    ui.status("one two");
    ui.notify("\u001b]0;title\u0007Done.\u202e");
    ui.status();
    expect(await t.told("notification", "plugin_status")).toEqual([
      { type: "plugin_status", plugin: "asker", text: "one two", shipped: true },
      { type: "notification", plugin: "asker", level: "warning", text: "Well." },
      { type: "notification", plugin: "asker", level: "info", text: "Done.\\u{202e}" },
      { type: "plugin_status", plugin: "asker" },
    ]);
    expect(() => ui.notify("x", "loud" as never)).toThrow(/level/);
    expect(t.stored()).toEqual([]);
  });

  it("says which status texts are those of users' extensions", async () => {
    const extension = exposingPlugin("extension");
    await using t = await open({}, [contained(extension.plugin)]);
    t.ctx.ui.status("busy");
    extension.ctx().ui.status("busy");
    expect((await t.run("attend_requests")).statuses).toEqual([
      { plugin: "asker", text: "busy", shipped: true },
      { plugin: "extension", text: "busy" },
    ]);
  });

  it("attributes a service's questions to the plugin that provides it", async () => {
    const provider = definePlugin({
      id: "oracle",
      name: "Oracle",
      version: "1.0.0",
      provides: ["oracle"],
      activate: (ctx) => ctx.provide("oracle", { sure: () => ctx.ui.confirm("Sure?") }),
    });
    await using t = await open({}, [provider]);
    await t.run("attend_requests");
    const sure = t.ctx.find("oracle")?.sure();
    const { plugin, requestId } = await firstOf(t.kernel);
    await t.run("answer_request", { requestId, answer: "y" });
    expect([plugin, await sure]).toEqual(["oracle", true]);
  });

  it("a panel is announced when it changes, in a limited number of short lines, and ends with its plugin", async () => {
    await using t = await open();
    const { ui } = t.ctx;
    ui.panel(["one\n\u001b[31mtwo", "x".repeat(300)]);
    expect((await t.run("attend_requests")).panels).toEqual([
      { plugin: "asker", lines: ["one two", `${"x".repeat(199)}…`] },
    ]);
    ui.panel(["one two", "x".repeat(300)]);
    ui.panel(Array.from({ length: 9 }, (_, at) => `line ${at}`));
    ui.panel([]);
    expect((await t.told("plugin_panel")).slice(1)).toEqual([
      {
        type: "plugin_panel",
        plugin: "asker",
        lines: ["line 0", "line 1", "line 2", "line 3", "line 4", "… 4 more"],
      },
      { type: "plugin_panel", plugin: "asker" },
    ]);
  });

  it("ends with its plugin: clears the status and answers open questions with their defaults", async () => {
    const other = exposingPlugin("other");
    await using t = await open({}, [other.plugin]);
    await t.run("attend_requests");
    const { ui } = other.ctx();
    const before = t.kernel.census();
    ui.status("busy");
    const sure = ui.confirm("Sure?", { default: true });
    await firstOf(t.kernel);
    expect(t.kernel.census()).toEqual(before);
    await t.kernel.unload("other");
    expect([await sure, await ui.confirm("Still?"), await t.run("list_requests")]).toEqual([
      true,
      false,
      { requests: [], statuses: [], panels: [] },
    ]);
    ui.status("late");
    expect((await t.told("plugin_status")).at(-1)).toEqual({ type: "plugin_status", plugin: "other" });
    expect(t.stored().at(-1)).toMatchObject({ answer: null, reason: "its plugin stopped" });
  });

  it("does not keep a session that waits for an answer from closing", async () => {
    const waiting = definePlugin({
      id: "waiting",
      name: "Waiting",
      version: "1.0.0",
      onEvent: async ({ type }, ctx) => {
        if (type === "prompt_submit") await ctx.ui.confirm("Sure?");
      },
    });
    const t = await open({}, [waiting]);
    await t.run("attend_requests");
    t.session.emit("prompt_submit", { prompt: "hi" });
    await firstOf(t.kernel);
    t.session.emit("session_end", { reason: "closed" });
    await t[Symbol.asyncDispose]();
    expect([t.kernel.failures, t.stored().at(-1)]).toMatchObject([[], { reason: "the session was closed" }]);
  });
});

describe("a question asked by a hook layer", () => {
  const limited = [{ code: "HOOK_LIMIT" }];

  it("pauses the layer's time limit, even without its signal", async () => {
    const asking = layer("asking", async (ui) => ((await ui.confirm("Sure?")) ? "sure" : undefined));
    await using t = await open({}, [decider, asking]);
    await t.run("attend_requests");
    const decided = t.kernel.find("decider")?.decide("well");
    const { requestId } = await firstOf(t.kernel);
    await delay(60);
    await t.run("answer_request", { requestId, answer: "y" });
    expect([await decided, t.kernel.failures]).toEqual(["sure", []]);
  });

  it("does not pause the time limits of other plugins", async () => {
    const slow = layer("slow", () => delay(100, "late"));
    await using t = await open({}, [decider, slow]);
    await t.run("attend_requests");
    const sure = t.ctx.ui.confirm("Sure?", { default: true });
    await firstOf(t.kernel);
    expect(await t.kernel.find("decider")?.decide("well")).toBe("well");
    expect(t.kernel.failures).toMatchObject(limited);
    await t.run("attend_requests", { attending: false });
    expect(await sure).toBe(true);
  });

  it("resumes the time limit when it is answered", async () => {
    const slow = layer("slow", async (ui) => {
      await ui.confirm("Sure?");
      return delay(100, "late");
    });
    await using t = await open({}, [decider, slow]);
    await t.run("attend_requests");
    const decided = t.kernel.find("decider")?.decide("well");
    await t.run("answer_request", { requestId: (await firstOf(t.kernel)).requestId, answer: "y" });
    expect(await decided).toBe("well");
    expect(t.kernel.failures).toMatchObject(limited);
  });

  it("is withdrawn when the layer's operation is cancelled", async () => {
    const seen: unknown[] = [];
    const asking = layer("asking", async (ui) => {
      await ui.confirm("Sure?", { default: true }).then(
        () => seen.push("went on"),
        (thrown: Error) => seen.push(thrown.message),
      );
      return undefined;
    });
    await using t = await open({}, [decider, asking]);
    await t.run("attend_requests");
    const control = new AbortController();
    const decided = t.kernel.find("decider")?.decide("well", control.signal);
    await firstOf(t.kernel);
    control.abort(new Error("cancelled"));
    await expect(decided).rejects.toThrow("cancelled");
    await expect.poll(() => seen).toEqual(["cancelled"]);
    expect(t.stored().at(-1)).toMatchObject({ answer: null, reason: "it was withdrawn" });
  });
});

describe("a question asked by a tool", () => {
  it("is withdrawn when the call is cancelled, even without its signal", async () => {
    const deploy = definePlugin({
      id: "deploy",
      name: "Deploy",
      version: "1.0.0",
      tools: (ctx) => [
        {
          name: "Deploy",
          description: "deploys",
          parameters: { type: "object", properties: {} },
          async execute() {
            const sure = await ctx.ui.confirm("Sure?", { default: true });
            return { content: [{ type: "text", text: String(sure) }] };
          },
        },
      ],
    });
    await using t = await open({}, [tools, deploy]);
    await t.run("attend_requests");
    const tool = t.kernel.find("tools")?.get("Deploy");
    const call = (signal: AbortSignal) => tool?.execute("call1", tool.validate({}), signal);
    const control = new AbortController();
    const cancelled = call(control.signal);
    const first = await firstOf(t.kernel);
    control.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
    await expect(t.run("answer_request", { requestId: first.requestId, answer: "y" })).rejects.toMatchObject({
      code: "REQUEST_CLOSED",
    });
    const answered = call(new AbortController().signal);
    await t.run("answer_request", { requestId: (await firstOf(t.kernel)).requestId, answer: "n" });
    expect((await answered)?.content).toEqual([{ type: "text", text: "false" }]);
  });
});
