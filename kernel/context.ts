import type { TreeView } from "./tree-view.ts";
import type { EventId, LlmAction, Message, StoredEvent } from "./types.ts";

/** Functions that convert events to messages. */
export interface Reading {
  toLlm(event: StoredEvent): LlmAction;
  /** Merges text into the preceding message. Returns undefined if that message cannot hold it. */
  merge?(previous: Message, content: string): Message | undefined;
}

/**
 * Builds the messages that a model reads at `leaf`. Walks up to the nearest barrier, or to its `after` if it has one, then
 * goes forward again, so that merged text joins the message that really precedes it.
 */
export function buildContext(tree: TreeView, leaf: EventId | null, reading: Reading): Message[] {
  const { summary, actions } = collect(tree, leaf, reading);
  const messages: Message[] = summary === undefined ? [] : [summary];
  for (const action of actions) fold(messages, action, reading);
  return messages;
}

function collect(
  tree: TreeView,
  leaf: EventId | null,
  reading: Reading,
): { summary: Message | undefined; actions: LlmAction[] } {
  const actions: LlmAction[] = [];
  let barrier: Extract<LlmAction, { action: "barrier" }> | undefined;
  for (const event of leaf === null ? [] : tree.ancestors(leaf)) {
    if (barrier && event.id === barrier.after) break;
    const action = reading.toLlm(event);
    if (action.action !== "barrier") actions.push(action);
    else if (!barrier) {
      barrier = action;
      if (action.after === undefined) break;
    }
  }
  return { summary: barrier?.summary, actions: actions.reverse() };
}

/** Adds the message of an event, or merges its text into the last message. */
export function fold(messages: Message[], action: LlmAction, reading: Reading): void {
  if (action.action === "include") messages.push(action.message);
  if (action.action !== "merge_prev") return;
  const merged =
    messages.length > 0 ? reading.merge?.(messages[messages.length - 1] as Message, action.content) : undefined;
  if (merged === undefined) messages.push(action.otherwise);
  else messages[messages.length - 1] = merged;
}

/** Whether a barrier may keep the events after `after`: it must be on the path and not before what the last barrier keeps. */
export function isLegalBarrier(tree: TreeView, parentId: EventId | null, after: EventId, reading: Reading): boolean {
  for (const event of parentId === null ? [] : tree.ancestors(parentId)) {
    if (event.id === after) return true;
    const action = reading.toLlm(event);
    if (action.action === "barrier") return isInTail(tree, event, action.after, after);
  }
  return false;
}

/** Whether `after` is one of the events that an earlier barrier keeps, or that barrier's own `after` (`kept`). */
function isInTail(tree: TreeView, barrier: StoredEvent, kept: EventId | undefined, after: EventId): boolean {
  if (kept === undefined) return false;
  for (const event of tree.ancestors(barrier.id)) {
    if (event.id === barrier.id) continue;
    if (event.id === after) return true;
    if (event.id === kept) return false;
  }
  return false;
}
