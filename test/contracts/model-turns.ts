import type { AssistantMessageEvent, Context, SimpleStreamOptions, Tool } from "@mariozechner/pi-ai";
import { expect, it } from "vitest";
import {
  type ApiName,
  cut,
  delayUntil,
  endEarly,
  failure,
  finish,
  gate,
  hang,
  type RecordedRequest,
  type Reply,
  raw,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  usage,
} from "../model-server.ts";
import { withModel } from "../model-service.ts";

/** What differs between APIs: the path and form of requests, and the form of replies. */
export interface ModelApi {
  api: ApiName;
  path: string;
  /** The header with the key. */
  key: [header: string, value: string];
  /** The part of a request that asks for thinking at level "medium". */
  thinks(body: RecordedRequest["body"]): unknown;
  thinking: unknown;
  /** The part of a request that enables prompt caching, in a session with the id "s1". */
  caches(request: RecordedRequest): unknown;
  caching: unknown;
}

const KEY = "sk-test-0123456789";
const read = { name: "Read", description: "Reads", parameters: { type: "object", properties: {} } } as unknown as Tool;
const context: Context = {
  systemPrompt: "Be brief.",
  messages: [{ role: "user", content: "hi", timestamp: 1 }],
  tools: [read],
};
const picture: Context = {
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "what is it?" },
        { type: "image", mimeType: "image/png", data: "aW1hZ2U=" },
      ],
      timestamp: 1,
    },
  ],
};

