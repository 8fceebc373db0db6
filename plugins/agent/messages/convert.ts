import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { ImageContent, AssistantMessage as PiAssistant, TextContent } from "@mariozechner/pi-ai";
import type {
  AssistantMessage,
  ImageBlock,
  ScorelMessage,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from "@scorel/messages/contract";
import type { Redaction } from "./redaction.ts";

type Block = AssistantMessage["content"][number];

/** Fields that provider adapters keep on a block while it streams. They must not reach the log. */
const scratch = new Set(["partialArgs", "partialJson", "streamIndex", "index"]);

/**
 * Converts stored messages to pi's types: `tool_result` becomes `toolResult`; `internal` messages and `meta` are left
 * out. Messages and blocks are copied, because stored ones are frozen and hook layers may change theirs.
 */
export function toAgentMessages(messages: readonly ScorelMessage[]): AgentMessage[] {
  return converted(messages, toAgentMessage);
}

/** Converted messages, by stored message. */
const known = new WeakMap<ScorelMessage, AgentMessage>();

/**
 * Converts messages for a request. A stored message always yields the same object, so a long conversation is not copied
 * every round and caches keyed by message keep working. Callers must not change the result.
 */
export function toRequestMessages(messages: readonly ScorelMessage[]): AgentMessage[] {
  return converted(messages, (message) => {
    const before = known.get(message);
    if (before) return before;
    const made = toAgentMessage(message);
    if (made && Object.isFrozen(message)) known.set(message, made);
    return made;
  });
}

function converted(
  messages: readonly ScorelMessage[],
  convert: (message: ScorelMessage) => AgentMessage | undefined,
): AgentMessage[] {
  const made: AgentMessage[] = [];
  for (const message of messages) {
    const one = convert(message);
    if (one) made.push(one);
  }
  return made;
}

/** Converts pi's assistant message for the log, without scratch fields and secrets. */
export function toAssistant(message: PiAssistant, redaction: Redaction): AssistantMessage {
  const content = message.content.map((block) => redactBlock(withoutScratch(block), redaction));
  return { ...(message as unknown as AssistantMessage), content };
}

/** Returns the text blocks of an assistant message, joined. */
export function assistantText(content: readonly { type: string; text?: unknown }[]): string {
  return content.map((block) => (block.type === "text" ? String(block.text) : "")).join("");
}

/** Returns the text that the user has typed, without images and attached files. */
export function userText(content: string | readonly (TextBlock | ImageBlock)[]): string {
  return typeof content === "string" ? content : assistantText(content.filter(({ attachment }) => !attachment));
}

function toAgentMessage(message: ScorelMessage): AgentMessage | undefined {
  if (message.role === "internal") return undefined;
  const { meta: _meta, ...rest } = message;
  const content = typeof rest.content === "string" ? rest.content : rest.content.map((block) => ({ ...block }));
  if (rest.role !== "tool_result") return { ...rest, content } as unknown as AgentMessage;
  return { ...rest, role: "toolResult", content: content as (TextContent | ImageContent)[] };
}

function withoutScratch(block: PiAssistant["content"][number]): Block {
  return Object.fromEntries(Object.entries(block).filter(([key]) => !scratch.has(key))) as unknown as Block;
}

/** Redacts text, thinking and arguments. Leaves a provider's signatures unchanged, which would otherwise be invalid. */
function redactBlock(block: Block, redaction: Redaction): Block {
  if (block.type === "text") return { ...block, text: redaction.text(block.text) };
  if (block.type === "thinking") return { ...(block as ThinkingBlock), thinking: redaction.text(block.thinking) };
  const call = block as ToolCallBlock;
  return { ...call, arguments: redaction.value(call.arguments) };
}
