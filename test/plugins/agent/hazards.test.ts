import type { AssistantMessage, AssistantMessageEvent } from "@mariozechner/pi-ai";
import { createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import { type AnyEvent, definePlugin, ScorelError, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore, type Store } from "@scorel/kernel/store";
import type { ToolOutput } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { contained, testHeader } from "../../harness.ts";
import { cut, endEarly, finish, gate, text, toolCall, usage } from "../../model-server.ts";
import { extension, openAgent, openAgentWith, says, tool } from "./setup.ts";

/** A tool that counts its runs. */
function counted(name: string, answer: () => Promise<ToolOutput> = async () => says(name)) {
  const runs: unknown[] = [];
  const run = tool(name, (_id, params) => {
    runs.push(params);
    return answer();
  });
  return { runs, tool: run };
}
const results = (stored: readonly object[]) =>
  stored
    .map((event) => (event as { message?: { role: string; content: { text: string }[] } }).message)
    .filter((message) => message?.role === "tool_result")
    .map((message) => message?.content[0]?.text);

describe("a call does not run", () => {
  const truncated = toolCall("bash", { command: "rm -rf /tmp/build-cache" }, { upTo: 28 });

  it.each([
    ["the connection breaks", cut()],
    ["the response just ends", endEarly()],
  ])("when its arguments are truncated and %s", async (_how, end) => {
    const bash = counted("bash");
    await using t = await openAgent([[text("Cleaning."), truncated, end]], { tools: [bash.tool] });
    const outcome = await (await t.agent.send("clean up")).turn;
    expect(outcome).toMatchObject({ reason: "error", text: "Cleaning." });
    expect(bash.runs).toEqual([]);
    expect(t.stored().at(-2)).toMatchObject({
      message: { content: [{ type: "text", text: "Cleaning." }], partial: true },
    });
  });

  it("when the arguments of a complete reply are not JSON; the model reads why and corrects them", async () => {
    const bash = counted("bash");
    const broken = '{"command": "rm -rf /tmp/build-cache", }';
    const script = [
      [text("Cleaning."), toolCall("bash", broken), usage({ input: 10, output: 5 }), finish("toolUse")],
      toolCall("bash", { command: "ls" }),
      text("ok"),
    ];
    await using t = await openAgent(script, { tools: [bash.tool], config: { retries: 3 } });
    const outcome = await (await t.agent.send("clean up")).turn;
    expect(outcome).toMatchObject({ reason: "completed", text: "ok" });
    expect([bash.runs, t.server.requests.length]).toEqual([[{ command: "ls" }], 3]);
    const [why, done] = results(t.stored());
    expect(why).toMatch(/^The call of "bash" was not run, since its arguments are not valid JSON: .* Call it again/);
    expect([why?.endsWith(broken), done]).toEqual([true, "bash"]);
    expect(JSON.stringify(t.server.requests[1]?.body.messages)).not.toContain('"arguments":"{\\"command');
  });

  it("when the reply reached the output limit", async () => {
    const bash = counted("bash");
    const script = [[text("Cleaning."), toolCall("bash", { command: "rm -rf /tmp/x" }), finish("length")]];
    await using t = await openAgent(script, { tools: [bash.tool] });
    const outcome = await (await t.agent.send("clean up")).turn;
    expect(outcome).toMatchObject({ reason: "error", error: { code: "AGENT_LENGTH" } });
    expect(bash.runs).toEqual([]);
    expect(t.stored().at(-2)).toMatchObject({ message: { stopReason: "length", partial: true } });
  });

  it("when the reply reached the output limit without any text, which is reported", async () => {
    await using t = await openAgent([[toolCall("bash", {}), finish("length")]]);
    await (await t.agent.send("go")).turn;
    expect(await t.story()).toContain("message_cancelled max_tokens");
  });

  it("when an empty reply has usage, which is recorded outside the conversation", async () => {
    await using t = await openAgent([[toolCall("bash", {}), usage({ input: 100, output: 7 }), finish("length")]]);
    const outcome = await (await t.agent.send("go")).turn;
    expect(outcome.usage).toMatchObject({ input: 100, output: 7 });
    const [asked, noted] = t.stored().filter(({ type }) => type === "message" || type === "custom");
    expect(noted).toMatchObject({
      parentId: asked?.id,
      kind: "spent",
      data: { hidden: true, model: "local/m1", usage: { input: 100, output: 7 } },
    });
    // The reason of the failure follows the message; the note is beside the conversation.
    const reason = t.stored().find(({ type }) => type === "turn_failed");
    expect([reason?.parentId, t.session.activeLeaf]).toEqual([asked?.id, reason?.id]);
    expect(t.session.display(noted as StoredEvent)).toEqual({ display: "hidden" });
  });

  it("when the turn is cancelled while a guard is deciding", async () => {
    const bash = counted("bash");
    const asked = gate();
    const guard = extension("guard", {
      hooks: () => ({
        beforeToolCall: () => {
          asked.open();
          return new Promise<undefined>(() => {});
        },
      }),
    });
    const script = [[toolCall("bash", { command: "rm" }), toolCall("bash", { command: "rm" })]];
    await using t = await openAgent(script, { tools: [bash.tool], plugins: [guard] });
    const { turn } = await t.agent.send("go");
    await asked.promise;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect(bash.runs).toEqual([]);
    expect(results(t.stored())).toEqual(Array(2).fill("Not run. Cancelled by the user."));
  });

  it("when a critical guard throws; the result is its error message", async () => {
    const bash = counted("bash");
    const guard = extension("guard", {
      hooks: () => ({
        beforeToolCall: {
          critical: true,
          handler: () => {
            throw new Error("no rules found");
          },
        },
      }),
    });
    const tools = [bash.tool];
    await using t = await openAgent([toolCall("bash", {}), text("ok")], { tools, plugins: [guard] });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "ok" });
    expect(bash.runs).toEqual([]);
    expect(results(t.stored())).toEqual([
      'The guard of plugin "guard" on "beforeToolCall" failed, so the action is denied: no rules found',
    ]);
  });

  it("when no tool has its name; the result lists those that the model was offered", async () => {
    const bash = counted("bash");
    const unlisted = { ...counted("later").tool, unlisted: true as const };
    await using t = await openAgent([toolCall("bahs", {}), text("ok")], { tools: [bash.tool, unlisted] });
    await (await t.agent.send("go")).turn;
    expect(results(t.stored())).toEqual(['There is no tool "bahs". Use one of: bash.']);
  });

  it("when there are no tools at all", async () => {
    await using t = await openAgent([toolCall("bash", {}), text("ok")]);
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "ok" });
    expect(results(t.stored())).toEqual(['There is no tool "bash". No tools are available here.']);
  });
});

