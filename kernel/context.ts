import type { Tree } from "./tree.ts";
import type { EventId, LlmAction, Message, StoredEvent } from "./types.ts";

export interface Converters {
  toLlm(event: StoredEvent): LlmAction;
  /** Joins side-band text to a message; undefined when it cannot carry it. */
  merge?(previous: Message, content: string): Message | undefined;
}

/**
 * The messages a model reads at `leaf`. Walks up until a barrier (or, when the barrier keeps a tail, to
 * the event that tail begins after), then folds forward, so that merged text joins what truly precedes it.
 */
export function buildContext(tree: Tree, leaf: EventId | null, converters: Converters): Message[] {
  const { summary, actions } = collect(tree, leaf, converters);
  const messages: Message[] = summary === undefined ? [] : [summary];
  for (const action of actions) fold(messages, action, converters);
  return messages;
}

function collect(
  tree: Tree,
  leaf: EventId | null,
  converters: Converters,
): { summary: Message | undefined; actions: LlmAction[] } {
  const actions: LlmAction[] = [];
  let barrier: Extract<LlmAction, { action: "barrier" }> | undefined;
  for (const event of leaf === null ? [] : tree.ancestors(leaf)) {
    if (barrier && event.id === barrier.after) break;
    const action = converters.toLlm(event);
    if (action.action !== "barrier") actions.push(action);
    else if (!barrier) {
      barrier = action;
      if (action.after === undefined) break;
    }
  }
  return { summary: barrier?.summary, actions: actions.reverse() };
}

/** Adds to the messages what an event is to a model. */
export function fold(messages: Message[], action: LlmAction, converters: Converters): void {
  if (action.action === "include") messages.push(action.message);
  if (action.action !== "merge_prev") return;
  const merged =
    messages.length > 0 ? converters.merge?.(messages[messages.length - 1] as Message, action.content) : undefined;
  if (merged === undefined) messages.push(action.otherwise);
  else messages[messages.length - 1] = merged;
}

/** Whether a barrier may keep what follows `after`: an ancestor of its parent, not older than the last barrier's. */
export function isLegalBarrier(tree: Tree, parentId: EventId | null, after: EventId, converters: Converters): boolean {
  for (const event of parentId === null ? [] : tree.ancestors(parentId)) {
    if (event.id === after) return true;
    const action = converters.toLlm(event);
    if (action.action === "barrier") return isInTail(tree, event, action.after, after);
  }
  return false;
}

/** An earlier barrier kept the events between its own `after` (inclusive as a new cut) and itself. */
function isInTail(tree: Tree, barrier: StoredEvent, kept: EventId | undefined, after: EventId): boolean {
  if (kept === undefined) return false;
  for (const event of tree.ancestors(barrier.id)) {
    if (event.id === barrier.id) continue;
    if (event.id === after) return true;
    if (event.id === kept) return false;
  }
  return false;
}
