import type { EventId, Session, TreeView } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Minimum length of an id's beginning, so that it stays unambiguous while the session grows. */
const SHORTEST = 4;

/** Finds an event by the beginning of its id; throws HISTORY_EVENT_UNKNOWN and HISTORY_AMBIGUOUS. */
export function resolveEvent(tree: TreeView, named: string, sessionId: string): EventId {
  if (tree.has(named)) return named;
  const matches = named === "" ? [] : tree.startingWith(named);
  if (matches.length > 1) throw errors.HISTORY_AMBIGUOUS({ named, what: "events", matches });
  const [match] = matches;
  if (match === undefined) throw errors.HISTORY_EVENT_UNKNOWN({ eventId: named, sessionId });
  return match;
}

/** Up to this number of events all ids are compared; beyond it, only the shown ones. */
const COMPARED = 5000;

/**
 * Returns how many characters identify an event: exact for the shown events, and for all others with high probability.
 */
export function idLength(tree: TreeView, shown: Iterable<{ id: EventId }>): number {
  const ids = Array.from(tree.size > COMPARED ? shown : tree, ({ id }) => id).sort();
  let shared = Math.max(SHORTEST, lengthFor(tree.size)) - 1;
  for (let index = 1; index < ids.length; index++)
    shared = Math.max(shared, sharedLength(ids[index - 1] as string, ids[index] as string));
  return shared + 1;
}

/** Length at which two of `size` random ids share a beginning with a probability of about 1 %. */
function lengthFor(size: number): number {
  return Math.ceil(Math.log(size * size * 50 + 1) / Math.log(62));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The destination of a rewind; null for the start. */
export function targetOf({ tree, id }: Session, { targetEventId }: { targetEventId: EventId | null }): EventId | null {
  return targetEventId === null ? null : resolveEvent(tree, targetEventId, id);
}
