import type { AssistantMessage, Context, Model, ToolCall } from "@mariozechner/pi-ai";
import { type AnyPlugin, definePlugin } from "@scorel/kernel";
import type { ModelService } from "../contract.ts";
import { errors } from "../errors.ts";
import { emptyMessage } from "../wire/reply.ts";

/** A tool call in a reply. */
export interface ScriptedCall {
  tool: string;
  args: Record<string, unknown>;
}
/** The reply to one request: a text, a tool call, or several of these. */
export type Reply = string | ScriptedCall | readonly (string | ScriptedCall)[];

/** The contents of a request. */
export interface ModelRequest {
  systemPrompt: string;
  messages: Context["messages"];
  /** The names of the tools that were offered. */
  tools: string[];
}

const scripted: Model<"scripted"> = {
  id: "scripted",
  name: "Scripted",
  api: "scripted",
  provider: "test",
  baseUrl: "",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 8_000,
};

/** Creates a replacement for plugin `model` that replies from a script, with one reply per request. Adds each request to `requests`. */
export function scriptedModel(replies: readonly Reply[], requests: ModelRequest[]): AnyPlugin {
  const service: ModelService = {
    current: () => scripted,
    named: async () => service,
    choose: async () => {},
    async stream(context) {
      const at = requests.length;
      requests.push({
        systemPrompt: context.systemPrompt ?? "",
        messages: structuredClone(context.messages),
        tools: (context.tools ?? []).map(({ name }) => name),
      });
      return streamOf(replies[at], at, replies.length);
    },
  };
  return definePlugin({
    id: "model",
    name: "Scripted model",
    version: "1.0.0",
    provides: ["model"],
    activate: (ctx) => ctx.provide("model", service),
  });
}

async function streamOf(reply: Reply | undefined, at: number, count: number) {
  const { createAssistantMessageEventStream } = await import("@mariozechner/pi-ai");
  const stream = createAssistantMessageEventStream();
  const message = emptyMessage(scripted);
  if (reply === undefined) {
    message.stopReason = "error";
    message.errorMessage = errors.MODEL_SCRIPT_END({ request: at + 1, count }).message;
    stream.push({ type: "error", reason: "error", error: message });
  } else {
    stream.push({ type: "start", partial: message });
    for (const [index, part] of (Array.isArray(reply) ? reply : [reply]).entries())
      say(stream, message, part, at, index);
    message.stopReason = message.content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    stream.push({ type: "done", reason: message.stopReason as "stop" | "toolUse", message });
  }
  stream.end(message);
  return stream;
}

type Stream = Awaited<ReturnType<typeof streamOf>>;

function say(
  stream: Stream,
  partial: AssistantMessage,
  part: string | ScriptedCall,
  request: number,
  index: number,
): void {
  const contentIndex = partial.content.length;
  if (typeof part === "string") {
    const block = { type: "text" as const, text: "" };
    partial.content.push(block);
    stream.push({ type: "text_start", contentIndex, partial });
    for (const delta of part.match(/\S+\s*|\s+/g) ?? []) {
      block.text += delta;
      stream.push({ type: "text_delta", contentIndex, delta, partial });
    }
    stream.push({ type: "text_end", contentIndex, content: part, partial });
    return;
  }
  const id = `call${request + 1}x${index + 1}`;
  const toolCall: ToolCall = { type: "toolCall", id, name: part.tool, arguments: structuredClone(part.args) };
  partial.content.push(toolCall);
  stream.push({ type: "toolcall_start", contentIndex, partial });
  stream.push({ type: "toolcall_delta", contentIndex, delta: JSON.stringify(part.args), partial });
  stream.push({ type: "toolcall_end", contentIndex, toolCall, partial });
}
