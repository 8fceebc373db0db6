import type { Api, AssistantMessageEvent, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";
import type { Services } from "@scorel/kernel";
import model from "@scorel/model";
import type {} from "@scorel/model/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { explained } from "../../plugins/model/wire/explain.ts";
import { testKernel } from "../harness.ts";
import {
  cut,
  delayUntil,
  endEarly,
  finish,
  gate,
  hang,
  type Reply,
  raw,
  type Script,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  usage,
} from "../model-server.ts";

const custom = {
  type: "custom",
  api: "openai-completions",
  provider: "test",
  id: "m1",
  contextWindow: 8000,
  maxTokens: 1000,
};
const context: Context = { systemPrompt: "Be brief.", messages: [{ role: "user", content: "hi", timestamp: 1 }] };

beforeEach(() => {
  vi.stubEnv("TEST_KEY", "sk-test-0123456789");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The plugin's model service with this table `[model]`, `--model` and tables `[models.<name>]` if given. */
async function service(config: object | undefined, asked?: string, tables: object = {}) {
  const workspace = { model: asked } as Services["workspace"];
  const modelTables = { tables } as Services["modelTables"];
  const opened = await testKernel([{ plugin: model, config }], { services: { workspace, modelTables } });
  return {
    service: opened.kernel.find("model") as Services["model"],
    [Symbol.asyncDispose]: opened[Symbol.asyncDispose],
  };
}

async function currentOf(config: object | undefined, asked?: string): Promise<Model<Api>> {
  await using opened = await service(config, asked);
  return opened.service.current();
}

/** The code and message that `current` throws. */
async function refusal(
  config: object | undefined,
  asked?: string,
  tables?: object,
): Promise<{ code: string; message: string }> {
  await using opened = await service(config, asked, tables);
  try {
    opened.service.current();
  } catch (thrown) {
    const { code, message } = thrown as { code: string; message: string };
    return { code, message };
  }
  throw new Error("nothing was refused");
}

/** All events of one request to a server that plays this script. */
async function eventsOf(script: Script, config: object = {}, options: SimpleStreamOptions = {}) {
  await using server = await startModelServer(script);
  await using opened = await service({ ...custom, baseUrl: server.baseUrl, apiKeyEnv: "TEST_KEY", ...config });
  const events: AssistantMessageEvent[] = [];
  for await (const event of await opened.service.stream(context, options)) events.push(event);
  return { events, last: events.at(-1) as AssistantMessageEvent, requests: server.requests };
}

/** The error that ends a request. */
async function failureOf(script: Script, config: object = {}) {
  const { last, requests } = await eventsOf(script, config);
  if (last.type !== "error") throw new Error(`ended with ${last.type}`);
  return {
    reason: last.reason,
    message: last.error.errorMessage,
    content: last.error.content,
    requests: requests.length,
  };
}

describe("a request", () => {
  it("contains what the server needs, and nothing more", async () => {
    const { requests } = await eventsOf([text("hello")]);
    const [{ path, headers, body }] = requests as [(typeof requests)[0]];
    expect({ path, authorization: headers.authorization, body }).toEqual({
      path: "/v1/chat/completions",
      authorization: "Bearer sk-test-0123456789",
      body: {
        model: "m1",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "hi" },
        ],
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 1000,
      },
    });
  });

  it("streams thinking, text and tool calls, with usage and cost", async () => {
    const { last } = await eventsOf(
      [
        [
          thinking("hm"),
          text("I look", 3),
          toolCall("Read", { path: "a" }, { id: "c1", pieces: 4 }),
          usage({ input: 100, output: 10, cached: 40 }),
        ],
      ],
      { cost: { input: 1, output: 10, cacheRead: 0.5 } },
    );
    expect(last).toMatchObject({
      type: "done",
      reason: "toolUse",
      message: {
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I look" },
          { type: "toolCall", id: "c1", name: "Read", arguments: { path: "a" } },
        ],
        usage: { input: 60, output: 10, cacheRead: 40, totalTokens: 110, cost: { total: expect.closeTo(0.00018, 12) } },
        stopReason: "toolUse",
      },
    });
  });

  it("reports that the reply reached the output limit", async () => {
    expect((await eventsOf([[text("and"), finish("length")]])).last).toMatchObject({ type: "done", reason: "length" });
  });

  it("sends the headers of the configuration", async () => {
    const { requests } = await eventsOf([text("x")], { headers: { "x-team": "blue" } });
    expect(requests[0]?.headers["x-team"]).toBe("blue");
  });

  it("to a local server has no key", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-real-openai-key");
    vi.stubEnv("OPENAI_ORG_ID", "org-real");
    const { requests } = await eventsOf([text("x")], { apiKeyEnv: undefined, provider: "openai" });
    expect(requests[0]?.headers.authorization).toBe("Bearer none");
    expect(JSON.stringify(requests)).not.toContain("real");
  });

  it("ends when it is aborted while the server is silent", async () => {
    await using server = await startModelServer([[text("I wo"), hang()]]);
    await using opened = await service({ ...custom, baseUrl: server.baseUrl });
    const abort = new AbortController();
    const seen: string[] = [];
    for await (const event of await opened.service.stream(context, { signal: abort.signal })) {
      seen.push(event.type);
      if (event.type === "text_delta") abort.abort();
      if (event.type === "error")
        expect([event.reason, event.error.errorMessage]).toEqual(["aborted", "Request was aborted"]);
    }
    expect(seen.at(-1)).toBe("error");
    expect(await server.requests[0]?.over).toBe("gone");
  });

  it("passes on each piece at once", async () => {
    const here = gate();
    await using server = await startModelServer([[text("one"), delayUntil(here.promise), text("two")]]);
    await using opened = await service({ ...custom, baseUrl: server.baseUrl });
    const deltas: string[] = [];
    for await (const event of await opened.service.stream(context, {})) {
      if (event.type !== "text_delta") continue;
      deltas.push(event.delta);
      here.open();
    }
    expect(deltas).toEqual(["one", "two"]);
  });
});

