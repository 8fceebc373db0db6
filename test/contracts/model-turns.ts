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

/** What differs from api to api: where a request goes and how it says things. */
export interface ModelApi {
  api: ApiName;
  path: string;
  /** The key as a header. */
  key: [header: string, value: string];
  /** The part of a request that asks to think, when it was asked to at level "medium". */
  thinks(body: RecordedRequest["body"]): unknown;
  thinking: unknown;
  /** The part of a request that lets the provider find the cached beginning, in a session called "s1". */
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

/** The turns that each api has to carry; call it inside a `describe`. */
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

  it("asks at the right place, with the key in its own header and nowhere else", async () => {
    const { request } = await turn(text("hello"));
    const [header, value] = it_.key;
    expect([request.method, request.path, request.headers[header]]).toEqual(["POST", it_.path, value]);
    const others = Object.entries(request.headers).filter(([name]) => name !== header);
    expect(JSON.stringify([others, request.text])).not.toContain(KEY);
    expect(others.map(([name]) => name)).not.toContain("x-scorel-request");
  });

  it("streams text in the pieces it comes in", async () => {
    const { events, message } = await turn(text("Hello you", [5, 4]));
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))).toEqual(["Hello", " you"]);
    expect(message).toMatchObject({ content: [{ type: "text", text: "Hello you" }], stopReason: "stop" });
  });

  it("delivers each piece as it comes", async () => {
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

  it("thinks at the level asked for", async () => {
    const { message, request } = await turn([thinking("hm, well"), text("yes")], { reasoning: "medium" });
    expect(message?.content).toMatchObject([
      { type: "thinking", thinking: "hm, well" },
      { type: "text", text: "yes" },
    ]);
    expect(it_.thinks(request.body)).toEqual(it_.thinking);
  });

  it("does not ask a model to think that cannot", async () => {
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

  it("takes a result back to the call it answers", async () => {
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

  it("counts tokens, the cached ones apart, and what they cost", async () => {
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

  it("marks what is worth caching, and says which session it is", async () => {
    const { request } = await turn(text("x"), { sessionId: "s1" });
    expect(it_.caches(request)).toEqual(it_.caching);
  });

  it("says when the reply grew too long", async () => {
    const { last, message } = await turn([text("and"), usage({ input: 9, output: 4 }), finish("length")]);
    expect([last.type, message?.stopReason, message?.usage.output]).toEqual(["done", "length", 4]);
  });

  it("sends an image, or says that the model cannot see it", async () => {
    const input = ["text", "image"];
    expect((await turn(text("a cat"), {}, picture, { input })).request.text).toContain("aW1hZ2U=");
    const blind = (await turn(text("?"), {}, picture)).request.text;
    expect([blind.includes("aW1hZ2U="), blind.includes("image omitted")]).toEqual([false, true]);
  });

  it("sends the table's headers", async () => {
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

  it("asks nobody when it is aborted before", async () => {
    const { message, requests } = await turn(text("never"), { signal: AbortSignal.abort() });
    expect([message?.stopReason, requests]).toEqual(["aborted", 0]);
  });

  const args = { command: "rm -rf /tmp/build/x" };
  it.each([
    ["without a finish marker", [text("half a sen"), endEarly()]],
    ["inside a tool's arguments", [toolCall("Bash", args, { upTo: 26 }), endEarly()]],
  ] satisfies [string, Reply][])("takes a reply that ends %s for cut", async (_what, reply) => {
    expect(await failureOf(reply)).toEqual(failed("stream ended without a finish marker"));
  });

  it.each([
    ["in text", [text("half a sen"), cut()]],
    ["in a tool's arguments", [toolCall("Bash", args, { upTo: 26 }), cut()]],
  ] satisfies [string, Reply][])("takes a connection cut %s for a failure", async (_what, reply) => {
    expect(await failureOf(reply)).toEqual(failed(expect.any(String)));
  });

  it.each([
    ["nothing", raw("")],
    ["JSON", raw("{}", "application/json")],
    ["words", raw("hello\n\n")],
    ["an event that is no JSON", raw("event: message_start\ndata: {never\n\n")],
  ] satisfies [string, Reply][])("takes %s instead of a stream for a failure", async (_what, reply) => {
    expect(await failureOf(reply)).toEqual(failed(expect.stringMatching(/./)));
  });

  it("takes a web page for a wrong base url", async () => {
    expect(await failureOf(raw("<html>Login</html>", "text/html"))).toEqual(
      failed("The server answered with a web page (text/html) instead of a stream: is baseUrl right?"),
    );
  });

  it("says what the server said, asks once, and tells the status apart", async () => {
    const { message, requests } = await turn(status(529, { error: { message: "overloaded" } }, { "retry-after": "2" }));
    expect([message?.errorMessage, requests]).toEqual(["529 overloaded", 1]);
    expect((message as { failure?: unknown }).failure).toEqual({ status: 529, retryAfterMs: 2000 });
  });

  it("says what failed inside the stream", async () => {
    expect(await failureOf([text("I"), failure("no more power")])).toEqual(
      failed(expect.stringMatching(/no more power$/)),
    );
  });

  it("calls a filtered reply a failure", async () => {
    expect(await failureOf([text("I"), finish("filtered")])).toMatchObject({ type: "error", reason: "error" });
  });

  it("tells of every answer, a refusal too", async () => {
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

  it("names a server that is not there", async () => {
    const server = await startModelServer([]);
    await server.close();
    await using model = await withModel({ api, baseUrl: server.baseUrlFor(api) });
    const { errorMessage } = await (await model.stream(context, {})).result();
    expect(errorMessage).toBe(`cannot reach 127.0.0.1:${server.port} (ECONNREFUSED)`);
  });

  it("keeps a key out of what a server repeats", async () => {
    const { error } = await failureOf(status(401, { error: { message: `bad key ${KEY}` } }));
    expect(error).toBe("401 bad key [redacted]");
  });

  it("leaves the process as it was", async () => {
    const before = [globalThis.fetch, { ...process.env }];
    await turn(text("x"));
    expect([globalThis.fetch, { ...process.env }]).toEqual(before);
  });
}
