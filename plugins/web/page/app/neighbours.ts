import type { ProjectRow } from "../host/session-list.ts";
import { sessionsOf } from "../waiting/marks.ts";
import type { Place } from "./place.ts";

/**
 * The id of the session that is listed `by` places after the shown one; before it if `by` is negative. Archived sessions are only listed if
 * they are shown or wait for an answer.
 */
export function neighbour(projects: readonly ProjectRow[], place: Place, by: number): string | undefined {
  const shown = place.at === "session" ? place.sessionId : undefined;
  const ids = sessionsOf(projects).flatMap(({ sessionId, archived, questions }) =>
    !archived || questions?.length || sessionId === shown ? [sessionId] : [],
  );
  const at = shown === undefined ? -1 : ids.indexOf(shown);
  if (at < 0) return by > 0 ? ids[0] : ids.at(-1);
  return ids[(at + by + ids.length) % ids.length];
}

/** The id of the next session after the shown one that waits for an answer. */
export function nextWaiting(projects: readonly ProjectRow[], place: Place): string | undefined {
  const sessions = sessionsOf(projects);
  const at = place.at === "session" ? sessions.findIndex(({ sessionId }) => sessionId === place.sessionId) : -1;
  const inOrder = [...sessions.slice(at + 1), ...sessions.slice(0, at + 1)];
  return inOrder.find(({ questions }) => questions?.length)?.sessionId;
}