describe("a failing server", () => {
  it.each([
    ["Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ["Unexpected token '<', \"<html>{\"... is not valid JSON"],
    ["Unexpected end of JSON input"],
  ])("whose answer is not JSON is reported: %s", (message) => {
    expect(explained(message, "http://models.example/v1", {} as never)).toBe(
      `the answer of models.example is not valid JSON (${message})`,
    );
  });

  it("gets a single request: retries are made elsewhere", async () => {
    const failure = await failureOf([status(529, { error: { message: "overloaded" } }), text("never")]);
    expect(failure).toEqual({ reason: "error", message: "529 overloaded", content: [], requests: 1 });
    const plain = await failureOf([status(404, { error: 'model "fake" not found, try pulling it' }), text("never")]);
    expect(plain.message).toBe('404 model "fake" not found, try pulling it');
  });

  it("that ends without a finish marker causes an error with the partial reply", async () => {
    const failure = await failureOf([[text("half a sen"), endEarly()]]);
    expect(failure).toMatchObject({
      reason: "error",
      message: "stream ended without a finish marker",
      content: [{ type: "text", text: "half a sen" }],
    });
  });

  it("that breaks the connection inside tool arguments causes an error", async () => {
    const failure = await failureOf([[toolCall("Bash", { command: "rm -rf /tmp/build/x" }, { upTo: 26 }), cut()]]);
    expect([failure.reason, failure.message]).toEqual(["error", "connection closed before the reply was complete"]);
  });

  it("that ends regularly inside tool arguments causes an error", async () => {
    const failure = await failureOf([[toolCall("Bash", { command: "rm -rf /tmp/build/x" }, { upTo: 26 }), endEarly()]]);
    expect(failure.message).toBe("stream ended without a finish marker");
  });

  it("that sends no answer causes an error", async () => {
    expect((await failureOf([raw("")])).message).toBe("empty reply: stream ended without a finish marker");
  });

  it("that answers with a web page causes an error that mentions the base url", async () => {
    expect((await failureOf([raw("<html>Login</html>", "text/html; charset=utf-8")])).message).toBe(
      "The server answered with a web page (text/html; charset=utf-8) instead of a stream: is baseUrl right?",
    );
  });

  it("that redirects causes an error, and the other server gets no request", async () => {
    await using elsewhere = await startModelServer([text("stolen")]);
    const failure = await failureOf([status(307, "", { location: `${elsewhere.baseUrl}/chat/completions` })]);
    expect(failure.message).toContain(`redirects to http://127.0.0.1:${elsewhere.port}, which is not followed`);
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([
    ["an error inside the stream", raw('data: {"error":{"message":"out of memory"}}\n\n'), "out of memory"],
    ["a filtered reply", [text("I"), finish("filtered")], "Provider finish_reason: content_filter"],
    [
      "JSON instead of a stream",
      raw('{"choices":[]}', "application/json"),
      'The server answered with a JSON document that is not a reply: {"choices":[]}',
    ],
    ["only the end of a stream", raw("data: [DONE]\n\n"), "empty reply: stream ended without a finish marker"],
  ] satisfies [string, Reply, string][])("that sends %s causes an error", async (_what, reply, message) => {
    expect((await failureOf([reply])).message).toBe(message);
  });

  it("that cannot be reached is named", async () => {
    const server = await startModelServer([]);
    await server.close();
    expect((await failureOf([], { baseUrl: server.baseUrl })).message).toBe(
      `cannot reach 127.0.0.1:${server.port} (ECONNREFUSED)`,
    );
  });

  it("that sends too large headers is not said to be unreachable", async () => {
    const { message } = await failureOf([status(500, {}, { "x-big": "h".repeat(20_000) })]);
    expect(message).toMatch(/^the headers of the answer of 127\.0\.0\.1:\d+ are too large \(HPE_HEADER_OVERFLOW\)$/);
  });

  it("that sends a whole page with an error is quoted only with its beginning, and without parts of the key", async () => {
    const { message } = await failureOf([status(500, `${"e".repeat(590)}sk-test-0123456789${"e".repeat(1_000_000)}`)]);
    expect(message).toBe(`500 ${"e".repeat(590)}[redac…`);
  });

  it("that repeats the key in its message does not reveal it", async () => {
    const failure = await failureOf([status(401, { error: { message: "bad key sk-test-0123456789" } })]);
    expect(failure.message).toBe("401 bad key [redacted]");
  });
});

describe("the kind of a failure is recognized by its message", () => {
  it.each([
    ["a status", status(503, {}), { status: 503 }],
    ["how long to wait, in seconds", status(429, {}, { "retry-after": "7" }), { status: 429, retryAfterMs: 7_000 }],
    ["or in milliseconds", status(429, {}, { "retry-after-ms": "250" }), { status: 429, retryAfterMs: 250 }],
    [
      "or until a date",
      status(429, {}, { "retry-after": new Date(0).toUTCString() }),
      { status: 429, retryAfterMs: 0 },
    ],
    ["but not what cannot be read", status(429, {}, { "retry-after": "soon" }), { status: 429 }],
    ["nothing when the stream itself failed", raw('data: {"error":{"message":"oops"}}\n\n'), undefined],
  ] satisfies [string, Reply, unknown][])("%s", async (_what, reply, failure) => {
    await using server = await startModelServer([reply]);
    await using opened = await service({ ...custom, baseUrl: server.baseUrl });
    const ended = await (await opened.service.stream(context, {})).result();
    expect((ended as { failure?: unknown }).failure).toEqual(failure);
  });
});

describe("the table [model]", () => {
  it("configures a custom model", async () => {
    expect(await currentOf({ ...custom, baseUrl: "https://models.example/v1", apiKeyEnv: "TEST_KEY" })).toEqual({
      id: "m1",
      name: "m1",
      api: "openai-completions",
      provider: "test",
      baseUrl: "https://models.example/v1",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 8000,
      maxTokens: 1000,
      compat: {
        supportsDeveloperRole: false,
        supportsStore: false,
        supportsStrictMode: false,
        supportsLongCacheRetention: false,
        maxTokensField: "max_tokens",
      },
    });
  });

  it("sends parameters of OpenAI's own servers only to them", async () => {
    const { compat } = await currentOf({ ...custom, baseUrl: "https://api.openai.com/v1", apiKeyEnv: "TEST_KEY" });
    expect(compat).toBeUndefined();
  });

  it("sets a model's own time limits, for either type", async () => {
    vi.stubEnv("OPENROUTER_API_KEY", "sk-or-0123456789");
    const builtin = { type: "builtin", provider: "openrouter", id: "openai/gpt-4o-mini", idleTimeout: 900 };
    expect(await currentOf(builtin)).toMatchObject({ idleTimeout: 900 });
    expect(await currentOf({ ...custom, baseUrl: "http://127.0.0.1:1/v1", idleTimeout: 9 })).toMatchObject({
      idleTimeout: 9,
    });
  });

  it("selects a built-in model, with its provider's usual key", async () => {
    vi.stubEnv("OPENROUTER_API_KEY", "sk-or-0123456789");
    const found = await currentOf({ type: "builtin", provider: "openrouter", id: "openai/gpt-4o-mini" });
    expect([found.provider, found.id, found.api]).toEqual(["openrouter", "openai/gpt-4o-mini", "openai-completions"]);
  });

  it("tells how to set a model if it is missing", async () => {
    const { code, message } = await refusal(undefined);
    expect(code).toBe("MODEL_NONE");
    expect(message).toMatch(/^No model configured\..*scorel login openai .*scorel login custom .*scorel demo /s);
    // It fits a small screen.
    expect(Math.max(...message.split("\n").map((line) => line.length))).toBeLessThan(80);
  });

  it.each([
    ["an unknown key", { ...custom, baseUrl: "http://127.0.0.1/v1", temperatur: 1 }, /temperatur/],
    ["a key of the other type", { type: "builtin", provider: "groq", id: "x", baseUrl: "http://x" }, /baseUrl/],
    ["a missing type", { provider: "groq", id: "x" }, /type: is missing: write type = "builtin"/],
    ["another type", { type: "local" }, /type: it must be "builtin" or "custom"/],
    ["an unknown api", { ...custom, api: "soap", baseUrl: "http://127.0.0.1/v1" }, /api/],
    ["a missing window", { ...custom, contextWindow: undefined, baseUrl: "http://127.0.0.1/v1" }, /contextWindow/],
  ])("with %s is refused", async (_what, config, message) => {
    await expect(testKernel([{ plugin: model, config }])).rejects.toMatchObject({
      code: "PLUGIN_CONFIG",
      message: expect.stringMatching(message),
    });
  });

  it("with a key instead of a variable's name is refused without showing it", async () => {
    const config = { ...custom, baseUrl: "https://models.example/v1", apiKeyEnv: "sk-proj-abc" };
    const failed = testKernel([{ plugin: model, config }]);
    await expect(failed).rejects.toThrow("must be the NAME of an environment variable");
    await expect(failed).rejects.not.toThrow("sk-proj");
  });

  it.each([
    ["anthropic", "claude-opus-4-5", "ANTHROPIC_API_KEY", "anthropic-messages"],
    ["google", "gemini-2.5-pro", "GEMINI_API_KEY", "google-generative-ai"],
    ["openai", "gpt-5.4-mini", "OPENAI_API_KEY", "openai-responses"],
    ["groq", "llama-3.3-70b-versatile", "GROQ_API_KEY", "openai-completions"],
  ])("selects a model of %s", async (provider, id, variable, api) => {
    vi.stubEnv(variable, "sk-0123456789");
    expect(await currentOf({ type: "builtin", provider, id })).toMatchObject({ provider, id, api });
  });

  it("with a built-in model of an unsupported api is refused", async () => {
    const { code, message } = await refusal({ type: "builtin", provider: "mistral", id: "devstral-medium-latest" });
    expect([code, message.includes('"mistral-conversations", which Scorel does not support')]).toEqual([
      "MODEL_API_UNSUPPORTED",
      true,
    ]);
  });

  it.each([
    ["anthropic-messages", "https://models.example/v1", "which anthropic-messages adds itself", "https://host"],
    ["anthropic-messages", "https://models.example/v1/messages", 'ends with "/messages"', "https://host"],
    ["google-generative-ai", "https://models.example", "lacks the version", "https://host/v1beta"],
    ["openai-responses", "https://models.example/", "lacks the path", "https://host/v1"],
    ["openai-completions", "https://models.example/v1/chat/completions", "which the api adds", "https://host/v1"],
  ])("with api %s at %s is refused, and tells where to use it", async (api, baseUrl, reason, form) => {
    const { code, message } = await refusal({ ...custom, api, baseUrl, apiKeyEnv: "TEST_KEY" });
    expect([code, message.includes(reason), message.includes(`Write it as "${form}".`)]).toEqual([
      "MODEL_BASE_URL",
      true,
      true,
    ]);
  });

  it("with an unknown provider or model suggests the nearest one", async () => {
    expect(await refusal({ type: "builtin", provider: "opnrouter", id: "x" })).toMatchObject({
      code: "MODEL_UNKNOWN_PROVIDER",
      message: expect.stringContaining('Did you mean "openrouter"?'),
    });
    expect(await refusal({ type: "builtin", provider: "deepseek", id: "deepseek-v4-flsh" })).toMatchObject({
      code: "MODEL_UNKNOWN",
      message: expect.stringContaining('Did you mean "deepseek-v4-flash"'),
    });
  });

  it("with a name that is far too long gets its error at once", { timeout: 5_000 }, async () => {
    const id = "x".repeat(300_000);
    const { code, message } = await refusal({ type: "builtin", provider: "openrouter", id });
    expect([code, message.includes("Did you mean")]).toEqual(["MODEL_UNKNOWN", false]);
  });

  it.each([
    ["no scheme", "models.example/v1", "has no scheme"],
    ["a host and port alone", "localhost:11434/v1", "has no scheme"],
    ["credentials", "https://me:hunter2@models.example/v1", "holds a user name or password"],
    ["a query", "https://models.example/v1?key=hunter2", 'holds a "?"'],
    ["a variable to fill in", "https://models.example/{TEST_KEY}", "holds braces"],
    ["nonsense", "https://", "is not a URL"],
  ])("with %s in baseUrl is refused without showing it", async (_what, baseUrl, reason) => {
    const { code, message } = await refusal({ ...custom, baseUrl, apiKeyEnv: "TEST_KEY" });
    expect([code, message.includes(reason), message.includes("hunter2")]).toEqual(["MODEL_BASE_URL", true, false]);
  });
});

describe("a key", () => {
  const config = { ...custom, baseUrl: "https://models.example/v1", apiKeyEnv: "TEST_KEY" };

  it("in an unset variable is reported by the variable's name", async () => {
    vi.stubEnv("TEST_KEY", undefined);
    const { code, message } = await refusal(config);
    expect([code, message.includes("TEST_KEY is not set")]).toEqual(["MODEL_KEY_MISSING", true]);
  });

  it("is required unless the server is local", async () => {
    expect((await refusal({ ...config, apiKeyEnv: undefined })).code).toBe("MODEL_KEY_UNNAMED");
    const local = ["http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"];
    for (const baseUrl of local) await currentOf({ ...config, apiKeyEnv: undefined, baseUrl });
  });

  it.each(["sk-abc\n", "sk abc", "sk-\u00e4bc"])(
    "with an invalid character is refused without showing it",
    async (value) => {
      vi.stubEnv("TEST_KEY", value);
      const { code, message } = await refusal(config);
      expect([code, message.includes("TEST_KEY"), message.includes(value.trim())]).toEqual([
        "MODEL_KEY_INVALID",
        true,
        false,
      ]);
    },
  );

  it("that is missing also causes an error event of a request", async () => {
    vi.stubEnv("TEST_KEY", undefined);
    expect((await failureOf([])).message).toContain("TEST_KEY is not set");
  });
});

describe("--model", () => {
  const config = { ...custom, baseUrl: "https://models.example/v1", apiKeyEnv: "TEST_KEY" };

  it("with the configured provider changes only the id", async () => {
    const before = await currentOf(config);
    expect(await currentOf(config, "test/family/m2")).toEqual({ ...before, id: "family/m2", name: "family/m2" });
  });

  it("with another provider selects a built-in model and that provider's key", async () => {
    vi.stubEnv("GROQ_API_KEY", undefined);
    const { code, message } = await refusal(config, "groq/llama-3.3-70b-versatile");
    expect([code, message.includes("GROQ_API_KEY")]).toEqual(["MODEL_KEY_MISSING", true]);
  });

  it("works without a configured table", async () => {
    vi.stubEnv("GROQ_API_KEY", "gsk_0123456789");
    expect((await currentOf(undefined, "groq/llama-3.3-70b-versatile")).provider).toBe("groq");
  });

  it("offline/demo selects the demonstration model, whatever is configured", async () => {
    vi.stubEnv("TEST_KEY", undefined);
    expect(await currentOf(config, "offline/demo")).toMatchObject({ provider: "offline", id: "demo" });
  });

  it("names the only offline model if another one is requested", async () => {
    const { code, message } = await refusal(config, "offline/fast");
    expect([code, message.includes('Did you mean "demo"')]).toEqual(["MODEL_UNKNOWN", true]);
  });

  it("takes the configured one also without its provider, and names it by its whole name for any other word", async () => {
    vi.stubEnv("TEST_KEY", "k-0123456789");
    expect(await currentOf(config, "m1")).toMatchObject({ provider: "test", id: "m1" });
    expect((await refusal(config, "m2")).message).toBe('"m2" is not a model name. Write provider/id, such as test/m1.');
  });

  it("is refused with the names of the tables that may be chosen, too", async () => {
    const { message } = await refusal(config, "smal", { small: { ...config, id: "m3" } });
    expect(message).toBe(
      '"smal" is not a model name. Write provider/id, such as test/m1, or the name of a [models.<name>] table: small.',
    );
  });

  it.each(["m2", "/m2", "test/"])("%s is not a model name", async (asked) => {
    expect((await refusal(config, asked)).code).toBe("MODEL_NAME");
  });
});

it("the plugin leaves nothing behind", async () => {
  await using opened = await testKernel([]);
  const before = opened.kernel.census();
  await opened.kernel.load({ plugin: model, origin: "test" });
  await opened.kernel.unload("model");
  expect(opened.kernel.census()).toEqual(before);
});
