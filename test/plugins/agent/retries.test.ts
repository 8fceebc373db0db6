import { describe, expect, it } from "vitest";
import { systemClock } from "../../../plugins/agent/clock.ts";
import {
  cut,
  delayUntil,
  endEarly,
  finish,
  gate,
  hang,
  type Reply,
  raw,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
} from "../../model-server.ts";
import { fc } from "../../property.ts";
import { impatient, openAgent, says, tool } from "./setup.ts";

const config = { retries: 3 };
const overloaded = status(529, { error: { message: "overloaded" } });
/** A clock that records its waits, in milliseconds. */
function noted() {
  const waits: number[] = [];
  const clock = {
    ...impatient,
    wait: async (ms: number) => {
      waits.push(ms);
    },
  };
  return { waits, clock };
}
/** A clock whose wait ends only by an abort, and a promise that resolves when the wait begins. */
function endless() {
  const begun = gate();
  const clock = {
    ...impatient,
    wait: (_ms: number, signal: AbortSignal) => {
      begun.open();
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  return { begun: begun.promise, clock };
}
const said = (requests: readonly { body: { messages: unknown } }[]) => requests.map(({ body }) => body.messages);

describe("a failed call is repeated", () => {
  it("three times, after about one, two and four seconds, with an event each time", async () => {
    await using t = await openAgent([overloaded, overloaded, overloaded, text("Hello.")], { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "Hello." });
    expect((await t.story()).slice(4)).toEqual([
      "turn_start 0",
      "message_start",
      "message_cancelled error",
      "turn_end 0 error",
      "retry_start 1/3 1000 ms: 529 overloaded",
      "retry_end 1",
      "turn_start 1",
      "message_start",
      "message_cancelled error",
      "turn_end 1 error",
      "retry_start 2/3 2000 ms: 529 overloaded",
      "retry_end 2",
      "turn_start 2",
      "message_start",
      "message_cancelled error",
      "turn_end 2 error",
      "retry_start 3/3 4000 ms: 529 overloaded",
      "retry_end 3",
      "turn_start 3",
      "message_start",
      "text_delta Hello.",
      "message assistant: Hello.",
      "turn_end 3 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
    expect(new Set(said(t.server.requests).map((messages) => JSON.stringify(messages))).size).toBe(1);
  });

  it("but no more; then the turn fails with the last error", async () => {
    await using t = await openAgent(() => overloaded, { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({
      reason: "error",
      error: { code: "AGENT_MODEL", message: "The model call failed: 529 overloaded" },
    });
    expect(t.server.requests).toHaveLength(4);
    expect((await t.story()).filter((line) => line.startsWith("turn_error"))).toEqual(["turn_error AGENT_MODEL"]);
  });

  it.each([
    ["the server is busy", status(429, {})],
    ["the server breaks", status(500, "")],
    ["the connection is cut", cut()],
    ["the reply just ends", [text("Hel"), endEarly()]],
    ["the reply is empty", raw("")],
    ["a call's arguments are cut", [toolCall("bash", '{"command":"rm -r', {}), finish("toolUse")]],
    ["the reply claims to be whole, and says nothing", raw("data: [DONE]\n\n")],
  ] satisfies [string, Reply][])("when %s", async (_what, reply) => {
    await using t = await openAgent([reply, text("ok")], { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "ok" });
  });

  it("when the server is not running yet", async () => {
    const gone = await startModelServer([]);
    await gone.close();
    await using t = await openAgent([], { config, model: { baseUrl: gone.baseUrl } });
    const { error } = await (await t.agent.send("go")).turn;
    expect((await t.story()).filter((line) => line.startsWith("retry_start"))).toHaveLength(3);
    const host = new URL(gone.baseUrl).host;
    expect(error).toEqual({
      code: "AGENT_MODEL",
      message:
        `The model call failed: cannot reach ${host} (ECONNREFUSED). ` +
        `Nothing listens at ${host}: is the server running, and the port in baseUrl right?`,
    });
  });

  it("when the model is silent for too long", async () => {
    const script = [[text("Hel"), hang()], text("Hello.")];
    await using t = await openAgent(script, { config: { ...config, idleTimeout: 0.2 } });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "Hello." });
  });

  it("after this model's own silence limit", async () => {
    const script = [[text("Hel"), hang()], text("Hello.")];
    await using t = await openAgent(script, { config, model: { idleTimeout: 0.2 } });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "Hello." });
    expect(await t.story()).toContain("retry_start 1/3 1000 ms: silent for 0.2 s");
  });

  it.each([400, 401, 403, 404, 408, 422])("but not after %i", async (code) => {
    await using t = await openAgent([status(code, { error: { message: "overloaded" } }), text("never")], { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ error: { code: "AGENT_MODEL" } });
    expect(t.server.requests).toHaveLength(1);
  });

  it("but not when the conversation is too long, which is reported", async () => {
    const tooLong = status(400, { error: { message: "prompt is too long: 213462 tokens > 200000 maximum" } });
    await using t = await openAgent([tooLong, text("never")], { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "error", error: { code: "AGENT_OVERFLOW" } });
    expect(t.server.requests).toHaveLength(1);
  });

  it("but not at the output limit, nor when retries are switched off", async () => {
    await using t = await openAgent([finish("length"), text("never")], { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ error: { code: "AGENT_LENGTH" } });
    await using off = await openAgent([overloaded, text("never")], { config: { retries: 0 } });
    expect(await (await off.agent.send("go")).turn).toMatchObject({ error: { code: "AGENT_MODEL" } });
    expect([t.server.requests.length, off.server.requests.length]).toEqual([1, 1]);
  });

  it("counting from the start after each good reply", async () => {
    const { waits, clock } = noted();
    const tools = [tool("work", async () => says("worked"))];
    const script = [overloaded, overloaded, toolCall("work", {}), overloaded, text("done")];
    await using t = await openAgent(script, { config: { retries: 2 }, clock, tools });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "done" });
    expect(waits).toEqual([1_000, 2_000, 1_000]);
  });
});

