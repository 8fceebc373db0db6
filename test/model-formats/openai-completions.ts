import type { Finish, Format, Tokens } from "../model-server.ts";
import { sse } from "./sse.ts";

const reasons: Record<Finish, string> = {
  stop: "stop",
  length: "length",
  toolUse: "tool_calls",
  filtered: "content_filter",
};

/** The server side of `POST /v1/chat/completions` with `stream: true`, chunk by chunk as OpenAI sends them. */
export const openaiCompletions: Format = {
  api: "openai-completions",
  base: "/v1",
  serves: (path) => path === "/v1/chat/completions",
  contentType: "text/event-stream; charset=utf-8",
  reply(request, index, tokens) {
    const model = (request as { model?: unknown } | undefined)?.model;
    const envelope = { id: `chatcmpl-${index}`, object: "chat.completion.chunk", created: 1, model: model ?? "none" };
    const chunk = (delta: object, finish: string | null = null) =>
      sse({ ...envelope, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
    const callDelta = (call: number, rest: object) => chunk({ tool_calls: [{ index: call, ...rest }] });
    const usage = () => (wantsUsage(request) ? sse({ ...envelope, choices: [], usage: usageOf(tokens) }) : "");
    return {
      start: () => chunk({ role: "assistant", content: "" }),
      text: (piece) => chunk({ content: piece }),
      thinking: (piece) => chunk({ reasoning_content: piece }),
      callStart: (call, id, name) => callDelta(call, { id, type: "function", function: { name, arguments: "" } }),
      callDelta: (call, piece) => callDelta(call, { function: { arguments: piece } }),
      broken: () => "",
      failure: (message) => sse({ error: { message, type: "server_error", param: null, code: null } }),
      end: (reason) => `${chunk({}, reasons[reason])}${usage()}data: [DONE]\n\n`,
    };
  },
  error: (message) => ({ error: { message, type: "server_error", param: null, code: null } }),
};

function wantsUsage(request: unknown): boolean {
  return (
    (request as { stream_options?: { include_usage?: boolean } } | undefined)?.stream_options?.include_usage === true
  );
}

function usageOf({ input, output, cached = 0 }: Tokens): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
