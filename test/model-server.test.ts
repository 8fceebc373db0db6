import { describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";
import {
  type ApiName,
  cut,
  delayUntil,
  endEarly,
  failure,
  finish,
  formats,
  gate,
  hang,
  type Reply,
  raw,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  usage,
} from "./model-server.ts";
import { spawnModelServer } from "./model-server-process.ts";

const body = { model: "m", stream: true, stream_options: { include_usage: true }, messages: [] };

function post(baseUrl: string, signal?: AbortSignal): Promise<Response> {
  const init = { method: "POST", headers: { authorization: "Bearer k" }, body: JSON.stringify(body), signal };
  return fetch(`${baseUrl}/chat/completions`, init);
}

/** The chunks of a reply without their constant fields. */
async function chunks(baseUrl: string): Promise<unknown[]> {
  const sent = await (await post(baseUrl)).text();
  const lines = sent.split("\n\n").filter((line) => line !== "");
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map((line) => {
    const { choices, usage, id } = JSON.parse(line.slice("data: ".length));
    expect(id).toBe("chatcmpl-0");
    return usage ? { usage } : [choices[0].delta, choices[0].finish_reason];
  });
}

async function chunksOf(reply: Reply): Promise<unknown[]> {
  await using server = await startModelServer([reply]);
  return await chunks(server.baseUrl);
}

const standardUsage = {
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 0 } },
};

