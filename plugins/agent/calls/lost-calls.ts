import type { EventOf, LogView, Session, StoredEvent } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage, ToolCallBlock, ToolResultMessage } from "@scorel/messages/contract";
import type { Environment } from "../environment.ts";

const STOPPED =
  "Stopped: Scorel ended while this ran; its result is unknown. It may have had an effect; check before you repeat it.";
const NOT_RUN = "Not run: Scorel ended while it was asked whether this may run.";

/** Stores what became of the calls that had no result when the last process of this session ended, so that people learn of it, too. */
export async function storeLostCalls({ ctx }: Environment): Promise<void> {
  const { session } = ctx;
  const leaf = session.activeLeaf;
  const lost = lostCalls(session);
  if (lost.length === 0 || session.held) return;
  const approver = ctx.find("approver");
  const isUnmoved = (view: LogView) => {
    if (view.activeLeaf !== leaf) throw new Error("the conversation has gone on");
  };
  const entries = lost.map((call) => {
    const text = approver?.isUnanswered?.(call.id) ? NOT_RUN : STOPPED;
    return { type: "message" as const, payload: { message: resultOf(call, text) }, check: isUnmoved };
  });
  try {
    await session.appendAll(entries);
  } catch (thrown) {
    // Without them, requests to the model say that there is no result.
    if (session.activeLeaf === leaf && !session.held && !session.stopping.aborted)
      ctx.report("storing calls that were cut off", thrown);
  }
}

/** The calls of the last reply that have no result, unless the conversation was moved there. */
function lostCalls(session: Session): ToolCallBlock[] {
  const { activeLeaf, tree } = session;
  const answered = new Set<string>();
  for (const event of activeLeaf === null ? [] : tree.ancestors(activeLeaf)) {
    const message = messageOf(event);
    if (message?.role === "tool_result") answered.add(message.toolCallId);
    if (message?.role === "assistant") {
      const calls = callsOf(message).filter(({ id }) => !answered.has(id));
      return calls.length > 0 && isLast(event, session) ? calls : [];
    }
    if (message?.role === "user" || event.type === "compact") return [];
  }
  return [];
}

function callsOf({ content, partial, stopReason }: AssistantMessage): ToolCallBlock[] {
  if (partial || stopReason === "error" || stopReason === "aborted") return [];
  const calls = content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}

/** Whether a reply was made in this session, not in one that it was copied from, and nobody has gone back to it since. */
function isLast({ seq, ts }: StoredEvent, { header, tree }: Session): boolean {
  const isAfter = (type: string) => Array.from(tree.ofType(type)).some((jump) => jump.seq > seq);
  return ts >= header.createdAt && !isAfter("rewind") && !isAfter("branch");
}

function resultOf({ id, name }: ToolCallBlock, text: string): ToolResultMessage {
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

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  return event.type === "message" || event.type === "custom_message"
    ? (event as EventOf<"message">).message
    : undefined;
}
