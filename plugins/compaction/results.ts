import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { ToolResultMessage } from "@scorel/messages/contract";
import type { Entry } from "./conversation.ts";

const omitted = "[tool result omitted]";

/** Placeholders of omitted results. Each request gets the same object, so that caches keyed by message keep working. */
const leftOut = new WeakMap<AgentMessage, AgentMessage>();

/**
 * Omits the results of old turns but keeps text merged into them. The last `turns` turns keep theirs, and the boundary
 * moves by `step` turns at a time. The outcome depends only on the entries, so every process sends the same bytes for
 * the same log.
 */
export function withoutOldResults(
  messages: readonly AgentMessage[],
  entries: readonly Entry[],
  { turns, step }: { turns: number; step: number },
): AgentMessage[] {
  const old = new Map<string, ToolResultMessage[]>();
  for (const result of oldResults(entries, turns, step))
    old.set(result.toolCallId, [...(old.get(result.toolCallId) ?? []), result]);
  return messages.map((message) => {
    const own = message.role === "toolResult" ? old.get(message.toolCallId)?.shift() : undefined;
    if (message.role !== "toolResult" || !own) return message;
    const known = leftOut.get(message);
    if (known) return known;
    const merged = message.content.slice(own.content.length);
    const made: AgentMessage = { ...message, content: [{ type: "text", text: omitted }, ...merged] };
    leftOut.set(message, made);
    return made;
  });
}

function oldResults(entries: readonly Entry[], turns: number, step: number): ToolResultMessage[] {
  const starts = entries.flatMap(({ kind }, at) => (kind === "turn" ? [at] : []));
  // The remaining part of a turn that was cut counts as a turn.
  if (starts[0] !== 0) starts.unshift(0);
  const old = Math.floor(Math.max(0, starts.length - turns) / step) * step;
  const before = entries.slice(0, old === 0 ? 0 : starts[old]);
  return before.flatMap(({ message }) => (message?.role === "tool_result" ? [message] : []));
}