/** The test cases that each API must pass; call it inside a `describe`. */
export function testModelTurns(it_: ModelApi): void {
  const { api } = it_;

  async function turn(reply: Reply, options: SimpleStreamOptions = {}, asked: Context = context, config: object = {}) {
    await using server = await startModelServer([reply]);
    const baseUrl = server.baseUrlFor(api);
    await using model = await withModel({ api, baseUrl, apiKeyEnv: "TEST_KEY", reasoning: true, ...config });
    const events: AssistantMessageEvent[] = [];
    for await (const event of await model.stream(asked, options)) events.push(event);
    const last = events.at(-1) as AssistantMessageEvent;
    const message = last.type === "error" ? last.error : last.type === "done" ? last.message : undefined;
    return { events, last, message, request: server.requests[0] as RecordedRequest, requests: server.requests.length };
  }

  async function failureOf(reply: Reply) {
    const { last, message, requests } = await turn(reply);
    return { type: last.type, reason: message?.stopReason, error: message?.errorMessage, requests };
  }

  const failed = (error: unknown) => ({ type: "error", reason: "error", error, requests: 1 });

  it("sends the request to the right path, with the key in its header and nowhere else", async () => {
    const { request } = await turn(text("hello"));
    const [header, value] = it_.key;
    expect([request.method, request.path, request.headers[header]]).toEqual(["POST", it_.path, value]);
    const others = Object.entries(request.headers).filter(([name]) => name !== header);
    expect(JSON.stringify([others, request.text])).not.toContain(KEY);
    expect(others.map(([name]) => name)).not.toContain("x-scorel-request");
  });

  it("streams text in the pieces in which it arrives", async () => {
    const { events, message } = await turn(text("Hello you", [5, 4]));
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))).toEqual(["Hello", " you"]);
    expect(message).toMatchObject({ content: [{ type: "text", text: "Hello you" }], stopReason: "stop" });
  });

  it("passes on each piece at once", async () => {
    const here = gate();
    await using server = await startModelServer([[text("one"), delayUntil(here.promise), text("two")]]);
    await using model = await withModel({ api, baseUrl: server.baseUrlFor(api) });
    const deltas: string[] = [];
    for await (const event of await model.stream(context, {})) {
      if (event.type !== "text_delta") continue;
      deltas.push(event.delta);
      here.open();
    }
    expect(deltas).toEqual(["one", "two"]);
  });

  it("thinks at the requested level", async () => {
    const { message, request } = await turn([thinking("hm, well"), text("yes")], { reasoning: "medium" });
    expect(message?.content).toMatchObject([
      { type: "thinking", thinking: "hm, well" },
      { type: "text", text: "yes" },
    ]);
    expect(it_.thinks(request.body)).toEqual(it_.thinking);
  });

  it("does not request thinking from a model without it", async () => {
    const { request } = await turn(text("yes"), { reasoning: "high" }, context, { reasoning: false });
    expect(it_.thinks(request.body)).toBeUndefined();
  });

  it("calls two tools", async () => {
    const calls = [toolCall("Read", { path: "a" }, { pieces: 3 }), toolCall("Read", { path: "b", deep: [1] })];
    const { message } = await turn([text("I look"), ...calls]);
    expect(message?.stopReason).toBe("toolUse");
    expect(message?.content).toMatchObject([
      { type: "text", text: "I look" },
      { type: "toolCall", name: "Read", arguments: { path: "a" } },
      { type: "toolCall", name: "Read", arguments: { path: "b", deep: [1] } },
    ]);
    const ids = message?.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  it("sends a tool result with the id of its call", async () => {
    const { message } = await turn([toolCall("Read", { path: "a" })]);
    if (!message) throw new Error("no call");
    const [call] = message.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
    const result = {
      role: "toolResult" as const,
      toolCallId: call?.id ?? "",
      toolName: "Read",
      content: [{ type: "text" as const, text: "what it said" }],
      isError: false,
      timestamp: 2,
    };
    const { request } = await turn(text("ok"), {}, { ...context, messages: [...context.messages, message, result] });
    expect(request.text).toContain("what it said");
    expect(request.text.split(JSON.stringify((call?.id ?? "").split("|")[0])).length).toBeGreaterThanOrEqual(
      api === "google-generative-ai" ? 1 : 3,
    );
  });

  it("reports tokens, with cached ones separately, and their cost", async () => {
    const cost = { input: 1, output: 10, cacheRead: 0.5 };
    const reply = [text("x"), usage({ input: 100, output: 10, cached: 40 })];
    const { message } = await turn(reply, {}, context, { cost });
    expect(message?.usage).toMatchObject({
      input: 60,
      output: 10,
      cacheRead: 40,
      totalTokens: 110,
      cost: { total: expect.closeTo(0.00018, 12) },
    });
  });

  it("marks the cacheable part of the request, and sends the session id", async () => {
    const { request } = await turn(text("x"), { sessionId: "s1" });
    expect(it_.caches(request)).toEqual(it_.caching);
  });

  it("reports that the reply reached the output limit", async () => {
    const { last, message } = await turn([text("and"), usage({ input: 9, output: 4 }), finish("length")]);
    expect([last.type, message?.stopReason, message?.usage.output]).toEqual(["done", "length", 4]);
  });

  it("sends an image, or a text that says that the model does not support images", async () => {
    const input = ["text", "image"];
    expect((await turn(text("a cat"), {}, picture, { input })).request.text).toContain("aW1hZ2U=");
    const blind = (await turn(text("?"), {}, picture)).request.text;
    expect([blind.includes("aW1hZ2U="), blind.includes("image omitted")]).toEqual([false, true]);
  });

  it("sends the headers of the configuration", async () => {
    const { request } = await turn(text("x"), {}, context, { headers: { "x-team": "blue" } });
    expect(request.headers["x-team"]).toBe("blue");
  });

  it("ends when it is aborted while the server is silent", async () => {
    await using server = await startModelServer([[text("I wo"), hang()]]);
    await using model = await withModel({ api, baseUrl: server.baseUrlFor(api) });
    const abort = new AbortController();
    const stream = await model.stream(context, { signal: abort.signal });
    for await (const event of stream) if (event.type === "text_delta") abort.abort();
    const { stopReason, errorMessage, content } = await stream.result();
    expect([stopReason, errorMessage, content]).toMatchObject([
      "aborted",
      "Request was aborted",
      [{ type: "text", text: "I wo" }],
    ]);
    expect(await server.requests[0]?.over).toBe("gone");
  });

  it("sends no request when it was aborted before", async () => {
    const { message, requests } = await turn(text("never"), { signal: AbortSignal.abort() });
    expect([message?.stopReason, requests]).toEqual(["aborted", 0]);
  });

  const args = { command: "rm -rf /tmp/build/x" };
  it.each([
    ["without a finish marker", [text("half a sen"), endEarly()]],
    ["inside a tool's arguments", [toolCall("Bash", args, { upTo: 26 }), endEarly()]],
  ] satisfies [string, Reply][])("reports a reply that ends %s as cut off", async (_what, reply) => {
    expect(await failureOf(reply)).toEqual(failed("stream ended without a finish marker"));
  });

  it.each([
    ["in text", [text("half a sen"), cut()]],
    ["in a tool's arguments", [toolCall("Bash", args, { upTo: 26 }), cut()]],
  ] satisfies [string, Reply][])("reports a connection that breaks %s as a failure", async (_what, reply) => {
    expect(await failureOf(reply)).toEqual(failed(expect.any(String)));
  });

  it.each([
    ["nothing", raw("")],
    ["JSON", raw("{}", "application/json")],
    ["words", raw("hello\n\n")],
    ["an event that is not JSON", raw("event: message_start\ndata: {never\n\n")],
  ] satisfies [string, Reply][])("reports %s instead of a stream as a failure", async (_what, reply) => {
    expect(await failureOf(reply)).toEqual(failed(expect.stringMatching(/./)));
  });

  it("reports that the base url may be wrong when the answer is a web page", async () => {
    expect(await failureOf(raw("<html>Login</html>", "text/html"))).toEqual(
      failed("The server answered with a web page (text/html) instead of a stream: is baseUrl right?"),
    );
  });

  it("reports the server's message and status after a single request", async () => {
    const { message, requests } = await turn(status(529, { error: { message: "overloaded" } }, { "retry-after": "2" }));
    expect([message?.errorMessage, requests]).toEqual(["529 overloaded", 1]);
    expect((message as { failure?: unknown }).failure).toEqual({ status: 529, retryAfterMs: 2000 });
  });

  it("reports an error event in the stream", async () => {
    expect(await failureOf([text("I"), failure("no more power")])).toEqual(
      failed(expect.stringMatching(/no more power$/)),
    );
  });

  it("reports a filtered reply as a failure", async () => {
    expect(await failureOf([text("I"), finish("filtered")])).toMatchObject({ type: "error", reason: "error" });
  });

  it("reports every response, also refusals", async () => {
    const answers: number[] = [];
    const onResponse = ({ status: code }: { status: number }) => void answers.push(code);
    await turn(text("x"), { onResponse });
    await turn(status(429), { onResponse });
    expect(answers).toEqual([200, 429]);
  });

  it("follows no redirect", async () => {
    await using elsewhere = await startModelServer([text("stolen")]);
    const { error } = await failureOf(status(307, "", { location: `${elsewhere.baseUrl}/x` }));
    expect(error).toContain(`redirects to http://127.0.0.1:${elsewhere.port}, which is not followed`);
    expect(elsewhere.requests).toEqual([]);
  });

  it("names a server that cannot be reached", async () => {
    const server = await startModelServer([]);
    await server.close();
    await using model = await withModel({ api, baseUrl: server.baseUrlFor(api) });
    const { errorMessage } = await (await model.stream(context, {})).result();
    expect(errorMessage).toBe(`cannot reach 127.0.0.1:${server.port} (ECONNREFUSED)`);
  });

  it("removes the key from text that the server repeats", async () => {
    const { error } = await failureOf(status(401, { error: { message: `bad key ${KEY}` } }));
    expect(error).toBe("401 bad key [redacted]");
  });

  it("does not change the fetch and environment of the process", async () => {
    const before = [globalThis.fetch, { ...process.env }];
    await turn(text("x"));
    expect([globalThis.fetch, { ...process.env }]).toEqual(before);
  });
}
