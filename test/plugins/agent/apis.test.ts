import type { ToolOutput } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import {
  type ApiName,
  cut,
  endEarly,
  failure,
  finish,
  formats,
  gate,
  hang,
  type Reply,
  raw,
  status,
  text,
  toolCall,
  usage,
} from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

const cost = expect.objectContaining({ total: expect.any(Number) });

/** A tool that counts its runs. */
function counted(answer: ToolOutput = says("worked")) {
  const runs: unknown[] = [];
  const bash = tool("bash", async (_id, params) => {
    runs.push(params);
    return answer;
  });
  return { runs, tools: [bash] };
}

describe.each(Object.keys(formats) as ApiName[])("over %s", (api) => {
  const model = { api };
  const config = { retries: 1 };
  const remove = { command: "rm -rf /tmp/build-cache" };

  async function answered(script: Reply[], more: Parameters<typeof openAgent>[1] = {}) {
    await using t = await openAgent(script, { model, config, ...more });
    const outcome = await (await t.agent.send("go")).turn;
    return { outcome, story: await t.story(), stored: t.stored() as any[], requests: t.server.requests };
  }

  it("gets what the user says during a tool call as the user's own words, after the results", async () => {
    const working = gate();
    const tools = [tool("bash", () => working.promise.then(() => says("worked")))];
    await using t = await openAgent([[toolCall("bash", {}), toolCall("bash", {})], text("done")], { model, tools });
    const started = t.next(({ type }) => type === "tool_execution_start");
    const { turn } = await t.agent.send("go");
    await started;
    await t.agent.send("use the other file", { running: "steer" });
    working.open();
    await turn;
    const { messages, input, contents } = t.server.requests[1]?.body ?? {};
    const [before, last] = (messages ?? input ?? contents).slice(-2);
    expect(JSON.stringify(before)).toContain("worked");
    expect(last.role).toBe("user");
    expect(JSON.stringify(last)).toContain("use the other file");
    expect(JSON.stringify(last)).not.toMatch(/worked|system-reminder/);
  });

  it("runs a tool in a turn and sums the usage", async () => {
    const { runs, tools } = counted();
    const tokens = usage({ input: 10, output: 5 });
    const { outcome } = await answered(
      [
        [toolCall("bash", { n: 1 }), tokens],
        [text("done"), tokens],
      ],
      { tools },
    );
    expect(outcome).toMatchObject({
      reason: "completed",
      text: "done",
      usage: { input: 20, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 30, cost },
    });
    expect(runs).toEqual([{ n: 1 }]);
  });

  it("runs each call once and stores its result when call ids repeat or are empty", async () => {
    const { runs, tools } = counted();
    const calls = ["same", "same", ""].map((id, n) => toolCall("bash", { n }, { id }));
    const { outcome, stored } = await answered([calls, text("done")], { tools });
    expect(outcome).toMatchObject({ reason: "completed", text: "done" });
    expect(runs).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    const called = stored[2].message.content.map(({ id }: { id: string }) => id);
    expect(new Set(called).size).toBe(3);
    expect(stored.flatMap(({ message }) => message?.toolCallId ?? []).sort()).toEqual(called.sort());
  });

  it("answers a call of an unknown tool with the known ones", async () => {
    const { tools } = counted();
    const { outcome, stored } = await answered([toolCall("bahs", {}), text("done")], { tools });
    expect(outcome).toMatchObject({ reason: "completed", text: "done" });
    expect(stored[3].message.content).toEqual(says('There is no tool "bahs". Use one of: bash.').content);
  });

  it.each([
    ["the connection breaks", cut()],
    ["the response just ends", endEarly()],
  ])("runs no call with truncated arguments when %s, and requests the reply again", async (_how, end) => {
    const { runs, tools } = counted();
    const script = [[text("Cleaning."), toolCall("bash", remove, { upTo: 28 }), end], text("ok")];
    const { outcome, story } = await answered(script, { tools });
    expect(outcome).toMatchObject({ reason: "completed", text: "ok" });
    expect(story).toContain("message assistant partial retried: Cleaning.");
    expect(runs).toEqual([]);
  });

  it("runs no call of a reply that reached the output limit", async () => {
    const { runs, tools } = counted();
    const { outcome } = await answered([[toolCall("bash", remove), finish("length")]], { tools });
    expect(outcome).toMatchObject({ reason: "error", error: { code: "AGENT_LENGTH" } });
    expect(runs).toEqual([]);
  });

  it.each([
    ["a cut connection", [text("Hel"), cut()]],
    ["a connection cut at once", cut()],
    ["a reply that just ends", [text("Hel"), endEarly()]],
    ["an empty body", raw("")],
    ["a broken stream", raw("data: {never\n\n")],
    ["no stream", raw("hello\n\n")],
    ["an overloaded server inside the stream", [text("Hel"), failure("Overloaded")]],
    ["an overloaded server", status(529, { error: { message: "overloaded" } })],
    ["a busy server", status(429, {})],
    ["a broken server", status(500, "")],
  ] satisfies [string, Reply][])("%s is not an answer, and the next one is", async (_what, reply) => {
    const { outcome, requests } = await answered([reply, text("ok")]);
    expect({ outcome, requests: requests.length }).toMatchObject({
      outcome: { reason: "completed", text: "ok" },
      requests: 2,
    });
  });

  it("retries an empty reply", async () => {
    const patience = { retries: 3, idleTimeout: 0.5 };
    const { outcome } = await answered([[text("Hel"), hang()], text("ok")], { config: patience });
    expect(outcome).toMatchObject({ reason: "completed", text: "ok" });
  });

  it.each([
    ["a web page", raw("<html>Login</html>", "text/html"), "AGENT_MODEL"],
    ["a wrong key", status(401, { error: { message: "no" } }), "AGENT_MODEL"],
    ["a wrong request", status(400, { error: { message: "no" } }), "AGENT_MODEL"],
    ["a conversation that is too long", status(400, { error: { message: "prompt is too long" } }), "AGENT_OVERFLOW"],
  ] satisfies [string, Reply, string][])("%s is final", async (_what, reply, code) => {
    const { outcome, requests } = await answered([reply, text("never")]);
    expect({ outcome, requests: requests.length }).toMatchObject({
      outcome: { reason: "error", error: { code } },
      requests: 1,
    });
  });

  it("runs no call of a filtered reply", async () => {
    const { runs, tools } = counted();
    const { outcome } = await answered([[toolCall("bash", remove), finish("filtered")]], { tools });
    expect(outcome).toMatchObject({ reason: "error", error: { code: "AGENT_MODEL" } });
    expect(runs).toEqual([]);
  });

  it("keeps the partial text on cancel", async () => {
    await using t = await openAgent([[text("Hello wor"), hang()], text("ok")], { model });
    const streaming = t.next(({ type }) => type === "text_delta");
    const { turn } = await t.agent.send("go");
    await streaming;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled", text: "Hello wor", stopReason: "aborted" });
    expect(await t.server.requests[0]?.over).toBe("gone");
    expect(await (await t.agent.send("again")).turn).toMatchObject({ text: "ok" });
    expect(t.server.requests[1]?.text).toContain("Hello wor");
  });

  it("never sends half of a surrogate pair", async () => {
    const { tools } = counted(says("half \ud83d"));
    await using t = await openAgent([[text("a \udc00 b"), toolCall("bash", {})], text("ok"), text("ok")], {
      model,
      tools,
    });
    await (await t.agent.send("look: \ud83d")).turn;
    expect(await (await t.agent.send("again")).turn).toMatchObject({ reason: "completed", text: "ok" });
    for (const { text: body } of t.server.requests) expect(body).not.toMatch(/\\ud[89a-f]|\ufffd/i);
  });

  it("never counts negative usage", async () => {
    const odd = usage({ input: 10, output: -5, cached: 30 });
    const { outcome, stored } = await answered([[text("ok"), odd]]);
    const { cost: dollars, ...tokens } = outcome.usage;
    expect(Math.min(...Object.values(tokens), ...Object.values(dollars))).toBe(0);
    expect(stored.at(-1).message.usage).toEqual(outcome.usage);
  });

  it("stops an endless reply and keeps the text up to the limit", async () => {
    const { outcome, stored, requests } = await answered([text("x".repeat(20_000_000), 1_000_000), text("never")]);
    expect(outcome).toMatchObject({ reason: "error", error: { code: "AGENT_REPLY_SIZE" } });
    const reply = stored.findLast(({ type }) => type === "message")?.message;
    expect(reply).toMatchObject({ partial: true, stopReason: "error" });
    expect([reply.content[0].text.length, requests.length]).toEqual([16_000_000, 1]);
  });

  it("stops an endless line before it fills the memory", async () => {
    const { outcome, requests } = await answered([text("x".repeat(10_000_000)), text("never")]);
    expect(outcome).toMatchObject({ reason: "error", text: "", error: { code: "AGENT_MODEL" } });
    expect(outcome.error?.message).toContain("a line of more than 8000000 bytes");
    expect(requests).toHaveLength(1);
  });

  it("reports a model that does not support tools", async () => {
    const { tools } = counted();
    const refusal = status(400, { error: { message: "m1 does not support tools" } });
    const { outcome, requests } = await answered([refusal, text("never")], { tools });
    expect(outcome).toMatchObject({ reason: "error", error: { code: "AGENT_NO_TOOLS" } });
    expect(requests).toHaveLength(1);
  });
});

it("handles a delta of 100 MB quickly and without failing the session", { timeout: 20_000 }, async () => {
  await using t = await openAgent([text("x".repeat(100_000_000)), text("ok")]);
  expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "error", error: { code: "AGENT_MODEL" } });
  expect(JSON.stringify(t.stored()).length).toBeLessThan(10_000);
  expect(await (await t.agent.send("again")).turn).toMatchObject({ reason: "completed", text: "ok" });
});
