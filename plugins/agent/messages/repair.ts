import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "@mariozechner/pi-ai";

const missing =
  "No result: the call was interrupted before it finished. It may have had an effect; check before you repeat it.";

/**
 * Turns any list of messages into one that every provider accepts. Each call has exactly one result, right after its
 * message and in call order; results without a call are dropped; a partial message becomes plain text, because provider
 * adapters would drop it.
 */
export function repair(given: readonly AgentMessage[]): Message[] {
  const messages = given.filter(isMessage);
  const repaired: Message[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "user") repaired.push(message);
    if (message.role === "assistant") for (const one of withResults(message, messages, at)) repaired.push(one);
  }
  return repaired;
}

/** Repaired assistant messages and their results, by assistant message. */
const known = new WeakMap<AssistantMessage, { results: readonly ToolResultMessage[]; repaired: readonly Message[] }>();

/**
 * Returns an assistant message and its results, repaired; an empty list if the message has no content. The same input returns the same
 * objects.
 */
function withResults(message: AssistantMessage, messages: readonly Message[], at: number): readonly Message[] {
  const results = resultsAfter(messages, at);
  const before = known.get(message);
  if (before && isSame(before.results, results)) return before.repaired;
  const repaired = repairedGroup(message, results);
  known.set(message, { results, repaired });
  return repaired;
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

function repairedGroup(message: AssistantMessage, after: readonly ToolResultMessage[]): Message[] {
  const whole = message.stopReason === "error" || message.stopReason === "aborted" ? plainText(message) : message;
  const content = withoutRepeatedCalls(whole.content).map(withUsableName);
  if (content.length === 0) return [];
  const results = new Map<string, ToolResultMessage>();
  for (const result of after) if (!results.has(result.toolCallId)) results.set(result.toolCallId, result);
  const calls = content.filter((block): block is ToolCall => block.type === "toolCall");
  const kept = { ...whole, content };
  return [kept, ...calls.map((call) => resultOf(call, results.get(call.id), message.timestamp))];
}

function resultsAfter(messages: readonly Message[], at: number): ToolResultMessage[] {
  const results: ToolResultMessage[] = [];
  for (let next = at + 1; next < messages.length; next++) {
    const message = messages[next] as Message;
    if (message.role === "assistant") break;
    if (message.role === "toolResult") results.push(message);
  }
  return results;
}

function plainText(message: AssistantMessage): AssistantMessage {
  const { errorMessage: _error, ...rest } = message;
  const content = message.content.filter((block) => block.type === "text" && block.text.trim() !== "");
  return { ...rest, content, stopReason: "stop" };
}

function withoutRepeatedCalls(content: AssistantMessage["content"]): AssistantMessage["content"] {
  const seen = new Set<string>();
  return content.filter((block) => {
    if (block.type !== "toolCall") return true;
    if (seen.has(block.id)) return false;
    seen.add(block.id);
    return true;
  });
}

/** Replaces characters that are invalid in tool names, because of which a provider would refuse the whole request. */
function withUsableName(block: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  if (block.type !== "toolCall" || /^[\w-]{1,64}$/.test(block.name)) return block;
  return { ...block, name: block.name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed" };
}

function resultOf(call: ToolCall, result: ToolResultMessage | undefined, timestamp: number): ToolResultMessage {
  if (!result) return missingResult(call, timestamp);
  return result.toolName === call.name ? result : { ...result, toolName: call.name };
}

function missingResult(call: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: missing }],
    isError: true,
    timestamp,
  };
}

/** Drops anything that is not a message, since hook layers may return anything. */
function isMessage(value: unknown): value is Message {
  const { role, content } = (value ?? {}) as Partial<Message>;
  if (role === "user") return Array.isArray(content) || typeof content === "string";
  return (role === "assistant" || role === "toolResult") && Array.isArray(content);
}