describe("a model server", () => {
  it("sends text in the given pieces", async () => {
    expect(await chunksOf(text("Hello you", [1, 4]))).toEqual([
      [{ role: "assistant", content: "" }, null],
      [{ content: "H" }, null],
      [{ content: "ello" }, null],
      [{ content: " you" }, null],
      [{}, "stop"],
      standardUsage,
    ]);
  });

  it("sends thinking, text and tool calls as OpenAI-compatible servers do", async () => {
    const reply = [
      thinking("hm"),
      text("I look"),
      toolCall("Read", { p: 1 }, { pieces: 4 }),
      toolCall("Bash", {}, { id: "b" }),
    ];
    const call = (index: number, rest: object) => [{ tool_calls: [{ index, ...rest }] }, null];
    expect(await chunksOf(reply)).toEqual([
      [{ role: "assistant", content: "" }, null],
      [{ reasoning_content: "hm" }, null],
      [{ content: "I look" }, null],
      call(0, { id: "call_0_0", type: "function", function: { name: "Read", arguments: "" } }),
      call(0, { function: { arguments: '{"p"' } }),
      call(0, { function: { arguments: ":1}" } }),
      call(1, { id: "b", type: "function", function: { name: "Bash", arguments: "" } }),
      call(1, { function: { arguments: "{}" } }),
      [{}, "tool_calls"],
      standardUsage,
    ]);
  });

  it("reports the given usage and finish reason", async () => {
    const sent = await chunksOf([usage({ input: 7, output: 3, cached: 2 }), text("x"), finish("length")]);
    expect(sent.slice(-2)).toEqual([
      [{}, "length"],
      {
        usage: {
          prompt_tokens: 7,
          completion_tokens: 3,
          total_tokens: 10,
          prompt_tokens_details: { cached_tokens: 2 },
        },
      },
    ]);
  });

  it("records each request with its headers and body", async () => {
    await using server = await startModelServer([text("x"), text("y")]);
    const second = server.request(1);
    await (await post(server.baseUrl)).text();
    await (await post(server.baseUrl)).text();
    const { method, path, headers, unexpected, over, body: sent } = await second;
    expect([method, path, headers.authorization, unexpected, await over, sent]).toEqual([
      "POST",
      "/v1/chat/completions",
      "Bearer k",
      false,
      "finished",
      body,
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it("answers a request beyond the script with a clear error and marks it", async () => {
    await using server = await startModelServer([]);
    const response = await post(server.baseUrl);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { message: "The script has no reply for request 0." } });
    expect(server.requests.map((request) => request.unexpected)).toEqual([true]);
  });

  it("answers no other path", async () => {
    await using server = await startModelServer([text("x")]);
    const response = await fetch(`${server.baseUrl}/models`);
    expect([response.status, server.requests[0]?.unexpected]).toEqual([404, true]);
  });

  it("can answer with a function", async () => {
    await using server = await startModelServer((request, index) => text(`${request.body.model} ${index}`));
    expect(await (await post(server.baseUrl)).text()).toContain('"content":"m 0"');
  });

  it("answers with a status, headers and a body", async () => {
    await using server = await startModelServer([
      status(429, { error: { message: "slow down" } }, { "retry-after": "1" }),
    ]);
    const response = await post(server.baseUrl);
    expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
      429,
      "1",
      { error: { message: "slow down" } },
    ]);
  });

  it("answers with any body", async () => {
    await using server = await startModelServer([raw("<html>", "text/html")]);
    const response = await post(server.baseUrl);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "text/html",
      "<html>",
    ]);
  });

  it("cuts the connection in the middle of tool arguments, after all that came before", async () => {
    await using server = await startModelServer([
      [toolCall("Bash", { command: "rm -rf /tmp/x" }, { upTo: 18 }), cut()],
    ]);
    const response = await post(server.baseUrl);
    const seen = await readUntilBroken(response);
    expect(seen.end).toBe("broken");
    expect(seen.text).toContain(JSON.stringify('{"command":"rm -rf').slice(1, -1));
    expect(await (await server.request(0)).over).toBe("gone");
  });

  it("ends a response without any finish marker", async () => {
    await using server = await startModelServer([[text("half"), endEarly()]]);
    const seen = await readUntilBroken(await post(server.baseUrl));
    expect([seen.end, seen.text.includes("[DONE]"), seen.text.includes('"finish_reason":"')]).toEqual([
      "ended",
      false,
      false,
    ]);
  });

  it("hangs until the client goes away", async () => {
    await using server = await startModelServer([hang()]);
    const abort = new AbortController();
    const response = await post(server.baseUrl, abort.signal);
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    expect(await (await server.request(0)).over).toBe("gone");
  });

  it("waits for a promise between two parts", async () => {
    const here = gate();
    await using server = await startModelServer([[text("before"), delayUntil(here.promise), text("after")]]);
    const reader = (await post(server.baseUrl)).body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!seen.includes("before")) seen += (await reader.read()).value;
    expect(seen).not.toContain("after");
    here.open();
    while (!seen.includes("[DONE]")) seen += (await reader.read()).value;
    expect(seen).toContain("after");
  });

  it("can run in a separate process", async () => {
    await using server = await spawnModelServer([text("from afar")]);
    expect(await chunks(server.baseUrl)).toContainEqual([{ content: "from afar" }, null]);
    expect((await post(server.baseUrl)).status).toBe(500);
    // Requests are reported over another channel than responses, and may arrive later.
    await eventually(() => expect(server.requests.map((request) => request.body)).toEqual([body, body]));
  });
});

/** The path of each API's requests, below the server's address. */
const paths: Record<ApiName, string> = {
  "openai-completions": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "google-generative-ai": "/v1beta/models/m:streamGenerateContent?alt=sse",
  "anthropic-messages": "/v1/messages",
};

/** The events of a reply: their names if the API names them, otherwise their data. */
async function eventsOf(api: ApiName, reply: Reply): Promise<unknown[]> {
  await using server = await startModelServer([reply]);
  const url = `http://127.0.0.1:${server.port}${paths[api]}`;
  const { text: sent } = await readUntilBroken(await fetch(url, { method: "POST", body: JSON.stringify(body) }));
  const events = sent.split("\n\n").filter((event) => event !== "");
  return events.map(
    (event) => /^event: (.*)/.exec(event)?.[1] ?? (event === "data: [DONE]" ? "[DONE]" : heldIn(event)),
  );
}

