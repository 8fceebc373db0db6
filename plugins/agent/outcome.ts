import type { EventId, EventOf, Session, StoredEvent } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage } from "@scorel/messages/contract";
import type { TurnOutcome } from "./contract.ts";
import { assistantText } from "./convert.ts";
import { errors } from "./errors.ts";
import { addUsage, noUsage } from "./usage.ts";

/** The outcome of a message that no turn will serve any more. */
export function unserved(session: Session, error: { code: string; message: string }): TurnOutcome {
  return {
    reason: "cancelled",
    error: { code: error.code, message: error.message },
    text: "",
    stopReason: "aborted",
    usage: noUsage(),
    durationMs: 0,
    leafId: session.activeLeaf,
  };
}

/** What became of a message sent before this session was opened, read from the log; `id` as `send` answered it. */
export function outcomeFromLog(session: Session, id: string): TurnOutcome {
  const events = [...session.tree];
  const start = events.findIndex((event) => event.id === id || userOf(event)?.meta?.queueItemId === id);
  if (start < 0) return unserved(session, errors.AGENT_REMOVED());
  const turn = events.slice(start, endOf(events, start));
  const replies = turn.map(assistantOf).filter((reply) => reply !== undefined);
  const last = replies.at(-1);
  return {
    ...ending(last),
    text: last ? assistantText(last.content) : "",
    stopReason: last?.stopReason ?? "error",
    usage: replies.reduce((sum, { usage }) => addUsage(sum, usage), noUsage()),
    durationMs: (turn.at(-1) as StoredEvent).ts - (turn[0] as StoredEvent).ts,
    leafId: leafOf(turn),
  };
}

function ending(last: AssistantMessage | undefined): Pick<TurnOutcome, "reason" | "error"> {
  if (last?.stopReason === "stop" || (last?.stopReason === "length" && !last.errorMessage))
    return { reason: "completed" };
  if (last?.stopReason === "aborted") return { reason: "cancelled" };
  const { code, message } = errors.AGENT_INTERRUPTED();
  return { reason: "error", error: { code, message: last?.errorMessage ?? message } };
}

/** A turn reaches to the next message that began one. */
function endOf(events: readonly StoredEvent[], start: number): number {
  const next = events.findIndex((event, index) => index > start && userOf(event) && !userOf(event)?.meta?.source);
  return next < 0 ? events.length : next;
}

function leafOf(turn: readonly StoredEvent[]): EventId | null {
  return turn.findLast((event) => event.type === "message" && !messageOf(event)?.meta?.retried)?.id ?? null;
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  return event.type === "message" ? (event as EventOf<"message">).message : undefined;
}
function userOf(event: StoredEvent) {
  const message = messageOf(event);
  return message?.role === "user" ? message : undefined;
}
function assistantOf(event: StoredEvent): AssistantMessage | undefined {
  const message = messageOf(event);
  return message?.role === "assistant" ? message : undefined;
}
