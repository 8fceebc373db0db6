import type { AssistantMessageEventStream, Context, Model, SimpleStreamOptions, ToolCall } from "@mariozechner/pi-ai";
import { emptyMessage, failedStream } from "../wire/reply.ts";
import { answer } from "./offline-answer.ts";
import type { Answer } from "./offline-demo.ts";

/** The demonstration model: no server, no network, and always the same answers. */
export const offlineModel: Model<"offline"> = {
  id: "demo",
  name: "Offline demonstration",
  api: "offline",
  provider: "offline",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 8_000,
};

/** Streams the demonstration model's reply like any other model's. */
export async function streamOffline(
  context: Context,
  { signal }: SimpleStreamOptions = {},
): Promise<AssistantMessageEventStream> {
  if (signal?.aborted) return await failedStream(offlineModel, "Request was aborted", { reason: "aborted" });
  const { createAssistantMessageEventStream } = await import("@mariozechner/pi-ai");
  const stream = createAssistantMessageEventStream();
  say(stream, answer(context), callCount(context));
  return stream;
}

function say(stream: AssistantMessageEventStream, { text, call }: Answer, earlier: number): void {
  const message = emptyMessage(offlineModel);
  stream.push({ type: "start", partial: message });
  const block = { type: "text" as const, text: "" };
  message.content.push(block);
  stream.push({ type: "text_start", contentIndex: 0, partial: message });
  for (const delta of text.match(/\S+\s*/g) ?? []) {
    block.text += delta;
    stream.push({ type: "text_delta", contentIndex: 0, delta, partial: message });
  }
  stream.push({ type: "text_end", contentIndex: 0, content: text, partial: message });
  if (call) {
    const toolCall: ToolCall = { type: "toolCall", id: `offline${earlier + 1}`, name: call.name, arguments: call.args };
    message.content.push(toolCall);
    stream.push({ type: "toolcall_start", contentIndex: 1, partial: message });
    stream.push({ type: "toolcall_delta", contentIndex: 1, delta: JSON.stringify(call.args), partial: message });
    stream.push({ type: "toolcall_end", contentIndex: 1, toolCall, partial: message });
  }
  message.stopReason = call ? "toolUse" : "stop";
  stream.push({ type: "done", reason: message.stopReason, message });
  stream.end(message);
}

/** Number of calls so far, which makes call ids unique within the session. */
function callCount({ messages }: Context): number {
  return messages
    .flatMap((message) => (message.role === "assistant" ? message.content : []))
    .filter((block) => block.type === "toolCall").length;
}
