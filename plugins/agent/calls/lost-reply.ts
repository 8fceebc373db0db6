import { type EventOf, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import type { AssistantMessage, ToolCallBlock, ToolResultMessage } from "@scorel/messages/contract";

/** The last reply and its calls without a result; undefined if all calls have one, or if the conversation was rewound to this reply. */
export function lostReply(
  session: Session,
): { reply: EventOf<"message" | "custom_message">; calls: readonly ToolCallBlock[] } | undefined {
  const { activeLeaf, tree } = session;
  const answered = new Set<string>();
  for (const event of activeLeaf === null ? [] : tree.ancestors(activeLeaf)) {
    if (event.type === "compact") return undefined;
    if (!isEvent(event, "message") && !isEvent(event, "custom_message")) continue;
    const { message } = event;
    if (message.role === "tool_result") answered.add(message.toolCallId);
    if (message.role === "assistant") {
      const calls = callsOf(message).filter(({ id }) => !answered.has(id));
      return calls.length > 0 && isLast(event, session) ? { reply: event, calls } : undefined;
    }
    if (message.role === "user") return undefined;
  }
  return undefined;
}

function callsOf({ content, partial, stopReason }: AssistantMessage): ToolCallBlock[] {
  if (partial || stopReason === "error" || stopReason === "aborted") return [];
  const calls = content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}

/** Whether a reply was made in this session, not in the one that it was copied from, and no rewind or branch followed. */
function isLast({ seq, ts }: StoredEvent, { header, tree }: Session): boolean {
  const isAfter = (type: string) => Array.from(tree.ofType(type)).some((jump) => jump.seq > seq);
  return ts >= header.createdAt && !isAfter("rewind") && !isAfter("branch");
}

/** Creates an error result for a call that has none. */
export function resultOf({ id, name }: ToolCallBlock, text: string): ToolResultMessage {
  const content = [{ type: "text" as const, text }];
  return {
    role: "tool_result",
    toolCallId: id,
    toolName: name,
    content,
    details: {},
    isError: true,
    timestamp: Date.now(),
  };
}