describe("the wait before a retry", () => {
  it("is longer when the server asks for it, up to a minute", async () => {
    const { waits, clock } = noted();
    const busy = (after: string) => status(429, {}, { "retry-after": after });
    const inWords = status(429, { error: { message: "Please try again in 9.5s" } });
    await using t = await openAgent([busy("7"), inWords, busy("60"), text("ok")], { config, clock });
    await (await t.agent.send("go")).turn;
    expect(waits).toEqual([7_000, 9_500, 60_000]);
  });

  it.each([
    ["61", "1 min 1 s"],
    ["3600", "1 h"],
  ])("is not begun if the server asks for a longer one: %s seconds", async (after, wait) => {
    const { waits, clock } = noted();
    const busy = status(429, { error: { message: "busy" } }, { "retry-after": after });
    await using t = await openAgent([overloaded, busy, text("never")], { config, clock });
    const { reason, error } = await (await t.agent.send("go")).turn;
    expect({ reason, error, waits, requests: t.server.requests.length }).toEqual({
      reason: "error",
      error: {
        code: "AGENT_MODEL",
        message: `The model call failed: 429 busy. The server asks to wait ${wait} before the next request.`,
      },
      waits: [1_000],
      requests: 2,
    });
  });

  it("is never shorter because of that, and varies by a quarter", async () => {
    const { waits, clock } = noted();
    const chances = [0, 0.999_999];
    const script = [status(429, {}, { "retry-after": "0" }), overloaded, text("ok")];
    await using t = await openAgent(script, { config, clock: { ...clock, random: () => chances.shift() as number } });
    await (await t.agent.send("go")).turn;
    expect(waits).toEqual([750, 2_500]);
  });

  it("ends at once on cancel", async () => {
    const { begun, clock } = endless();
    await using t = await openAgent([overloaded, text("never")], { config, clock });
    const { turn } = await t.agent.send("go");
    await begun;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect((await t.story()).slice(-4)).toEqual([
      "retry_start 1/3 1000 ms: 529 overloaded",
      "retry_end 1 cancelled",
      "turn_finish",
      "runtime_end cancelled",
    ]);
    expect(t.server.requests).toHaveLength(1);
  });

  it("accepts messages: steering ones go with the next attempt", async () => {
    const waiting = gate();
    const here = gate();
    const clock = {
      ...impatient,
      wait: () => {
        here.open();
        return waiting.promise;
      },
    };
    await using t = await openAgent([overloaded, text("ok")], { config, clock });
    const { turn } = await t.agent.send("go");
    await here.promise;
    expect(await t.agent.send("and be quick", { running: "steer" })).toMatchObject({ status: "queued" });
    waiting.open();
    await turn;
    expect(t.server.requests[1]?.body.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "user", content: "and be quick" },
    ]);
  });

  it("is shown as a warning", async () => {
    await using t = await openAgent([overloaded, text("ok")], { config });
    await (await t.agent.send("go")).turn;
    const shown = (await t.heard()).flatMap((event) =>
      event.type.startsWith("retry_") ? t.session.display(event as any) : [],
    );
    expect(shown).toEqual([
      { display: "notice", level: "warning", text: "Trying again in 1.0 s (1 of 3): 529 overloaded" },
      { display: "hidden" },
    ]);
  });
});

