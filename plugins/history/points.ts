import type { EventId, StoredEvent, TreeView } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { describeEvent, messageIn, oneLine } from "./event-text.ts";

/**
 * Returns true when a conversation can continue from an event: it is a path event, and no tool call waits for a result
 * there. That holds for user messages, ends of turns, the last of a set of results, and summaries.
 */
export function isPoint(tree: TreeView, id: EventId): boolean {
  return tree.isPath(id) && callsWithoutResult(tree, tree.get(id)).length === 0;
}

/** Returns the names of calls without a result at an event. Looks up only to the message with the calls. */
export function callsWithoutResult(tree: TreeView, at: StoredEvent | undefined): string[] {
  const answered = new Set<string>();
  for (let event = at; event; event = tree.parent(event.id)) {
    const message = messageIn(event);
    if (message?.role === "user") return [];
    if (message?.role === "tool_result") answered.add(message.toolCallId);
    if (message?.role === "assistant")
      return message.content.flatMap((block) =>
        block.type === "toolCall" && !answered.has(block.id) ? [block.name] : [],
      );
  }
  return [];
}

/** Throws HISTORY_NO_POINT, naming the nearest points, when a conversation cannot continue from an event. */
export function requirePoint(tree: TreeView, id: EventId): void {
  if (isPoint(tree, id)) return;
  const event = tree.get(id) as StoredEvent;
  const before = pointBefore(tree, id);
  const nearest = [...(before ? [before] : []), ...pointsAfter(tree, id)];
  const shown = [...(before ? [] : ["the start"]), ...nearest.map(describeEvent)];
  const reason = tree.isPath(id)
    ? `its tool calls (${oneLine(callsWithoutResult(tree, tree.get(id)).join(", "))}) wait for their results`
    : `it hangs beside the conversation`;
  throw errors.HISTORY_NO_POINT({ eventId: describeEvent(event), reason, nearest: nearest.map(idOf), shown });
}

/** Returns the nearest point above an event; undefined for the start. */
export function pointBefore(tree: TreeView, id: EventId): StoredEvent | undefined {
  let event = tree.parent(id);
  while (event && !isPoint(tree, event.id)) event = tree.parent(event.id);
  return event;
}

/** Returns the nearest points below an event, up to three. */
function pointsAfter(tree: TreeView, id: EventId): StoredEvent[] {
  const found: StoredEvent[] = [];
  const open = tree.children(id).slice(0, NAMED);
  for (let event = open.shift(); event && found.length < NAMED; event = open.shift())
    if (isPoint(tree, event.id)) found.push(event);
    else open.push(...tree.children(event.id).slice(0, NAMED));
  return found;
}
const NAMED = 3;

function idOf({ id }: StoredEvent): EventId {
  return id;
}
