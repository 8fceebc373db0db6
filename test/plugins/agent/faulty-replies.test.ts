import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { wireTo } from "../../../plugins/model/wire/fetch.ts";
import { type ApiName, formats, raw, text } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

const sse = (data: unknown, name?: string) => `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
const named = (...all: { type: string; [key: string]: unknown }[]) => all.map((data) => sse(data, data.type)).join("");

/**
 * The differences between APIs: a reply with the text "Hello." and this usage, an error inside a reply, and a reply in
 * one document.
 */
interface Case {
  reply(usage: unknown): string;
  counts(input: unknown, output: unknown): unknown;
  error(code: unknown): string;
  document: object;
}
const item = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Hello." }] };
const called = { type: "function_call", id: "f", call_id: "c", name: "bash", arguments: '{"n":1}' };
const block = (index: number, content_block: object, delta: object) => [
  { type: "content_block_start", index, content_block },
  { type: "content_block_delta", index, delta },
  { type: "content_block_stop", index },
];
const cases: Record<ApiName, Case> = {
  "openai-completions": {
    reply: (usage) =>
      sse({ choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }] }) +
      sse({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
      sse({ choices: [], usage }) +
      "data: [DONE]\n\n",
    counts: (input, output) => ({ prompt_tokens: input, completion_tokens: output }),
    error: (code) =>
      sse({ choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null }] }) +
      sse({ error: { message: "boom", code } }),
    document: {
      id: "1",
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Hello.",
            tool_calls: [{ id: "c", type: "function", function: { name: "bash", arguments: '{"n":1}' } }],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: "10", completion_tokens: 5, total_tokens: 15 },
    },
  },
  "openai-responses": {
    reply: (usage) =>
      named(
        { type: "response.created", response: { id: "r" } },
        { type: "response.output_item.added", item: { ...item, content: [] } },
        { type: "response.content_part.added", part: { type: "output_text", text: "" } },
        { type: "response.output_text.delta", delta: "Hello." },
        { type: "response.output_item.done", item },
        { type: "response.completed", response: { id: "r", status: "completed", usage } },
      ),
    counts: (input, output) => ({ input_tokens: input, output_tokens: output }),
    error: (code) =>
      named({ type: "response.created", response: { id: "r" } }, { type: "error", code, message: "boom" }),
    document: {
      id: "r",
      object: "response",
      status: "completed",
      output: [item, called],
      usage: { input_tokens: "10", output_tokens: 5, total_tokens: 15 },
    },
  },
  "google-generative-ai": {
    reply: (usage) =>
      sse({
        candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
        usageMetadata: usage,
      }),
    counts: (input, output) => ({ promptTokenCount: input, candidatesTokenCount: output }),
    error: (code) =>
      sse({ candidates: [{ content: { parts: [{ text: "Hel" }] } }] }) + sse({ error: { code, message: "boom" } }),
    document: {
      candidates: [
        {
          content: { role: "model", parts: [{ text: "Hello." }, { functionCall: { name: "bash", args: { n: 1 } } }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: "10", candidatesTokenCount: 5 },
    },
  },
  "anthropic-messages": {
    reply: (usage) =>
      named(
        { type: "message_start", message: { id: "m", usage } },
        ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "Hello." }),
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
        { type: "message_stop" },
      ),
    counts: (input, output) => ({ input_tokens: input, output_tokens: output }),
    error: (code) =>
      named({ type: "message_start", message: { id: "m", usage: {} } }) +
      sse({ type: "error", error: { type: "odd", code, message: "boom" } }, "error"),
    document: {
      id: "m",
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: "Hello." },
        { type: "tool_use", id: "c", name: "bash", input: { n: 1 } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: "10", output_tokens: 5 },
    },
  },
};

describe.each(Object.keys(formats) as ApiName[])("over %s", (api) => {
  const given = cases[api];

  async function answered(...script: Parameters<typeof openAgent>[0][]) {
    const runs: unknown[] = [];
    const bash = tool("bash", async (_id, params) => {
      runs.push(params);
      return says("ran");
    });
    await using t = await openAgent(script.flat() as never, { model: { api }, config: { retries: 1 }, tools: [bash] });
    const outcome = await (await t.agent.send("go")).turn;
    return { outcome, runs, stored: t.stored() as any[], story: await t.story(), asked: t.server.requests.length };
  }

  it.each<[string, unknown]>([
    ["a text", "5"],
    ["less than nothing", -5],
    ["null", null],
    ["a word", "many"],
    ["more than there can be", 1e300],
    ["a list", [5]],
  ])("keeps a reply whose token count is %s", async (_what, count) => {
    const { outcome, stored, asked } = await answered([raw(given.reply(given.counts(10, count)))]);
    expect([outcome.reason, outcome.text, asked]).toEqual(["completed", "Hello.", 1]);
    expect(outcome.usage).toMatchObject({ input: 10, output: count === "5" ? 5 : 0 });
    expect(stored.at(-1).message).toMatchObject({ content: [{ type: "text", text: "Hello." }], stopReason: "stop" });
  });

  it.each<[string, unknown]>([
    ["missing", undefined],
    ["null", null],
    ["a number", 7],
    ["a text", "none"],
    ["a list", []],
  ])("keeps a reply whose usage is %s", async (_what, usage) => {
    const { outcome, asked } = await answered([raw(given.reply(usage))]);
    expect([outcome.reason, outcome.text, asked]).toEqual(["completed", "Hello.", 1]);
  });

  it("keeps a reply whose usage contains NaN", async () => {
    const reply = given.reply(given.counts(10, 12345)).replaceAll("12345", "NaN");
    const { outcome, asked } = await answered([raw(reply)]);
    expect([outcome.reason, outcome.text, asked]).toEqual(["completed", "Hello.", 1]);
  });

  it.each([500, "500", 503, 429])("retries after an error with code %j inside the stream", async (code) => {
    const { outcome, story, asked } = await answered([raw(given.error(code)), text("ok")]);
    expect([outcome.reason, outcome.text, asked]).toEqual(["completed", "ok", 2]);
    expect(story.find((line) => line.startsWith("retry_start"))).toMatch(new RegExp(`${code}.*boom`));
  });

  it("reports an error with code 400 inside the stream as final", async () => {
    const { outcome, asked } = await answered([raw(given.error(400))]);
    expect([outcome.error?.code, asked]).toEqual(["AGENT_MODEL", 1]);
    expect(outcome.error?.message).toMatch(/400.*boom/);
  });

  it.each([
    ["as JSON", "application/json"],
    ["under the name of a stream", "text/event-stream"],
  ])("reads a reply that is one JSON document %s", async (_how, type) => {
    const { outcome, runs, asked } = await answered([raw(JSON.stringify(given.document, null, 2), type), text("ok")]);
    expect([outcome.reason, outcome.text, runs, asked]).toEqual(["completed", "ok", [{ n: 1 }], 2]);
    expect(outcome.usage).toMatchObject({ input: expect.any(Number) });
  });

  it("refuses another JSON document once, quoting it", async () => {
    const { outcome, asked } = await answered([raw('{"hello": "world"}', "application/json")]);
    expect([outcome.error?.code, asked]).toEqual(["AGENT_MODEL", 1]);
    expect(outcome.error?.message).toContain('a JSON document that is not a reply: {"hello": "world"}');
  });

  it("treats an error document with status 200 as that error", async () => {
    const body = JSON.stringify({ error: { code: 503, message: "come back" } });
    const { outcome, asked } = await answered([raw(body, "application/json"), text("ok")]);
    expect([outcome.reason, outcome.text, asked]).toEqual(["completed", "ok", 2]);
  });
});

describe("a finish reason of a server's own", () => {
  it.each([
    ["eos", "stop"],
    ["eos_token", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
  ])("%s counts as %s", async (given, standard) => {
    const body = cases["openai-completions"].reply({}).replace('"finish_reason":"stop"', `"finish_reason":"${given}"`);
    await using t = await openAgent([raw(body)]);
    const { reason, text, stopReason } = await (await t.agent.send("go")).turn;
    expect({ reason, text, stopReason }).toEqual({ reason: "completed", text: "Hello.", stopReason: standard });
  });
});

describe("a reply that its provider ends early", () => {
  const google = (finishReason: string) =>
    sse({ candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] }, finishReason }] });
  const refused = named(
    { type: "message_start", message: { id: "m", usage: {} } },
    ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "Hel" }),
    { type: "message_delta", delta: { stop_reason: "refusal" }, usage: {} },
    { type: "message_stop" },
  );
  async function outcomeOf(api: ApiName, ...bodies: string[]) {
    await using t = await openAgent(bodies.map((body) => raw(body)) as never, {
      model: { api },
      config: { retries: 1 },
    });
    const { error, text } = await (await t.agent.send("go")).turn;
    return { error: error?.message, text, asked: t.server.requests.length };
  }

  it.each<[ApiName, string, string]>([
    ["anthropic-messages", refused, "the reply ended with refusal"],
    ["google-generative-ai", google("SAFETY"), "the reply ended with SAFETY"],
    [
      "google-generative-ai",
      sse({ promptFeedback: { blockReason: "OTHER" } }),
      "the provider blocked the request (OTHER)",
    ],
  ])("over %s fails with the ending that was given", async (api, body, reason) => {
    const { error, asked } = await outcomeOf(api, body);
    expect([error, asked]).toEqual([`The model call failed: ${reason}`, 1]);
  });

  it("because it could not read a call is asked for again", async () => {
    const whole = cases["google-generative-ai"].reply({});
    expect(await outcomeOf("google-generative-ai", google("MALFORMED_FUNCTION_CALL"), whole)).toEqual({
      error: undefined,
      text: "Hello.",
      asked: 2,
    });
  });
});

describe("the body of a refusal", () => {
  async function refusal(send: (write: (text: string) => boolean) => void) {
    const server = createServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      send((text) => response.write(text));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const response = await wireTo(url, { refusalMs: 100 }).fetch(`${url}/v1`);
      return { status: response.status, text: await response.text() };
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("is read as far as it arrives in time when it does not end", async () => {
    expect(await refusal((write) => write("begun, "))).toEqual({ status: 400, text: "begun, " });
  });

  it("is cut when it is endless", async () => {
    const { text } = await refusal((write) => write("x".repeat(1_000_000)));
    expect(text.length).toBe(65_536);
  });
});
