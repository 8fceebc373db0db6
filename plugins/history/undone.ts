import { type EventId, isEvent, type Session, type StoredEvent, type TreeView } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { userMessageIn } from "./event-text.ts";
import { newestFirst } from "./newest-first.ts";
import { pointBefore } from "./points.ts";

/** A move of the active leaf, read from the log; null for the start. */
export interface Jump {
  type: "rewind" | "branch";
  from: EventId | null;
  to: EventId | null;
}

/** Returns what a rewind or branch event did; undefined for other events. */
export function jumpOf(event: StoredEvent): Jump | undefined {
  const { parentId: from } = event;
  if (isEvent(event, "rewind") && event.targetEventId !== undefined)
    return { type: "rewind", from, to: event.targetEventId };
  if (isEvent(event, "branch") && event.leafEventId !== undefined)
    return { type: "branch", from, to: event.leafEventId };
  return undefined;
}

/** Finds the last user message of the conversation that ends at `leaf`. */
export function lastUserMessage(tree: TreeView, leaf: EventId | null): StoredEvent | undefined {
  let event = leaf === null ? undefined : tree.get(leaf);
  while (event && !userMessageIn(event)) event = tree.parent(event.id);
  return event;
}

/**
 * Returns the leaves that can be redone, latest last. Computed from the moves at the end of the log, so it survives a
 * restart. Going back to anything earlier is an undo; a new message or a move to another branch clears it. A move to the
 * same place changes nothing.
 */
export function undoneLeaves(tree: TreeView): EventId[] {
  let leaves: EventId[] = [];
  for (const { from, to } of jumpsAtEnd(tree)) {
    // A rewind to where the conversation is restores the files after an undo that left them alone.
    if (to === from) continue;
    const isUndo = from !== null && tree.has(from) && (to === null || tree.above(from)(to));
    if (leaves.length > 0 && leaves.at(-1) === to) leaves.pop();
    else if (isUndo) leaves.push(from);
    else leaves = [];
  }
  return leaves;
}

/** Returns the moves since the last path event, in order. */
function jumpsAtEnd(tree: TreeView): Jump[] {
  const jumps: Jump[] = [];
  for (const event of newestFirst(tree)) {
    if (tree.isPath(event.id)) break;
    const jump = jumpOf(event);
    if (jump) jumps.unshift(jump);
  }
  return jumps;
}

/**
 * Where an undo leads; null for the start. The conversation goes to before the last user message (`to`), and the files to their state when
 * that message was sent (`filesOf`): if an earlier message was undone there without its files, they are meant to stay. If the undo also
 * leaves out a round that was not finished, the files go to their state at `to`. Throws HISTORY_NO_UNDO.
 */
export function placeBefore({ tree, activeLeaf, id }: Session): { to: EventId | null; filesOf: EventId | null } {
  const message = lastUserMessage(tree, activeLeaf);
  if (!message) throw errors.HISTORY_NO_UNDO({ sessionId: id });
  const to = pointBefore(tree, message.id)?.id ?? null;
  const isRightBefore = (tree.parent(message.id)?.id ?? null) === to;
  return { to, filesOf: isRightBefore ? message.id : to };
}

/** Where a redo leads. Throws HISTORY_NO_REDO. */
export function undoneLeaf({ tree, id }: Session): EventId {
  const to = undoneLeaves(tree).at(-1);
  if (to === undefined) throw errors.HISTORY_NO_REDO({ sessionId: id });
  return to;
}