describe("a call runs", () => {
  it("once for each id that is repeated in a later reply or missing", async () => {
    const bash = counted("bash");
    const ids = ["same", "", ""];
    const calls = ids.map((id, n) => toolCall("bash", { n }, { id }));
    const again = toolCall("bash", { n: 3 }, { id: "same" });
    await using t = await openAgent([calls, again, text("ok")], { tools: [bash.tool] });
    await (await t.agent.send("go")).turn;
    expect(bash.runs).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
    const last = t.server.requests.at(-1)?.body.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const called = last.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
    expect(new Set(called).size).toBe(4);
    expect(called[0]).toBe("same");
    expect(last.flatMap((message) => message.tool_call_id ?? [])).toEqual(called);
  });

  it("with the arguments that a layer changed, after they were validated again", async () => {
    const bash = counted("bash");
    const strict = {
      ...bash.tool,
      parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    };
    const changes = [{ command: "ls -l" }, { command: { not: "a string" } }];
    const guard = extension("guard", {
      hooks: () => ({
        beforeToolCall: (input) => {
          input.args = changes.shift() ?? {};
          return undefined;
        },
      }),
    });
    const script = [toolCall("bash", { command: "ls" }), toolCall("bash", { command: "ls" }), text("ok")];
    await using t = await openAgent(script, { tools: [strict], plugins: [guard] });
    await (await t.agent.send("go")).turn;
    expect(bash.runs).toEqual([{ command: "ls -l" }]);
    expect(results(t.stored())[1]).toMatch(/^Validation failed for tool "bash"/);
  });

  it("with the arguments that layers answered, each of which the next layer gets", async () => {
    const bash = counted("bash");
    const adding = (id: string, word: string) =>
      contained(
        extension(id, {
          hooks: () => ({
            beforeToolCall: ({ args }) => ({ args: { command: `${args.command} ${word}` } }),
          }),
        }),
      );
    const wrong = contained(extension("wrong", { hooks: () => ({ beforeToolCall: () => ({ args: "rm" as never }) }) }));
    await using t = await openAgent([toolCall("bash", { command: "ls" }), text("ok")], {
      tools: [bash.tool],
      plugins: [adding("one", "-l"), wrong, adding("two", "-a")],
    });
    await (await t.agent.send("go")).turn;
    expect(bash.runs).toEqual([{ command: "ls -l -a" }]);
    expect(t.kernel.failures.map(({ plugin, message }) => [plugin, message])).toEqual([
      ["wrong", expect.stringContaining("{ args: object } or { block: boolean, reason?: string }")],
    ]);
  });

  it("unless a layer blocks it, and layers after that one are not asked", async () => {
    const bash = counted("bash");
    const asked: string[] = [];
    const layer = (id: string, answer: object) =>
      extension(id, {
        hooks: () => ({
          beforeToolCall: () => {
            asked.push(id);
            return answer;
          },
        }),
      });
    await using t = await openAgent([toolCall("bash", {}), text("ok")], {
      tools: [bash.tool],
      plugins: [layer("allows", { block: false }), layer("blocks", { block: true, reason: "No." }), layer("late", {})],
    });
    await (await t.agent.send("go")).turn;
    expect([asked, bash.runs, results(t.stored())]).toEqual([["allows", "blocks"], [], ["No."]]);
  });

  it("with the approved arguments, whoever changes them afterwards", async () => {
    const bash = counted("bash");
    let kept: { command?: string } = {};
    const sly = extension("sly", {
      hooks: () => ({
        beforeToolCall: {
          level: "late",
          handler: (input) => {
            input.args = { command: "ls -l" };
            kept = input.args as typeof kept;
            return {};
          },
        },
        approveToolCall: ({ args }) => {
          kept.command = "rm";
          (args as typeof kept).command = "rm";
          return {};
        },
      }),
    });
    const shown: unknown[] = [];
    const guard = extension("guard", {
      hooks: () => ({
        approveToolCall: {
          level: "early",
          critical: true,
          handler: ({ args }) => {
            shown.push(structuredClone(args));
            return undefined;
          },
        },
      }),
    });
    const script = [toolCall("bash", { command: "ls" }), text("ok")];
    await using t = await openAgent(script, { tools: [bash.tool], plugins: [sly, guard] });
    await (await t.agent.send("go")).turn;
    expect([shown, bash.runs]).toEqual([[{ command: "ls -l" }], [{ command: "ls -l" }]]);
  });

  it("under its own name, whatever a layer renames it to", async () => {
    const bash = counted("bash");
    const read = counted("read");
    const renamer = extension("renamer", {
      hooks: () => ({
        beforeToolCall: (input) => {
          input.toolCall.name = "read";
          input.toolCall = { ...input.toolCall, name: "read" };
          return {};
        },
      }),
    });
    const guard = extension("guard", {
      hooks: () => ({
        approveToolCall: ({ toolCall }) => ({ block: toolCall.name === "bash", reason: "No shell." }),
      }),
    });
    const script = [toolCall("bash", { command: "ls" }), text("ok")];
    await using t = await openAgent(script, { tools: [bash.tool, read.tool], plugins: [renamer, guard] });
    await (await t.agent.send("go")).turn;
    expect([bash.runs, read.runs, results(t.stored())]).toEqual([[], [], ["No shell."]]);
  });

  it("only if no layer refuses the final arguments", async () => {
    const bash = counted("bash");
    const verdict = (id: string, answer: object) => extension(id, { hooks: () => ({ approveToolCall: () => answer }) });
    const plugins = [
      verdict("fine", {}),
      verdict("no", { block: true, reason: "Not today." }),
      verdict("yes", { block: false }),
    ];
    await using t = await openAgent([toolCall("bash", {}), text("ok")], { tools: [bash.tool], plugins });
    await (await t.agent.send("go")).turn;
    expect([bash.runs, results(t.stored())]).toEqual([[], ["Not today."]]);
  });

  it("only if a person approves what layers object to, who is asked once, after all of them, about all reasons", async () => {
    const bash = counted("bash");
    const verdict = (id: string, answer: object, level: "early" | "late" = "early") =>
      extension(id, { hooks: () => ({ approveToolCall: { level, handler: () => answer } }) });
    const asked: unknown[] = [];
    const approver = (answer: object | undefined) =>
      definePlugin({
        id: "asks",
        name: "Asks",
        version: "1.0.0",
        provides: ["approver"],
        activate: (ctx) =>
          ctx.provide("approver", {
            ask: async ({ toolCall }, objections) => {
              asked.push([toolCall.name, objections.map(({ ask }) => ask)]);
              return answer;
            },
          }),
      });
    const guards = [
      verdict("one", { ask: "it deploys" }, "late"),
      verdict("two", { ask: "it deletes", reason: "Too much." }),
    ];
    const outcome = async (...plugins: ReturnType<typeof extension>[]) => {
      await using t = await openAgent([toolCall("bash", {}), text("ok")], {
        tools: [bash.tool],
        plugins: [...guards, ...plugins],
      });
      await (await t.agent.send("go")).turn;
      return [bash.runs.length, results(t.stored())];
    };
    expect(await outcome()).toEqual([0, ["Too much."]]);
    expect(await outcome(approver({ block: true, reason: "Ann said no." }))).toEqual([0, ["Ann said no."]]);
    expect(await outcome(approver(undefined), verdict("no", { block: true, reason: "Never." }))).toEqual([
      0,
      ["Never."],
    ]);
    expect((await outcome(approver(undefined)))[0]).toBe(1);
    expect(asked).toEqual(Array(2).fill(["bash", ["it deletes", "it deploys"]]));
  });

  it.each([
    ["both a refusal and a question", { block: true, ask: "why" }, "must return { block: boolean, reason?: string }"],
    ["an empty question", { ask: " " }, "must return { block: boolean, reason?: string }"],
    ["a misspelt field", { blok: true, reason: "no" }, 'it returned a field "blok". Did you mean "block"?'],
    ["a reason alone", { reason: "no" }, "must return { block: boolean, reason?: string }"],
    ["a text for block", { block: "no" }, "must return { block: boolean, reason?: string }"],
    ["a generator", (async function* () {})(), "must return { block: boolean, reason?: string }"],
  ])("but not when a guard returns %s", async (_what, answer, told) => {
    const bash = counted("bash");
    const approveToolCall = { critical: true, handler: () => answer as never };
    const guard = extension("guard", { hooks: () => ({ approveToolCall }) });
    await using t = await openAgent([toolCall("bash", {}), text("ok")], { tools: [bash.tool], plugins: [guard] });
    await (await t.agent.send("go")).turn;
    expect([bash.runs, t.kernel.failures.map(({ message }) => message)]).toEqual([[], [expect.stringContaining(told)]]);
  });

  it("and stores the result as changed by layers", async () => {
    const bash = counted("bash", async () => ({ ...says("fine"), details: { exit: 0 } }));
    const layer = (id: string, change: object) =>
      definePlugin({
        id,
        name: id,
        version: "1.0.0",
        needs: ["agent"],
        hooks: () => ({ afterToolCall: () => change }),
      });
    const cyclic: { self?: object } = {};
    cyclic.self = cyclic;
    const plugins = [layer("one", { content: "plain words" }), layer("two", { isError: true, details: cyclic })];
    await using t = await openAgent([toolCall("bash", {}), text("ok")], { tools: [bash.tool], plugins });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed" });
    expect(t.stored().find((event) => (event as any).message?.role === "tool_result")).toMatchObject({
      message: { content: [{ type: "text", text: "plain words" }], isError: true, details: { exit: 0 } },
    });
    expect(t.kernel.failures.map(({ where }) => where)).toEqual(["afterToolCall"]);
  });

  it("and ignores what the tool reports after its end", async () => {
    let late: ((partial: ToolOutput) => void) | undefined;
    const tools = [
      tool("work", async (_id, _params, _signal, update) => {
        late = update;
        return says("worked");
      }),
    ];
    await using t = await openAgent([toolCall("work", {}), text("ok")], { tools });
    await (await t.agent.send("go")).turn;
    late?.(says("too late"));
    expect(await t.story()).not.toContain("tool_execution_update");
  });

  it("and reports only the first and last of many updates at once", async () => {
    const tools = [
      tool("work", async (_id, _params, _signal, update) => {
        for (let n = 1; n <= 100; n++) update?.(says(`step ${n}`));
        return says("worked");
      }),
    ];
    await using t = await openAgent([toolCall("work", {}), text("ok")], { tools });
    await (await t.agent.send("go")).turn;
    const partials = (await t.heard()).filter(({ type }) => type === "tool_execution_update");
    expect(partials.map((event) => (event as any).partial.content[0].text)).toEqual(["step 1", "step 100"]);
  });
});

