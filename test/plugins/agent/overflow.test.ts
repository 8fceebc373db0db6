import type { AnyPlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { cut, delayUntil, finish, gate, hang, status, text, toolCall, usage } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

const tooLong = status(400, { error: { message: "prompt is too long: 213462 tokens > 200000 maximum" } });
const asked: { model: string; reason: string }[] = [];
/** A plugin that shortens the conversation if `answer` is true, and records its inputs. */
const shortener = (answer = true): AnyPlugin => {
  asked.length = 0;
  return extension("shortener", {
    hooks: (ctx: any) => ({
      async contextOverflow(refused: { model: string; reason: string }) {
        asked.push(refused);
        const leaf = ctx.session.activeLeaf;
        const compactedThrough = ctx.session.tree.parent(leaf)?.id ?? leaf;
        if (answer)
          await ctx.session.append("compact", { summary: "S", compactedThrough, tokensBefore: 2, tokensAfter: 1 });
        return answer;
      },
    }),
  });
};
const wordsOf = ({ body }: { body: any }) => body.messages.map((message: any) => message.content);

describe("a conversation that is too long for the model", () => {
  it("is shortened by a layer, and the call is repeated once", async () => {
    await using t = await openAgent([text("one"), tooLong, text("two")], { plugins: [shortener()] });
    await t.agent.prompt("first");
    expect(await (await t.agent.send("second")).turn).toMatchObject({ reason: "completed", text: "two" });
    expect(asked).toEqual([{ model: "local/m1", reason: expect.stringContaining("prompt is too long") }]);
    expect(t.server.requests.map(wordsOf).slice(1)).toEqual([
      ["first", "one", "second"],
      [expect.stringContaining("S"), "second"],
    ]);
    expect((await t.story()).slice(-13)).toEqual([
      "prompt_submit second",
      "turn_start 0",
      "message_start",
      "message_cancelled error",
      "turn_end 0 error",
      "compact",
      "turn_start 1",
      "message_start",
      "text_delta two",
      "message assistant: two",
      "turn_end 1 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
  });

  it("fails the turn when it is still too long, without a third attempt", async () => {
    await using t = await openAgent([text("one"), tooLong, tooLong, text("never")], { plugins: [shortener()] });
    await t.agent.prompt("first");
    expect(await (await t.agent.send("second")).turn).toMatchObject({ error: { code: "AGENT_OVERFLOW" } });
    expect([t.server.requests.length, asked.length]).toEqual([3, 1]);
  });

  it("gets one more attempt per user message, however many rounds lie between", async () => {
    const tools = [tool("work", async () => says("worked"))];
    const script = [text("one"), tooLong, toolCall("work", {}), tooLong, text("never")];
    await using t = await openAgent(script, { tools, plugins: [shortener()] });
    await t.agent.prompt("first");
    expect(await (await t.agent.send("second")).turn).toMatchObject({ error: { code: "AGENT_OVERFLOW" } });
    expect([t.server.requests.length, asked.length]).toEqual([4, 1]);
  });

  it("fails the turn when no layer shortens it", async () => {
    await using t = await openAgent([tooLong, text("never")], { plugins: [shortener(false)] });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ error: { code: "AGENT_OVERFLOW" } });
    expect([t.server.requests.length, asked.length]).toEqual([1, 1]);
  });

  it("is also detected when a server cut it to fit, leaving no room for a reply", async () => {
    const full = [finish("length"), usage({ input: 8_000, output: 0 })];
    await using t = await openAgent([text("one"), full, text("two")], { plugins: [shortener()] });
    await t.agent.prompt("first");
    expect(await (await t.agent.send("second")).turn).toMatchObject({ text: "two" });
    expect(asked).toEqual([{ model: "local/m1", reason: "no room is left for a reply" }]);
  });

  it("includes messages that were typed meanwhile", async () => {
    const shortening = gate();
    const slow = extension("slow", {
      hooks: () => ({
        async contextOverflow() {
          await shortening.promise;
          return true;
        },
      }),
    });
    await using t = await openAgent([tooLong, text("both")], { plugins: [slow] });
    const first = await t.agent.send("first");
    await t.next(({ type }) => type === "turn_end");
    const second = await t.agent.send("second", { running: "steer" });
    shortening.open();
    expect(await first.turn).toMatchObject({ text: "both" });
    expect(second.status).toBe("queued");
    expect(t.server.requests.map(wordsOf)).toEqual([["first"], ["first", "second"]]);
  });
});

describe("a call outside the conversation", () => {
  const question = { systemPrompt: "Answer.", text: "How many?", maxTokens: 500 };

  it("has no tools, is limited, and leaves no trace in the log", async () => {
    const tools = [tool("work", async () => says("worked"))];
    await using t = await openAgent([[text("Two."), usage({ input: 7, output: 3 })]], { tools });
    expect(await t.agent.ask(question)).toEqual({
      text: "Two.",
      model: "local/m1",
      stopReason: "stop",
      usage: expect.objectContaining({ input: 7, output: 3 }),
    });
    const body = t.server.requests[0]?.body;
    expect(body.tools).toBeUndefined();
    expect(body.max_completion_tokens ?? body.max_tokens).toBe(500);
    expect(body.messages.map(({ content }: any) => content)).toEqual(["Answer.", "How many?"]);
    expect(t.stored()).toEqual([]);
  });

  it("is retried when the provider is busy, and reports it", async () => {
    await using t = await openAgent([status(529, {}), text("Two.")], { config: { retries: 1 } });
    expect(await t.agent.ask(question)).toMatchObject({ text: "Two." });
    expect((await t.story()).filter((line) => line.startsWith("retry"))).toHaveLength(2);
  });

  it.each([
    ["is cut", cut(), "AGENT_MODEL"],
    ["is refused", status(400, { error: { message: "no" } }), "AGENT_MODEL"],
    ["is too long", tooLong, "AGENT_OVERFLOW"],
  ] as const)("rejects when it %s", async (_what, reply, code) => {
    await using t = await openAgent([reply]);
    await expect(t.agent.ask(question)).rejects.toMatchObject({ code });
  });

  it("ends at once on abort or silence", async () => {
    await using t = await openAgent([hang(), hang()], { config: { idleTimeout: 0.2 } });
    const control = new AbortController();
    const asking = t.agent.ask({ ...question, signal: control.signal });
    await t.server.request(0);
    control.abort(new Error("enough"));
    await expect(asking).rejects.toThrow("enough");
    await expect(t.agent.ask(question)).rejects.toMatchObject({ code: "AGENT_STREAM_IDLE" });
  });

  it("counts towards the running turn", async () => {
    const asker = extension("asker", {
      hooks: (ctx: any) => ({
        async transformContext(messages: any) {
          await ctx.find("agent").ask(question);
          return messages;
        },
      }),
    });
    const script = [
      [text("Two."), usage({ input: 700, output: 3 })],
      [text("ok"), usage({ input: 10, output: 1 })],
    ];
    await using t = await openAgent(script, { plugins: [asker] });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ text: "ok", usage: { input: 710, output: 4 } });
  });
});

