import { describe, expect, it } from "vitest";
import type { SpokenApi } from "../../plugins/model/choose/apis.ts";
import { dataOf, eventsIn } from "../../plugins/model/wire/event-text.ts";
import { ReplyPassage } from "../../plugins/model/wire/reply-passage.ts";
import { raw, startModelServer } from "../model-server.ts";
import { withModel } from "../model-service.ts";
import { fc } from "../property.ts";

const sse = (data: unknown, name?: string) => `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
const named = (data: { type: string; [key: string]: unknown }) => sse(data, data.type);

/** Passes these pieces of a response through; returns the result and the reported problems. */
function passed(api: SpokenApi, pieces: readonly (string | Uint8Array)[], joins = false) {
  const told: unknown[] = [];
  const passage = new ReplyPassage(api, {
    failed: (error) => told.push(error),
    refused: (reason) => told.push(reason),
    mayJoin: () => joins,
  });
  const out = pieces.map((piece) => passage.piece(typeof piece === "string" ? Buffer.from(piece) : piece));
  return { text: Buffer.concat([...out, passage.end()]).toString(), told };
}
const dataIn = (text: string) => eventsIn(text).map((event) => JSON.parse(dataOf(event) as string));

const says = (content: string, more: object = {}) =>
  sse({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more });
const argues = (index: number, json: string) =>
  sse({
    choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: json } }] }, finish_reason: null }],
  });
const block = (type: string, field: string, text: string, index = 0) =>
  named({ type: "content_block_delta", index, delta: { type, [field]: text } });
const output = (delta: string, n: number) =>
  named({
    type: "response.output_text.delta",
    item_id: "m",
    output_index: 0,
    content_index: 0,
    delta,
    sequence_number: n,
  });

describe("deltas that arrive together are joined if nobody needs each one", () => {
  const texts = ["a", 'b"\\', "\n", "é😀", "", "c"];
  it.each<[SpokenApi, string[], (data: any) => string]>([
    ["openai-completions", texts.map((text) => says(text)), ({ choices }) => choices[0].delta.content],
    [
      "openai-completions",
      texts.map((text) => argues(1, text)),
      ({ choices }) => choices[0].delta.tool_calls[0].function.arguments,
    ],
    ["anthropic-messages", texts.map((text) => block("text_delta", "text", text)), ({ delta }) => delta.text],
    [
      "anthropic-messages",
      texts.map((text) => block("input_json_delta", "partial_json", text)),
      ({ delta }) => delta.partial_json,
    ],
    ["openai-responses", texts.map(output), ({ delta }) => delta],
  ])("over %s", (api, events, textOf) => {
    // biome-ignore format: a row each
    const { text } = passed(api, [events.join("")], true);
    const joined = dataIn(text).map(textOf).filter(Boolean);
    expect(joined.join("")).toBe(texts.join(""));
    expect(joined.length).toBeLessThanOrEqual(2);
    expect(passed(api, [events.join("")], false).text).toBe(events.join(""));
  });

  it("but never across another event, another text, or two pieces", () => {
    const pieces = [
      says("a") + says("b") + argues(0, "{") + argues(1, "["),
      argues(1, "]") + argues(0, "}") + says("c"),
    ];
    expect(dataIn(passed("openai-completions", pieces, true).text).map(({ choices }) => choices[0].delta)).toEqual([
      { content: "ab" },
      ...[[0, "{"], [1, "["], [1, "]"], [0, "}"]].map(([index, json]) => ({ tool_calls: [{ index, function: { arguments: json } }] })),
      { content: "c" },
    ]); // biome-ignore format: shorter
  });

  it("unless an event contains something else", () => {
    const others = [
      sse({ choices: [{ index: 0, delta: { content: "x", refusal: "no" }, finish_reason: null }] }),
      sse({ choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }] }),
      says("x", { usage: { completion_tokens: 1 } }),
      sse({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "1", function: { arguments: "{" } }] } }] }),
      ": a comment\n\n",
    ];
    for (const other of others) {
      const { text } = passed("openai-completions", [other + other], true);
      expect(text).toBe(other + other);
    }
  });

  it("however the bytes are split, and whatever the texts are", () => {
    const reply = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"},"x":{"', "\\", '\\"', "}]}")), {
      minLength: 1,
    });
    fc.assert(
      fc.property(reply, fc.array(fc.nat(400)), fc.boolean(), (words, cuts, joins) => {
        const bytes = Buffer.from(words.map((word) => says(word)).join(""));
        const places = [0, ...cuts.map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
        const { text } = passed("openai-completions", pieces, joins);
        expect(dataIn(text).map(({ choices }) => choices[0].delta.content).join("")).toBe(
          Buffer.from(words.join("")).toString(),
        );
      }),
    ); // biome-ignore format: shorter
  });
});

it.each(["\n", "\r\n", "\r"])(
  "an event is passed on as soon as it is complete, whatever its line breaks are: %j",
  (end) => {
    const told: unknown[] = [];
    const listener = { failed: () => {}, refused: () => {}, mayJoin: () => false };
    const passage = new ReplyPassage("openai-completions", listener);
    for (const data of ['{"a":1}', '{"b":2}']) {
      const bytes = Array.from(Buffer.from(`data: ${data}${end}${end}`), (byte) => passage.piece(Uint8Array.of(byte)));
      told.push(dataIn(Buffer.concat(bytes).toString()));
    }
    expect(told).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  },
);

describe("a reply of many deltas", () => {
  const words = Array.from({ length: 2_000 }, (_, n) => ` w${n}`);
  const item = { type: "message", id: "m", role: "assistant", content: [] };
  const replies: [SpokenApi, string][] = [
    [
      "openai-completions",
      `${words.map((word) => says(word)).join("")}${sse({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}`,
    ],
    [
      "openai-responses",
      [
        named({ type: "response.output_item.added", item }),
        named({ type: "response.content_part.added", part: { type: "output_text", text: "" } }),
        ...words.map(output),
        named({ type: "response.completed", response: { status: "completed" } }),
      ].join(""),
    ],
    [
      "anthropic-messages",
      [
        named({ type: "message_start", message: { id: "m", usage: {} } }),
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        ...words.map((word) => block("text_delta", "text", word)),
        named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} }),
        named({ type: "message_stop" }),
      ].join(""),
    ],
  ];

  it.each(replies)(
    "is passed on in few events over %s where they may be joined, otherwise one by one",
    async (api, body) => {
      await using server = await startModelServer(() => raw(body));
      await using model = await withModel({ api, baseUrl: server.baseUrlFor(api as never) });
      for (const joins of [true, false]) {
        const deltas: string[] = [];
        const stream = await model.stream({ messages: [] }, { mayJoin: () => joins });
        for await (const event of stream) if (event.type === "text_delta") deltas.push(event.delta);
        if (joins) expect(deltas.length).toBeLessThan(200);
        else expect(deltas).toEqual(words);
        expect(deltas.join("")).toBe(words.join(""));
        expect((await stream.result()).content).toMatchObject([{ type: "text", text: words.join("") }]);
      }
    },
  );
});

describe("invalid token counts are removed from a reply", () => {
  it.each<[unknown, unknown]>([
    ["5", 5],
    [-3, undefined],
    [null, undefined],
    ["many", undefined],
    [1e300, undefined],
    [true, undefined],
    [7.5, 7.5],
  ])("%j is %j", (given, kept) => {
    const counts = { prompt_tokens: 1, completion_tokens: given, prompt_tokens_details: { cached_tokens: given } };
    const { text } = passed("openai-completions", [sse({ choices: [], usage: counts })]);
    expect(dataIn(text)[0].usage).toEqual({
      prompt_tokens: 1,
      ...(kept !== undefined && { completion_tokens: kept }),
      prompt_tokens_details: kept === undefined ? {} : { cached_tokens: kept },
    });
  });

  it("also numbers that are not valid JSON, and missing counts", () => {
    const broken = 'data: {"choices":[],"usage":{"prompt_tokens": NaN,"completion_tokens":-Infinity}}\n\n';
    expect(dataIn(passed("openai-completions", [broken]).text)).toEqual([{ choices: [], usage: {} }]);
    const start = named({ type: "message_start", message: { id: "m" } });
    const end = named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: null });
    expect(dataIn(passed("anthropic-messages", [start + end]).text)).toMatchObject([
      { message: { usage: {} } },
      { delta: { stop_reason: "end_turn" }, usage: {} },
    ]);
  });

  it("but texts that mention such things stay unchanged", () => {
    const events = [says("usage: NaN"), says('"usage": {"prompt_tokens": Infinity}'), says('{"error": 500}')].join("");
    expect(passed("openai-completions", [events])).toEqual({ text: events, told: [] });
  });
});

describe("a reason for which a reply ended", () => {
  it("is replaced if the library would throw the reply away for it", () => {
    const ends = (stop_reason: string | null) => named({ type: "message_delta", delta: { stop_reason }, usage: {} });
    const reasons = ["end_turn", "tool_use", "refusal", null, "model_context_window_exceeded", "brand_new"];
    const { text } = passed("anthropic-messages", reasons.map(ends));
    expect(dataIn(text).map(({ delta }) => delta.stop_reason)).toEqual([
      ...["end_turn", "tool_use", "refusal", null],
      ...["max_tokens", "end_turn"],
    ]);
    const finishes = (finish_reason: string) => sse({ choices: [{ index: 0, delta: {}, finish_reason }] });
    const said = passed("openai-completions", ["stop", "eos_token", "max_tokens"].map(finishes));
    expect(dataIn(said.text).map(({ choices }) => choices[0].finish_reason)).toEqual(["stop", "stop", "length"]);
  });
});
