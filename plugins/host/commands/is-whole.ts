import type { EventOf, StoredEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { OpenSession } from "../sessions/open-session.ts";

/** Returns true when the last events, and what is shown of them, would be the same with the whole log loaded. */
export function isWhole({ kernel: { session } }: OpenSession, count: number): boolean {
  const { tree, activeLeaf } = session;
  if (activeLeaf === null || tree.lostJumps > 0) return false;
  const events = [...tree.way(activeLeaf, count)];
  const [first] = events;
  if (!first || events.length < count || events.some(({ id }) => tree.isBridged(id))) return false;
  // The results of calls are shown with their calls, which are in the reply above them.
  for (const event of tree.ancestors(first.id)) {
    if (tree.isBridged(event.id)) return false;
    if (isReply(event)) return true;
  }
  return false;
}

function isReply(event: StoredEvent): boolean {
  return event.type === "message" && (event as EventOf<"message">).message.role === "assistant";
}