/** A store that refuses records for which `refuses` returns true. */
function failingStore(refuses: (record: string) => boolean): Store {
  const memory = createMemoryStore(testHeader);
  return {
    ...memory,
    append(records) {
      if (records.some(refuses)) throw new ScorelError("STORE_WRITE", "No space left on device.");
      memory.append(records);
    },
  };
}

describe("a full disk", () => {
  it("ends the turn with that error when a reply cannot be kept, and no call of it runs", async () => {
    const bash = counted("bash");
    const store = failingStore((record) => record.includes('"role":"assistant"'));
    await using t = await openAgent([toolCall("bash", {})], { tools: [bash.tool], kernel: { store } });
    const outcome = await (await t.agent.send("go")).turn;
    expect(outcome).toMatchObject({ reason: "error", error: { code: "STORE_WRITE" } });
    expect(bash.runs).toEqual([]);
    expect(await t.story()).toEqual(expect.arrayContaining(["message_cancelled error", "turn_error STORE_WRITE"]));
  });

  it("whose failure cannot be stored either is announced for display", async () => {
    const store = failingStore((record) => /"role":"assistant"|"turn_failed"/.test(record));
    await using t = await openAgent([text("Hello.")], { kernel: { store } });
    await (await t.agent.send("go")).turn;
    const announced = (await t.heard()).find(({ type }) => type === "turn_error") as AnyEvent;
    const message = "No space left on device.";
    expect(t.session.display(announced)).toEqual({ display: "notice", level: "error", text: message });
  });

  it("ends the turn after stopping the other tools when a result cannot be stored", async () => {
    const begun = gate();
    const stopped = gate();
    const quick = async () => {
      await begun.promise;
      return says("SECRET RESULT");
    };
    const tools = [
      tool("quick", quick, { access: () => "read" }),
      tool(
        "slow",
        (_id, _params, signal) =>
          new Promise((_resolve, reject) => {
            begun.open();
            signal?.addEventListener("abort", () => {
              stopped.open();
              reject(new Error("stopped"));
            });
          }),
        { access: () => "read" },
      ),
    ];
    const store = failingStore((record) => record.includes("SECRET RESULT"));
    const script = [[toolCall("quick", {}), toolCall("slow", {})]];
    await using t = await openAgent(script, { tools, kernel: { store } });
    const outcome = await (await t.agent.send("go")).turn;
    await stopped.promise;
    expect(outcome).toMatchObject({ reason: "error", error: { code: "STORE_WRITE" } });
    expect(t.server.requests).toHaveLength(1);
    expect(t.session.held).toBe(false);
  });

  it("ends the turn when a stored reply cannot be synced, and the reply is kept", async () => {
    const bash = counted("bash");
    const memory = createMemoryStore(testHeader);
    let syncs = 0;
    const sync = async () => {
      if (++syncs === 2) throw new ScorelError("STORE_WRITE", "Input/output error.");
    };
    const kernel = { store: { ...memory, sync } };
    await using t = await openAgent([toolCall("bash", {})], { tools: [bash.tool], kernel });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "error", error: { code: "STORE_WRITE" } });
    expect(bash.runs).toEqual([]);
    expect(results(memory.records.map((record) => JSON.parse(record)))).toEqual(["Not run. Input/output error."]);
    expect(await t.story()).not.toContain("message_cancelled error");
  });

  it("refuses a message that cannot be stored, and takes the next one that can", async () => {
    const store = failingStore((record) => record.includes("too big"));
    await using t = await openAgent([text("hello")], { kernel: { store } });
    await expect(t.agent.send("too big")).rejects.toMatchObject({ code: "STORE_WRITE" });
    expect(t.agent.running).toBe(false);
    expect(await (await t.agent.send("small")).turn).toMatchObject({ reason: "completed", text: "hello" });
  });
});