describe("the text of a failed attempt", () => {
  const script = [[thinking("Hm."), text("Half an ans"), cut()], text("The whole answer.")];

  it("is stored once, outside the conversation", async () => {
    await using t = await openAgent(script, { config });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "The whole answer." });
    expect((await t.story()).filter((line) => /^message(_cancelled)? /.test(line))).toEqual([
      "message user: go",
      "message assistant partial retried: [thinking] Half an ans",
      "message assistant: The whole answer.",
    ]);
    const path = t.session.tree.path(t.session.activeLeaf as string).map((event) => (event as any).message?.role);
    expect(path).toEqual(["user", "assistant"]);
    expect(t.session.tree.branchPoints()).toEqual([]);
  });

  it("is never sent to the model, now or later", async () => {
    await using t = await openAgent([...script, text("more")], { config });
    await (await t.agent.send("go")).turn;
    await (await t.agent.send("go on")).turn;
    expect(t.server.requests[1]?.body.messages).toEqual(t.server.requests[0]?.body.messages);
    expect(t.server.requests[2]?.body.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", content: "The whole answer." },
      { role: "user", content: "go on" },
    ]);
  });

  it("is labelled for people", async () => {
    await using t = await openAgent(script, { config });
    await (await t.agent.send("go")).turn;
    const retried = t.stored().find((event) => (event as any).message?.meta?.retried);
    expect(t.session.display(retried as any)).toEqual({
      display: "bubble",
      role: "assistant",
      text: "Half an ans",
      thinking: "Hm.",
      partial: true,
      label: "retried",
    });
  });

  it("is part of the conversation if no attempt follows", async () => {
    await using t = await openAgent([...[1, 2].map((n) => [text(`Try ${n}`), cut()]), text("ok")], {
      config: { retries: 1 },
    });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "error", text: "Try 2" });
    await (await t.agent.send("again")).turn;
    expect(t.server.requests[2]?.body.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", content: "Try 2" },
      { role: "user", content: "again" },
    ]);
  });

  it("runs none of its tools, and repeats no earlier tool", async () => {
    const runs: string[] = [];
    const tools = ["one", "two"].map((name) =>
      tool(name, async () => {
        runs.push(name);
        return says(name);
      }),
    );
    const cutCall = [toolCall("two", {}), cut()];
    await using t = await openAgent([toolCall("one", {}), cutCall, toolCall("two", {}), text("done")], {
      config,
      tools,
    });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "done" });
    expect(runs).toEqual(["one", "two"]);
  });
});

it("any order of failures and replies ends as the limits say, and no failed text is ever sent", async () => {
  const steps = fc.array(fc.constantFrom("refused", "cut", "tool"), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(2), async (plan, retries) => {
      const replies = { refused: overloaded, cut: [text("FAILED WORD"), cut()], tool: toolCall("work", {}) };
      const script: Reply[] = [...plan.map((step) => replies[step]), text("done")];
      await using t = await openAgent(script, { config: { retries }, tools: [tool("work", async () => says("ok"))] });
      const { reason } = await (await t.agent.send("go")).turn;
      const { asked, failed } = counting(plan, retries);
      expect([reason, t.server.requests.length]).toEqual([failed ? "error" : "completed", asked]);
      for (const request of t.server.requests) expect(request.text).not.toContain("FAILED WORD");
      const told = plan.slice(0, asked).filter((step) => step === "cut").length;
      expect(t.stored().filter((event) => JSON.stringify(event).includes("FAILED WORD"))).toHaveLength(told);
    }),
    { numRuns: 30 },
  );
});

/** The expected number of requests for a plan of replies, and whether the last one fails. */
function counting(plan: readonly string[], retries: number): { asked: number; failed: boolean } {
  let inARow = 0;
  for (const [index, step] of plan.entries()) {
    inARow = step === "tool" ? 0 : inARow + 1;
    if (inARow > retries) return { asked: index + 1, failed: true };
  }
  return { asked: plan.length + 1, failed: false };
}

it("the real clock waits, and stops when aborted", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const control = new AbortController();
  const long = systemClock.wait(1e6, control.signal);
  control.abort();
  await long;
  await systemClock.wait(1e6, control.signal);
  await systemClock.wait(1, new AbortController().signal);
  expect(timers()).toBe(before);
});

it("a key in the reason is redacted", async () => {
  process.env.RETRY_TEST_KEY = "sk-secret-0123456789";
  try {
    const leaky = status(503, { error: { message: "bad backend for sk-secret-0123456789" } });
    await using t = await openAgent([leaky, text("ok")], { config, model: { apiKeyEnv: "RETRY_TEST_KEY" } });
    await (await t.agent.send("go")).turn;
    expect(JSON.stringify(await t.heard())).not.toContain("sk-secret-0123456789");
  } finally {
    delete process.env.RETRY_TEST_KEY;
  }
});

it("listeners of pi's events get the prompt once, and each attempt", async () => {
  await using t = await openAgent([overloaded, [delayUntil(Promise.resolve()), text("ok")]], { config });
  const heard: string[] = [];
  const all = gate();
  t.agent.subscribe((event) => {
    if (event.type === "message_end") heard.push(`${event.message.role} ${(event.message as any).stopReason ?? ""}`);
    if (heard.at(-1) === "assistant stop") all.open();
  });
  await (await t.agent.send("go")).turn;
  await all.promise;
  expect(heard).toEqual(["user ", "assistant error", "assistant stop"]);
});