function heldIn(event: string): unknown {
  const { choices, candidates } = JSON.parse(event.slice("data: ".length));
  if (candidates) return candidates[0].content?.parts[0] ?? candidates[0].finishReason;
  return choices[0] ? (choices[0].finish_reason ?? Object.keys(choices[0].delta)) : "usage";
}

const story = [
  thinking("hm", 1),
  text("I look"),
  toolCall("Read", { p: 1 }, { pieces: 4 }),
  usage({ input: 9, output: 3 }),
];
const item = (...inside: string[]) =>
  ["output_item.added", ...inside, "output_item.done"].map((name) => `response.${name}`);
const block = (deltas: number) =>
  ["start", ...Array(deltas).fill("delta"), "stop"].map((name) => `content_block_${name}`);

describe("one script", () => {
  it.each([
    [
      "openai-completions",
      [["role", "content"], ["reasoning_content"], ["reasoning_content"], ["content"]].concat(
        Array(3).fill(["tool_calls"]),
        ["tool_calls", "usage", "[DONE]"] as never[],
      ),
    ],
    [
      "openai-responses",
      [
        "response.created",
        "response.in_progress",
        ...item(
          "reasoning_summary_part.added",
          "reasoning_summary_text.delta",
          "reasoning_summary_text.delta",
          "reasoning_summary_text.done",
          "reasoning_summary_part.done",
        ),
        ...item("content_part.added", "output_text.delta", "output_text.done", "content_part.done"),
        ...item("function_call_arguments.delta", "function_call_arguments.delta", "function_call_arguments.done"),
        "response.completed",
      ],
    ],
    [
      "google-generative-ai",
      [
        { text: "h", thought: true },
        { text: "m", thought: true },
        { text: "I look" },
        { functionCall: { name: "Read", args: { p: 1 } } },
        "STOP",
      ],
    ],
    [
      "anthropic-messages",
      ["message_start", "ping", ...block(3), ...block(1), ...block(2), "message_delta", "message_stop"],
    ],
  ] satisfies [ApiName, unknown[]][])("is played as %s", async (api, events) => {
    expect(await eventsOf(api, story)).toEqual(events);
  });

  it.each([
    ["openai-completions", "length", ["length", "usage", "[DONE]"]],
    ["openai-responses", "length", ["response.output_item.done", "response.incomplete"]],
    ["google-generative-ai", "length", [{ text: "x" }, "MAX_TOKENS"]],
    ["google-generative-ai", "filtered", [{ text: "x" }, "SAFETY"]],
    ["anthropic-messages", "filtered", ["content_block_stop", "message_delta", "message_stop"]],
  ] as const)("ends as %s ends for %s", async (api, reason, end) => {
    expect((await eventsOf(api, [text("x"), finish(reason)])).slice(-end.length)).toEqual(end);
  });

  it.each([
    ["openai-responses", "response.failed"],
    ["anthropic-messages", "error"],
  ] as const)("can fail inside the stream of %s", async (api, event) => {
    expect((await eventsOf(api, [text("x"), failure("no more")])).at(-1)).toBe(event);
  });

  it("has a base url for each API", async () => {
    await using server = await startModelServer([]);
    const bases = Object.keys(formats).map((api) => server.baseUrlFor(api as ApiName).replace(/.*:\d+/, ""));
    expect(bases).toEqual(["/v1", "/v1", "/v1beta", ""]);
  });

  it("that accepts a single API answers no other", async () => {
    await using server = await startModelServer([text("x")], formats["anthropic-messages"]);
    expect((await post(`${server.baseUrl}/v1`)).status).toBe(404);
  });
});

async function readUntilBroken(response: Response): Promise<{ text: string; end: "ended" | "broken" }> {
  let seen = "";
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) seen += piece;
    return { text: seen, end: "ended" };
  } catch {
    return { text: seen, end: "broken" };
  }
}