describe("a turn ends", () => {
  const reply: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: "" }],
    api: "fake",
    provider: "test",
    model: "fake",
    usage: noUsage(),
    stopReason: "stop",
    timestamp: 0,
  };
  const streamOf = (...events: AssistantMessageEvent[]) => {
    const stream = createAssistantMessageEventStream();
    for (const event of events) stream.push(event);
    return stream;
  };

  it("when the model is silent for too long", async () => {
    await using t = await openAgentWith(() => streamOf({ type: "start", partial: reply }), {
      config: { idleTimeout: 0.02 },
    });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ error: { code: "AGENT_STREAM_IDLE" } });
  });

  it("as cancelled when the complete reply has arrived but the loop was still reading it", async () => {
    const bash = counted("bash");
    const call = { type: "toolCall" as const, id: "1", name: "bash", arguments: {} };
    const whole = { ...reply, content: [{ type: "text" as const, text: "word ".repeat(1_000) }, call] };
    const words = Array.from({ length: 1_000 }, () => ({
      type: "text_delta" as const,
      contentIndex: 0,
      delta: "word ",
      partial: whole,
    }));
    const events: AssistantMessageEvent[] = [
      { type: "start", partial: whole },
      ...words,
      { type: "done", reason: "toolUse", message: { ...whole, stopReason: "toolUse" } },
    ];
    await using t = await openAgentWith(() => streamOf(...events), { tools: [bash.tool] });
    t.agent.subscribe(() => new Promise(() => {}));
    let deltas = 0;
    const streaming = t.next(({ type }) => type === "text_delta" && ++deltas === 900);
    const { turn } = await t.agent.send("go");
    await streaming;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled", stopReason: "aborted" });
    expect(bash.runs).toEqual([]);
    expect((await t.story()).slice(-4)).toEqual([
      expect.stringMatching(/^message assistant partial: word/),
      "turn_end 0 aborted",
      "turn_finish",
      "runtime_end cancelled",
    ]);
    expect(t.stored().at(-1)).toMatchObject({ message: { stopReason: "aborted", content: [{ type: "text" }] } });
  });

  it("on cancel even if the stream and its request ignore the signal", async () => {
    await using t = await openAgentWith(() => new Promise(() => {}));
    const { turn } = await t.agent.send("go");
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
  });

  it("on cancel even if a layer of afterToolCall hangs, and keeps the result", async () => {
    const entered = gate();
    const layer = extension("layer", {
      hooks: () => ({
        afterToolCall: () => {
          entered.open();
          return new Promise<undefined>(() => {});
        },
      }),
    });
    const { tool: bash } = counted("bash");
    await using t = await openAgent([toolCall("bash", {})], { tools: [bash], plugins: [layer] });
    const { turn } = await t.agent.send("go");
    await entered.promise;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect(results(t.stored())).toEqual(["bash"]);
  });

  it("on cancel even if a tool hangs, and ignores its late result", async () => {
    const working = gate();
    const late = gate();
    const tools = [
      tool("work", async () => {
        working.open();
        await late.promise;
        return says("too late");
      }),
    ];
    await using t = await openAgent([toolCall("work", {})], { tools });
    const { turn } = await t.agent.send("go");
    await working.promise;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    const before = await t.story();
    late.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await t.story()).toEqual(before);
    expect(before.join("\n")).not.toContain("too late");
  });

  it("with an error when the stream ends without a finish marker", async () => {
    await using t = await openAgentWith(() => {
      const stream = streamOf({ type: "start", partial: reply });
      stream.end();
      return stream;
    });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ error: { code: "AGENT_STREAM_CUT" } });
  });

  it("with an error when the model service throws", async () => {
    await using t = await openAgentWith(() => {
      throw new Error("broken service");
    });
    expect(await (await t.agent.send("go")).turn).toMatchObject({
      error: { code: "AGENT_MODEL", message: "The model call failed: broken service" },
    });
  });

  it.each(["transformContext", "convertToLlm"] as const)("on cancel even if a layer of %s hangs", async (hook) => {
    const entered = gate();
    const layer = extension("layer", {
      hooks: () => ({
        [hook]: () => {
          entered.open();
          return new Promise(() => {});
        },
      }),
    });
    await using t = await openAgent([text("never")], { plugins: [layer] });
    const { turn } = await t.agent.send("go");
    await entered.promise;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect(t.server.requests).toHaveLength(0);
    expect((await t.story()).slice(4)).toEqual([
      "turn_start 0",
      "turn_end 0 aborted",
      "turn_finish",
      "runtime_end cancelled",
    ]);
  });
});
