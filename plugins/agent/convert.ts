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

/** Fields that providers keep on a block while it streams; they must never reach the log. */
const scratch = new Set(["partialArgs", "partialJson", "streamIndex", "index"]);

/**
 * Our messages as pi's: `tool_result` is its `toolResult`, `internal` is left out, and what a model never
 * reads (meta) is gone. Copied down to the blocks, because events are frozen and layers may change theirs.
 */
export function toAgentMessages(messages: readonly ScorelMessage[]): AgentMessage[] {
  return converted(messages, toAgentMessage);
}

/** Stored messages and their converted forms. */
const known = new WeakMap<ScorelMessage, AgentMessage>();

/**
 * The same for a request, where a stored message is the same object each time: a long conversation is not copied for every
 * round, and whoever remembers something of a message finds it again. Nobody may change these; extensions get copies of them.
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

/** Our assistant message for the log: pi's without scratch fields and secrets. */
export function toAssistant(message: PiAssistant, redaction: Redaction): AssistantMessage {
  const content = message.content.map((block) => redactBlock(withoutScratch(block), redaction));
  return { ...(message as unknown as AssistantMessage), content };
}

/** The readable text of an assistant message: its text blocks, one after the other. */
export function assistantText(content: readonly { type: string; text?: unknown }[]): string {
  return content.map((block) => (block.type === "text" ? String(block.text) : "")).join("");
}

/** A user message's text, for people: images are left out. */
export function userText(content: string | readonly (TextBlock | ImageBlock)[]): string {
  return typeof content === "string" ? content : assistantText(content);
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

/** Only what was said and asked for: a provider's signatures are of no use once changed. */
function redactBlock(block: Block, redaction: Redaction): Block {
  if (block.type === "text") return { ...block, text: redaction.text(block.text) };
  if (block.type === "thinking") return { ...(block as ThinkingBlock), thinking: redaction.text(block.thinking) };
  const call = block as ToolCallBlock;
  return { ...call, arguments: redaction.value(call.arguments) };
}