describe("work between turns", () => {
  it("has the conversation to itself; a message sent meanwhile waits in the queue, and starts a turn at its end", async () => {
    await using t = await openAgent([text("ok")]);
    const working = gate();
    const work = t.agent.betweenTurns(async () => {
      await working.promise;
      await t.session.append("message", { message: { role: "user", content: "note", timestamp: 0 } });
      return "done";
    });
    const sent = await t.agent.send("go");
    expect([sent.status, t.agent.running]).toEqual(["queued", true]);
    await expect(t.agent.betweenTurns(async () => {})).rejects.toMatchObject({ code: "AGENT_BUSY" });
    working.open();
    expect(await work).toBe("done");
    expect(await sent.turn).toMatchObject({ text: "ok" });
    expect(t.server.requests.map(wordsOf)).toEqual([["note", "go"]]);
  });

  it("is followed by no turn for a message that asks for none, or that was taken back", async () => {
    await using t = await openAgent([text("ok")]);
    const working = gate();
    const work = t.agent.betweenTurns(() => working.promise);
    const [quiet, removed] = [await t.agent.send("quiet", { idle: "queue" }), await t.agent.send("removed")];
    await t.agent.rewriteQueue([{ id: quiet.id }], { clientId: "agent" });
    working.open();
    await work;
    expect([quiet.status, removed.status, t.agent.running]).toEqual(["queued", "queued", false]);
    expect(t.server.requests).toEqual([]);
  });

  it("is refused during a turn, and ended by a cancel", async () => {
    const answering = gate();
    await using t = await openAgent([[delayUntil(answering.promise), text("ok")]]);
    const { turn } = await t.agent.send("go");
    await expect(t.agent.betweenTurns(async () => {})).rejects.toMatchObject({ code: "AGENT_BUSY" });
    answering.open();
    await turn;
    const work = t.agent.betweenTurns(() => new Promise<never>(() => {}));
    const failed = expect(work).rejects.toMatchObject({ code: "AGENT_CANCELLED" });
    expect(await t.agent.cancel()).toBe(true);
    await failed;
    expect(t.agent.running).toBe(false);
  });
});
