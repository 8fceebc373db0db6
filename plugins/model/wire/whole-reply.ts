import type { SpokenApi } from "../choose/apis.ts";
import { asObject, joinEvents, namedEvent } from "./event-text.ts";

type Json = Record<string, unknown>;

/** Converts a reply sent as one JSON document to the events of a stream; undefined when it is not a reply. */
export function asEvents(api: SpokenApi, document: unknown): string | undefined {
  if (api === "google-generative-ai") return fromGoogle(document);
  const reply = asObject(document);
  if (!reply) return undefined;
  if (api === "openai-completions") return fromCompletion(reply);
  return api === "anthropic-messages" ? fromMessage(reply) : fromResponse(reply);
}

function fromCompletion({ choices, usage, ...rest }: Json): string | undefined {
  const choice = asObject(Array.isArray(choices) ? choices[0] : undefined);
  const message = asObject(choice?.message);
  if (!choice || !message) return undefined;
  const calls = objectsIn(message.tool_calls);
  const delta = { ...message, content: plainText(message.content), tool_calls: calls.map(indexedCall) };
  const finish_reason = choice.finish_reason ?? (calls.length > 0 ? "tool_calls" : "stop");
  const chunk = { ...rest, choices: [{ index: 0, delta, finish_reason }], ...(asObject(usage) && { usage }) };
  return joinEvents([`data: ${JSON.stringify(chunk)}`, "data: [DONE]"]);
}

function indexedCall(call: Json, index: number): Json {
  const called = asObject(call.function) ?? {};
  return { ...call, index, function: { ...called, arguments: jsonText(called.arguments) } };
}

function objectsIn(list: unknown): Json[] {
  return Array.isArray(list) ? list.map(asObject).filter((item) => item !== undefined) : [];
}

/** Returns arguments as JSON text; some servers send an object. */
function jsonText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

function plainText(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part) => asObject(part)?.text ?? "").join("");
}

function fromGoogle(document: unknown): string | undefined {
  const parts = objectsIn(Array.isArray(document) ? document : [document]);
  if (!parts.some(({ candidates }) => Array.isArray(candidates))) return undefined;
  return joinEvents(parts.map((part) => `data: ${JSON.stringify(part)}`));
}

function fromMessage(message: Json): string | undefined {
  const { content, stop_reason, usage } = message;
  if (!Array.isArray(content)) return undefined;
  const blocks = objectsIn(content);
  return joinEvents(
    [
      { type: "message_start", message: { ...message, content: [] } },
      ...blocks.flatMap(blockEvents),
      { type: "message_delta", delta: { stop_reason: stop_reason ?? "end_turn" }, usage: asObject(usage) ?? {} },
      { type: "message_stop" },
    ].map(namedEvent),
  );
}

function blockEvents(block: Json, index: number): { type: string }[] {
  const { text, thinking, signature, input, ...rest } = block;
  const deltas = [
    ...(typeof text === "string" ? [{ type: "text_delta", text }] : []),
    ...(typeof thinking === "string" ? [{ type: "thinking_delta", thinking }] : []),
    ...(typeof signature === "string" ? [{ type: "signature_delta", signature }] : []),
    ...(block.type === "tool_use" ? [{ type: "input_json_delta", partial_json: jsonText(input) }] : []),
  ];
  const content_block = { ...rest, ...(block.type === "text" ? { text: "" } : {}) };
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ] as { type: string }[];
}

function fromResponse(response: Json): string | undefined {
  const { output } = response;
  if (!Array.isArray(output)) return undefined;
  const items = objectsIn(output);
  return joinEvents(
    [
      { type: "response.created", response: { ...response, output: [] } },
      ...items.flatMap(itemEvents),
      { type: "response.completed", response },
    ].map(namedEvent),
  );
}

function itemEvents(item: Json, output_index: number): { type: string }[] {
  const texts = item.type === "message" ? objectsIn(item.content).filter(({ text }) => typeof text === "string") : [];
  return [
    { type: "response.output_item.added", output_index, item: { ...item, content: [], arguments: "" } },
    ...texts.flatMap((part) => [
      { type: "response.content_part.added", output_index, part: { ...part, text: "" } },
      { type: "response.output_text.delta", output_index, delta: part.text },
    ]),
    ...(item.type === "function_call"
      ? [{ type: "response.function_call_arguments.delta", output_index, delta: jsonText(item.arguments) }]
      : []),
    { type: "response.output_item.done", output_index, item: { ...item, arguments: jsonText(item.arguments) } },
  ] as { type: string }[];
}
