import type { EventId, TreeView } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { errors } from "./errors.ts";

/** As short as a name may be, so that it stays good while the session grows. */
const SHORTEST = 4;

/** The event that is named so; throws HISTORY_EVENT_UNKNOWN and HISTORY_AMBIGUOUS. */
export function resolveEvent(tree: TreeView, named: string, sessionId: string): EventId {
  if (tree.has(named)) return named;
  const matches = named === "" ? [] : tree.startingWith(named);
  if (matches.length > 1) throw errors.HISTORY_AMBIGUOUS({ named, what: "events", matches });
  const [match] = matches;
  if (match === undefined) throw errors.HISTORY_EVENT_UNKNOWN({ eventId: named, sessionId });
  return match;
}

/** Up to so many events all ids are compared; of more, those that are shown, and chance does the rest. */
const COMPARED = 5000;

/** How many characters tell the events of a session apart: always those shown, in large sessions almost surely all. */
export function idLength(tree: TreeView, shown: Iterable<{ id: EventId }>): number {
  const ids = Array.from(tree.size > COMPARED ? shown : tree, ({ id }) => id).sort();
  let shared = Math.max(SHORTEST, lengthFor(tree.size)) - 1;
  for (let index = 1; index < ids.length; index++)
    shared = Math.max(shared, sharedLength(ids[index - 1] as string, ids[index] as string));
  return shared + 1;
}

/** Letters and digits with which two of so many random ids begin alike once in a hundred sessions. */
function lengthFor(size: number): number {
  return Math.ceil(Math.log(size * size * 50 + 1) / Math.log(62));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The id of the event that a request writes: the same for a retry, which so finds what the first one did. */
export function eventIdFor(operation: string, messageId: string | undefined): EventId | undefined {
  if (messageId === undefined) return undefined;
  const hash = sha256Of(`${operation} ${messageId}`);
  return BigInt(`0x${hash}`).toString(36).slice(0, 16);
}
