import type { AgentEvent } from "@mariozechner/pi-agent-core";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it, vi } from "vitest";
import { cut, delayUntil, gate, hang, status, text, toolCall, usage } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

const kinds = (events: AgentEvent[]) =>
  events.map((event) =>
    "message" in event && event.type !== "turn_end" ? `${event.type} ${event.message.role}` : event.type,
  );

describe("an extension written for pi's agent", () => {
  it("gets pi's events in pi's order", async () => {
    await using t = await openAgent([toolCall("work", {}), text("done")], {
      tools: [tool("work", async () => says("ok"))],
    });
    const events: AgentEvent[] = [];
    t.agent.subscribe((event) => void events.push(event));
    await t.agent.prompt("go");
    await new Promise((resolve) => setImmediate(resolve));
    expect(kinds(events).filter((kind) => !kind.startsWith("message_update"))).toEqual([
      "agent_start",
      "turn_start",
      "message_start user",
      "message_end user",
      "message_start assistant",
      "message_end assistant",
      "tool_execution_start",
      "tool_execution_end",
      "message_start toolResult",
      "message_end toolResult",
      "turn_end",
      "turn_start",
      "message_start assistant",
      "message_end assistant",
      "turn_end",
      "agent_end",
    ]);
  });

  it("gets a snapshot of each update, and may be slow or throw without harm", async () => {
    const more = gate();
    await using t = await openAgent([[text("Hel"), delayUntil(more.promise), text("lo there", 3)]]);
    const updates: Extract<AgentEvent, { type: "message_update" }>[] = [];
    t.agent.subscribe(() => {
      throw new Error("clumsy");
    });
    t.agent.subscribe(() => new Promise(() => {}));
    t.agent.subscribe((event) => {
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") updates.push(event);
    });
    const streaming = t.next(({ type }) => type === "text_delta");
    const turn = t.agent.prompt("go");
    await streaming;
    more.open();
    await turn;
    await new Promise((resolve) => setImmediate(resolve));
    expect(
      updates.map(({ assistantMessageEvent }) => "delta" in assistantMessageEvent && assistantMessageEvent.delta),
    ).toEqual(["Hel", "lo ", "the", "re"]);
    expect([updates[0], updates.at(-1)]).toMatchObject([
      { message: { content: [{ text: "Hel" }] }, assistantMessageEvent: { partial: { content: [{ text: "Hel" }] } } },
      { message: { content: [{ text: "Hello there" }] } },
    ]);
    expect(t.kernel.failures[0]).toMatchObject({ plugin: "agent", where: "agent.subscribe", message: "clumsy" });
  });

  it("stops getting events after it unsubscribes", async () => {
    await using t = await openAgent([text("a")]);
    const events: AgentEvent[] = [];
    t.agent.subscribe((event) => void events.push(event))();
    await t.agent.prompt("go");
    expect(events).toEqual([]);
  });

  it("prompts with text, images or messages, but not during a turn", async () => {
    const answering = gate();
    await using t = await openAgent([[delayUntil(answering.promise), text("ok")], text("ok")]);
    const first = t.agent.prompt("look", [{ type: "image", data: "aGk=", mimeType: "image/png" }]);
    await expect(t.agent.prompt("more")).rejects.toMatchObject({ code: "AGENT_BUSY" });
    answering.open();
    await first;
    await t.agent.prompt([
      { role: "user", content: "one", timestamp: 0 },
      { role: "user", content: "two", timestamp: 0 },
    ]);
    const users = t.stored().flatMap((event: any) => (event.message?.role === "user" ? [event.message.content] : []));
    expect(users).toEqual([
      [
        { type: "text", text: "look" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ],
      "one",
      "two",
    ]);
  });

  it("steers and follows up, also before a turn", async () => {
    await using t = await openAgent([text("a"), text("b")]);
    t.agent.followUp({ role: "user", content: "later", timestamp: 0 });
    t.agent.steer("sooner");
    await t.agent.prompt("go");
    const users = t.stored().flatMap((event: any) => (event.message?.role === "user" ? [event.message.content] : []));
    expect(users).toEqual(["go", "sooner", "later"]);
  });

  it("can prompt again at the end of a turn, however it learns of the end", async () => {
    let prompted = false;
    const again = extension("again", {
      async onEvent(event, ctx) {
        if (event.type !== "turn_finish" || prompted) return;
        prompted = true;
        await ctx.agent.prompt("again");
      },
    });
    await using t = await openAgent([text("a"), text("b")], { plugins: [again] });
    const second = t.next(({ type, message }) => type === "message" && message.content[0]?.text === "b");
    await t.agent.prompt("go");
    await second;
    expect(t.kernel.failures).toEqual([]);
  });

  it("reads the state and waits until the agent is idle", async () => {
    await using t = await openAgent([[text("Hel"), hang()]]);
    const streaming = t.next(({ type }) => type === "text_delta");
    void t.agent.prompt("go");
    await streaming;
    expect(t.agent.state).toMatchObject({
      isStreaming: true,
      systemPrompt: "",
      thinkingLevel: "off",
      tools: [],
      messages: [{ role: "user", content: "go" }],
      streamingMessage: { role: "assistant", content: [{ type: "text", text: "Hel" }] },
    });
    expect(t.agent.state.model.id).toBe("m1");
    expect(t.agent.signal?.aborted).toBe(false);
    t.agent.abort();
    await t.agent.waitForIdle();
    expect(t.agent.running).toBe(false);
    expect(t.agent.signal).toBeUndefined();
    expect(t.agent.state.errorMessage).toBe("Cancelled by the user.");
  });

  it("gets pi's fields at the ends of calls and rounds, besides our own", async () => {
    const heard: any[] = [];
    const listener = definePlugin({
      id: "listener",
      name: "Listener",
      version: "1.0.0",
      onEvent(event) {
        if (event.type === "tool_execution_end" || event.type === "turn_end") heard.push(event);
      },
    });
    const first = gate();
    const tools = [
      tool("a", () => first.promise.then(() => ({ ...says("A"), details: { n: 1 } })), { access: () => "read" }),
      tool("b", async () => says("B"), { access: () => "read" }),
    ];
    const script = [[toolCall("a", {}), toolCall("b", {})], text("done"), status(400, {})];
    await using t = await openAgent(script, { tools, plugins: [listener] });
    const ended = t.next(({ type }) => type === "tool_execution_end");
    const turn = t.agent.prompt("go");
    await ended;
    first.open();
    await turn;
    await t.agent.prompt("again");
    await t.kernel.drained();
    const result = (of: string) => ({ role: "toolResult", toolName: of, content: says(of.toUpperCase()).content });
    expect(heard).toMatchObject([
      { type: "tool_execution_end", toolName: "b", isError: false, result: says("B") },
      { type: "tool_execution_end", toolName: "a", isError: false, result: { ...says("A"), details: { n: 1 } } },
      { type: "turn_end", turnIndex: 0, message: { role: "assistant" }, toolResults: [result("a"), result("b")] },
      { type: "turn_end", turnIndex: 1, message: { content: says("done").content }, toolResults: [] },
      { type: "turn_end", turnIndex: 0, stopReason: "error", toolResults: [] },
    ]);
    expect(heard.at(-1)).not.toHaveProperty("message");
  });

  it.each([[""], ["  "], [[]], [{ role: "user" }], [7], [null]])("cannot send %j", async (content) => {
    await using t = await openAgent([]);
    await expect(t.agent.send(content as string)).rejects.toMatchObject({ code: "AGENT_MESSAGE" });
    expect(t.stored()).toEqual([]);
  });
});

describe("a layer of transformContext", () => {
  const layer = (transformContext: any, hooks: object = {}) =>
    extension("layer", {
      hooks: (ctx) => ({ transformContext: (messages) => transformContext(messages, ctx), ...hooks }),
    });

  it("changes one request but not the conversation", async () => {
    const plugins = [layer((messages: any[]) => [...messages, { role: "user", content: "whispered", timestamp: 0 }])];
    await using t = await openAgent([text("ok")], { plugins });
    await t.agent.prompt("go");
    expect(t.server.requests[0]?.body.messages.map(({ content }: any) => content)).toEqual(["go", "whispered"]);
    expect(t.session.buildContext().map(({ content }) => content)).toEqual(["go", [{ type: "text", text: "ok" }]]);
  });

  it("that appends to the conversation makes the model read it at once", async () => {
    let written = false;
    const plugins = [
      layer(async (messages: any[], ctx: any) => {
        if (!written) {
          written = true;
          await ctx.session.append("custom_message", {
            kind: "memory",
            message: { role: "user", content: "remember", timestamp: 0 },
          });
        }
        return messages;
      }),
    ];
    await using t = await openAgent([text("ok")], { plugins });
    await t.agent.prompt("go");
    expect(t.server.requests[0]?.body.messages.map(({ content }: any) => content)).toEqual(["go", "remember"]);
  });

  it("that appends every time is called three times", async () => {
    let asked = 0;
    const plugins = [
      layer(async (messages: any[], ctx: any) => {
        const message = { role: "user", content: `note ${++asked}`, timestamp: 0 };
        await ctx.session.append("custom_message", { kind: "memory", message });
        return messages;
      }),
    ];
    await using t = await openAgent([text("ok")], { plugins });
    await t.agent.prompt("go");
    const sent = t.server.requests[0]?.body.messages.map(({ content }: any) => content);
    expect([asked, sent]).toEqual([3, ["go", "note 1", "note 2"]]);
  });

  it("that returns an invalid value is skipped and reported", async () => {
    await using t = await openAgent([text("ok")], { plugins: [layer(() => "nonsense")] });
    await t.agent.prompt("go");
    expect(t.server.requests[0]?.body.messages).toEqual([{ role: "user", content: "go" }]);
    expect(t.kernel.failures).toMatchObject([{ where: "transformContext", code: "AGENT_HOOK_ANSWER" }]);
  });
});

describe("a secret key", () => {
  it("reaches neither the log nor a listener, whatever its source", async () => {
    const key = "sk-test-0123456789abcdef";
    vi.stubEnv("TEST_KEY", key);
    try {
      const run: unknown[] = [];
      const work = tool("work", async (_id, params, _signal, update) => {
        run.push(params);
        update?.(says(`half ${key}`));
        return { ...says(`was ${key}`), details: { env: [key] } };
      });
      const call = toolCall("work", { key }, { pieces: 4 });
      const script = [
        [text(`use ${key}`, 4), call],
        [text(`${key} it was`, 5), cut()],
      ];
      await using t = await openAgent(script, { tools: [work], model: { apiKeyEnv: "TEST_KEY" } });
      await t.agent.prompt("go");
      expect(run).toEqual([{ key }]);
      expect(JSON.stringify([t.stored(), await t.heard()])).not.toContain(key);
      const { content } = t
        .stored()
        .map((event: any) => event.message)
        .findLast((it) => it?.role === "assistant");
      expect(content[0].text).toMatch(/^\S+ it was$/);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("the estimated context size", () => {
  it("is an estimate before the first reply, then the reported usage plus an estimate of later messages", async () => {
    await using t = await openAgent([[text("ok"), usage({ input: 1_000, cached: 600, output: 50 })]]);
    await t.session.append("message", { message: { role: "user", content: "x".repeat(400), timestamp: 0 } });
    expect(t.agent.contextTokens()).toBe(100);
    await t.agent.prompt("go");
    expect(t.agent.contextTokens()).toBe(1_050);
    const image = { type: "image" as const, data: "", mimeType: "image/png" };
    await t.session.append("message", { message: { role: "user", content: [image], timestamp: 0 } });
    expect(t.agent.contextTokens()).toBe(2_250);
    const notice = { kind: "runtime_notice", origin: "system", text: "x".repeat(40) } as const;
    await t.session.append("harness_item", { ...notice, visibility: "user" });
    expect(t.agent.contextTokens()).toBe(2_250);
    await t.session.append("harness_item", { ...notice, visibility: "both" });
    // The tags of a reminder count, too.
    expect(t.agent.contextTokens()).toBe(2_270);
  });

  it("is an estimate again after a compaction", async () => {
    await using t = await openAgent([[text("ok"), usage({ input: 1_000, output: 50 })]]);
    await t.agent.prompt("go");
    const compactedThrough = t.session.activeLeaf as string;
    await t.session.append("compact", { summary: "short", compactedThrough, tokensBefore: 1_050, tokensAfter: 10 });
    expect(t.agent.contextTokens()).toBeLessThan(60);
  });
});

it("the agent leaves nothing behind", async () => {
  await using t = await openAgent([text("ok")]);
  const before = t.kernel.census();
  await t.kernel.unload("agent");
  const left = Object.keys(t.kernel.census());
  expect(left.filter((name) => /agent|Call|Context|Llm|queue|sent/.test(name))).toEqual([]);
  const { default: agent } = await import("@scorel/agent");
  await t.kernel.load({ plugin: agent, origin: "test" });
  expect(t.kernel.census()).toEqual(before);
});
