import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ModelApi, testModelTurns } from "../contracts/model-turns.ts";
import { startModelServer, text } from "../model-server.ts";
import { withModel } from "../model-service.ts";

beforeEach(() => {
  vi.stubEnv("TEST_KEY", "sk-test-0123456789");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const bearer: ModelApi["key"] = ["authorization", "Bearer sk-test-0123456789"];
const mark = { type: "ephemeral" };

describe.each<ModelApi>([
  {
    api: "openai-completions",
    path: "/v1/chat/completions",
    key: bearer,
    thinks: (body) => body.reasoning_effort,
    thinking: "medium",
    caches: ({ body }) => body.prompt_cache_key,
    // Only OpenAI's own servers certainly accept it there.
    caching: undefined,
  },
  {
    api: "openai-responses",
    path: "/v1/responses",
    key: bearer,
    thinks: ({ reasoning }) => (reasoning?.effort === "none" ? undefined : reasoning),
    thinking: { effort: "medium", summary: "auto" },
    caches: ({ body, headers }) => [body.prompt_cache_key, headers.session_id],
    caching: ["s1", "s1"],
  },
  {
    api: "google-generative-ai",
    path: "/v1beta/models/m1:streamGenerateContent?alt=sse",
    key: ["x-goog-api-key", "sk-test-0123456789"],
    thinks: ({ generationConfig: { thinkingConfig } }) => thinkingConfig,
    thinking: { includeThoughts: true, thinkingBudget: -1 },
    caches: ({ headers }) => headers.session_id,
    // Google finds cached beginnings by itself.
    caching: undefined,
  },
  {
    api: "anthropic-messages",
    path: "/v1/messages",
    key: ["x-api-key", "sk-test-0123456789"],
    thinks: (body) => body.thinking,
    thinking: { type: "enabled", budget_tokens: 8192, display: "summarized" },
    caches: ({ body: { system, tools, messages } }) => [
      system[0].cache_control,
      tools.at(-1).cache_control,
      messages.at(-1).content.at(-1).cache_control,
    ],
    caching: [mark, mark, mark],
  },
])("a model with the API $api", (api) => {
  testModelTurns(api);
});

describe("environment variables of a library", () => {
  it.each([
    ["openai-completions", { OPENAI_ORG_ID: "org-real", OPENAI_PROJECT_ID: "proj-real" }],
    ["openai-responses", { OPENAI_API_KEY: "sk-real-openai-key", OPENAI_BASE_URL: "https://real.example" }],
    ["anthropic-messages", { ANTHROPIC_AUTH_TOKEN: "real-token", ANTHROPIC_API_KEY: "sk-ant-real" }],
    ["google-generative-ai", { GEMINI_API_KEY: "real-gemini", GOOGLE_GENAI_USE_VERTEXAI: "true" }],
  ] as const)("are not sent to a server of %s that belongs to someone else", async (api, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    await using server = await startModelServer([text("x")]);
    await using model = await withModel({ api, baseUrl: server.baseUrlFor(api), provider: "openai" });
    const { stopReason } = await (
      await model.stream({ messages: [{ role: "user", content: "hi", timestamp: 1 }] }, {})
    ).result();
    expect(stopReason).toBe("stop");
    expect(JSON.stringify(server.requests)).not.toContain("real");
  });
});
