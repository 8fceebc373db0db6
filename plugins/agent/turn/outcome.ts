import { type EventId, isEvent, type Session, type StoredEvent, type TreeView } from "@scorel/kernel";
import { addUsage, noUsage, usageIn } from "@scorel/kit/session/usage";
import type { AssistantMessage, ScorelMessage, Usage } from "@scorel/messages/contract";
import type { TurnOutcome } from "../contract.ts";
import { errors } from "../errors.ts";
import { assistantText } from "../messages/convert.ts";

/** Outcome of a message that no turn will answer. */
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

/**
 * Reads the outcome of a message that was sent before this session was opened. `id` is the one that `send` returned.
 * Undefined when the log has no such message.
 */
export function outcomeFromLog(session: Session, id: string): TurnOutcome | undefined {
  const sent = session.tree.get(id);
  const start = sent?.type === "message" ? sent : deliveryOf(session.tree, id);
  if (!start) return undefined;
  const turn = turnOf(session.tree, start);
  const replies = turn.map(assistantOf).filter((reply) => reply !== undefined);
  const last = replies.at(-1);
  const failure = turn.findLast((event) => isEvent(event, "turn_failed"))?.error;
  return {
    ...ending(last, failure),
    text: last ? assistantText(last.content) : "",
    stopReason: failure ? "error" : (last?.stopReason ?? "error"),
    usage: usageOf(turn),
    durationMs: (turn.at(-1) as StoredEvent).ts - (turn[0] as StoredEvent).ts,
    leafId: leafOf(turn),
  };
}

function ending(
  last: AssistantMessage | undefined,
  failure: TurnOutcome["error"],
): Pick<TurnOutcome, "reason" | "error"> {
  if (failure) return { reason: "error", error: failure };
  if (last?.stopReason === "stop" || (last?.stopReason === "length" && !last.errorMessage))
    return { reason: "completed" };
  if (last?.stopReason === "aborted") return { reason: "cancelled" };
  const { code, message } = errors.AGENT_INTERRUPTED();
  return { reason: "error", error: { code, message: last?.errorMessage ?? message } };
}

/** Number of events to read at a time, so that at most one turn of a long log is in memory. */
const READ = 1_000;

/** Finds the message that a queue item became. Clients ask about recent messages. */
function deliveryOf(tree: TreeView, queueItemId: string): StoredEvent | undefined {
  return lastUpTo(tree, tree.last?.seq ?? 0, (event) => userOf(event)?.meta?.queueItemId === queueItemId);
}

/** Finds the last event up to a position for which `matches` returns true. Searches backwards. */
function lastUpTo(tree: TreeView, seq: number, matches: (event: StoredEvent) => boolean): StoredEvent | undefined {
  for (let to = seq; to > 0; to -= READ) {
    const found = tree.between(to - READ + 1, to).findLast(matches);
    if (found) return found;
  }
  return undefined;
}

/** Whether an event is the message that starts a turn. Messages that enter a turn later have a `source`. */
function startsTurn(event: StoredEvent): boolean {
  const user = userOf(event);
  return user !== undefined && user.meta?.source === undefined;
}

/** Returns the events of the turn with this message, up to the next message that starts a turn. */
function turnOf(tree: TreeView, message: StoredEvent): StoredEvent[] {
  const start = lastUpTo(tree, message.seq, startsTurn) ?? message;
  const turn = [start];
  const end = tree.last?.seq ?? 0;
  for (let from = start.seq + 1; from <= end; from += READ) {
    const events = tree.between(from, from + READ - 1);
    const next = events.findIndex(startsTurn);
    turn.push(...(next < 0 ? events : events.slice(0, next)));
    if (next >= 0) break;
  }
  return turn;
}

function leafOf(turn: readonly StoredEvent[]): EventId | null {
  const isKept = (event: StoredEvent) => event.type === "message" && !messageOf(event)?.meta?.retried;
  return turn.findLast((event) => isKept(event) || event.type === "turn_failed")?.id ?? null;
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  return isEvent(event, "message") ? event.message : undefined;
}
/** The usage of a turn's replies, tools, summaries and other work. What follows the last message, such as a title, came after the turn. */
function usageOf(turn: readonly StoredEvent[]): Usage {
  const events = turn.slice(0, turn.findLastIndex(messageOf) + 1);
  return events.reduce((sum, event) => addUsage(sum, usageIn(event)?.usage), noUsage());
}
function userOf(event: StoredEvent) {
  const message = messageOf(event);
  return message?.role === "user" ? message : undefined;
}
function assistantOf(event: StoredEvent): AssistantMessage | undefined {
  const message = messageOf(event);
  return message?.role === "assistant" ? message : undefined;
}
