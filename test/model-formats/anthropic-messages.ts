import type { Finish, Format, Tokens } from "../model-server.ts";
import { namedSse } from "./sse.ts";

const reasons: Record<Finish, string> = {
  stop: "end_turn",
  length: "max_tokens",
  toolUse: "tool_use",
  filtered: "refusal",
};

/** The server side of `POST /v1/messages` with `stream: true`, event by event as Anthropic sends them. */
export const anthropicMessages: Format = {
  api: "anthropic-messages",
  base: "",
  serves: (path) => path === "/v1/messages",
  contentType: "text/event-stream; charset=utf-8",
  reply(request, index, tokens) {
    const model = (request as { model?: unknown } | undefined)?.model ?? "none";
    const blocks = createBlocks();
    return {
      start: () => start(`msg_${index}`, model, tokens),
      text: (piece) => blocks.delta({ type: "text", text: "" }, { type: "text_delta", text: piece }),
      thinking: (piece) =>
        blocks.delta({ type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking: piece }),
      callStart: (_call, id, name) => blocks.open({ type: "tool_use", id, name, input: {} }),
      callDelta: (_call, piece) => blocks.add({ type: "input_json_delta", partial_json: piece }),
      broken: () => "",
      failure: (message) => namedSse({ type: "error", error: { type: "overloaded_error", message } }),
      end: (reason) => blocks.close() + end(reasons[reason], tokens),
    };
  },
  error: (message) => ({ type: "error", error: { type: "api_error", message } }),
};

function start(id: string, model: unknown, tokens: Tokens): string {
  const message = { id, type: "message", role: "assistant", model, content: [], stop_reason: null };
  const begin = { type: "message_start", message: { ...message, stop_sequence: null, usage: usageOf(tokens, 1) } };
  return namedSse(begin) + namedSse({ type: "ping" });
}

function end(stopReason: string, { output }: Tokens): string {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  const last = { type: "message_delta", delta, usage: { output_tokens: output } };
  return namedSse(last) + namedSse({ type: "message_stop" });
}

/** Anthropic does not include cached tokens in the number of input tokens. */
function usageOf({ input, cached = 0 }: Tokens, output: number): object {
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

interface Block {
  type: string;
  [field: string]: unknown;
}

/** Content blocks: one open at a time. Events open and close each block. */
function createBlocks() {
  let index = -1;
  let type: string | undefined;
  const add = (delta: object) => namedSse({ type: "content_block_delta", index, delta });
  const close = () => {
    if (type === undefined) return "";
    const signature = type === "thinking" ? add({ type: "signature_delta", signature: "c2ln" }) : "";
    type = undefined;
    return signature + namedSse({ type: "content_block_stop", index });
  };
  const open = (block: Block) => {
    const before = close();
    index++;
    type = block.type;
    return before + namedSse({ type: "content_block_start", index, content_block: block });
  };
  return {
    add,
    close,
    open,
    delta: (block: Block, delta: object) => (type === block.type ? "" : open(block)) + add(delta),
  };
}
