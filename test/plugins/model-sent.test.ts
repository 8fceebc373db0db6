import type { AssistantMessage, Context, Message, ToolResultMessage } from "@mariozechner/pi-ai";
import type { ModelService } from "@scorel/model/contract";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ApiName, type ModelServer, startModelServer, text } from "../model-server.ts";
import { withModel } from "../model-service.ts";

beforeEach(() => vi.stubEnv("TEST_KEY", "sk-test-0123456789"));
afterEach(() => vi.unstubAllEnvs());

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const tools: Context["tools"] = [{ name: "look", description: "Looks.", parameters: { type: "object" } as never }];
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };

/** APIs whose adapter interprets the text of a tool result. */
const signatures: Partial<Record<ApiName, string>> = {
  "openai-responses": '{"type":"reasoning","id":"r1","summary":[]}',
};

interface Round {
  says: string;
  thinks: string;
  calls: number;
  from: string;
  shows: boolean;
  asks: string;
}
const words = fc.constantFrom("", "yes", 'a "quoted" \\ line\n', "日本 🎉", "\ud800 half");
const round: fc.Arbitrary<Round> = fc.record({
  says: words,
  thinks: words,
  calls: fc.nat(3),
  from: fc.constantFrom("m1", "other"),
  shows: fc.boolean(),
  asks: words,
});

/** A reply, the results of its calls, and sometimes a message of the user after them. */
function messagesOf({ says, thinks, calls, from, shows, asks }: Round, api: ApiName, at: number): Message[] {
  const ids = Array.from({ length: calls }, (_, call) => `call_${at}_${call}`);
  const reply: AssistantMessage = {
    role: "assistant",
    content: [
      ...(thinks
        ? [{ type: "thinking" as const, thinking: thinks, thinkingSignature: signatures[api] ?? "signed" }]
        : []),
      ...(says ? [{ type: "text" as const, text: says }] : []),
      ...ids.map((id) => ({ type: "toolCall" as const, id, name: "look", arguments: { at, says } })),
    ],
    api,
    provider: "test",
    model: from,
    usage,
    stopReason: calls > 0 ? "toolUse" : "stop",
    timestamp: at,
  };
  const results = ids.map(
    (id): ToolResultMessage => ({
      role: "toolResult",
      toolCallId: id,
      toolName: "look",
      content: [{ type: "text", text: `seen ${says}` }, ...(shows ? [image] : [])],
      isError: false,
      timestamp: at,
    }),
  );
  return [reply, ...results, ...(asks ? [{ role: "user" as const, content: asks, timestamp: at }] : [])];
}

async function send(service: ModelService, messages: Message[], sessionId?: string): Promise<void> {
  const context: Context = { systemPrompt: "Be brief.", messages, tools };
  const stream = await service.stream(context, sessionId === undefined ? {} : { sessionId });
  expect((await stream.result()).errorMessage).toBeUndefined();
}

/** The body of the last request as text, without the session's id. */
function lastBody({ requests }: ModelServer): string {
  const { prompt_cache_key: _session, ...body } = requests.at(-1)?.body ?? {};
  return JSON.stringify(body);
}

const start = { role: "user" as const, content: "go", timestamp: 0 };

describe.each<ApiName>(["openai-completions", "anthropic-messages", "openai-responses", "google-generative-ai"])(
  "a continued conversation over %s",
  (api) => {
    it("is sent as if nothing had been cached", async () => {
      await using server = await startModelServer(Array(3_000).fill(text("ok")));
      const input = ["text", "image"];
      const config = { api, baseUrl: server.baseUrlFor(api), input };
      await using remembering = await withModel(config);
      await using plain = await withModel(config);
      let conversations = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(round, { minLength: 4, maxLength: 9 }),
          fc.nat(12),
          fc.nat(40),
          async (rounds, cut, copied) => {
            const sessionId = `s${conversations++}`;
            let messages: Message[] = [start];
            for (const [at, it] of rounds.entries()) {
              // Sometimes the beginning changes, as after a compaction.
              if (at === cut) messages = [{ ...start, content: "summary" }, ...messages.slice(-3)];
              // And one message is a different object, like one that an extension creates for each request, or has another
              // text.
              const which = copied % messages.length;
              if (at % 2 === 1)
                messages = messages.map((message, place) =>
                  place === which ? { ...message, timestamp: at } : message,
                );
              messages = [...messages, ...messagesOf(it, api, at)];
              await send(remembering, messages, sessionId);
              const sent = lastBody(server);
              await send(plain, messages);
              expect(sent).toBe(lastBody(server));
            }
          },
        ),
        { numRuns: 20 },
      );
    }, 60_000);
  },
);

describe.each<ApiName>(["openai-completions", "anthropic-messages"])("a long conversation over %s", (api) => {
  it("has each message converted a fixed number of times, however often it is sent", async () => {
    await using server = await startModelServer(Array(60).fill(text("ok")));
    await using service = await withModel({ api, baseUrl: server.baseUrlFor(api) });
    const one = { says: "yes", thinks: "", calls: 1, from: "m1", shows: false, asks: "" };
    let reads = 0;
    const watched = (message: Message): Message =>
      new Proxy(message, {
        get(target, key) {
          if (key === "content") reads++;
          return Reflect.get(target, key);
        },
      });
    const counts: number[] = [];
    let messages: Message[] = [start];
    for (let at = 0; at < 40; at++) {
      messages = [...messages, ...messagesOf(one, api, at).map(watched)];
      reads = 0;
      await send(service, messages, "s");
      counts.push(reads);
    }
    expect(counts.at(-1)).toBe(counts[10]);
    const sent: { role: string }[] = server.requests.at(-1)?.body.messages;
    expect(sent.filter(({ role }) => role === "assistant")).toHaveLength(40);
  });
});
