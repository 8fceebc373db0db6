import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { Session } from "@scorel/kernel";
import type { ToolResultMessage } from "@scorel/messages/contract";
import { type Entry, RememberedConversation } from "./conversation.ts";

/** What was said since the last summary, by session: looked at before every request. */
const conversations = new WeakMap<Session, RememberedConversation>();

/** The entries of the conversation that the next request holds. */
export function entriesNow(session: Session): readonly Entry[] {
  const conversation = conversations.get(session) ?? new RememberedConversation();
  conversations.set(session, conversation);
  return conversation.entriesOf(session);
}

const omitted = "[tool result omitted]";

/** What stands for a result that is left out: the same object in every request, for whoever remembers what came of it. */
const leftOut = new WeakMap<AgentMessage, AgentMessage>();

/**
 * The messages with the results of old turns left out; what was merged into one of them stays. The last `turns` turns keep
 * theirs, and the boundary moves `step` turns at once: it follows from the entries alone, so that every process that
 * reads the same log sends the same bytes.
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
  // What a cut inside a turn has left of it counts as a turn.
  if (starts[0] !== 0) starts.unshift(0);
  const old = Math.floor(Math.max(0, starts.length - turns) / step) * step;
  const before = entries.slice(0, old === 0 ? 0 : starts[old]);
  return before.flatMap(({ message }) => (message?.role === "tool_result" ? [message] : []));
}
