import type { SessionSummary } from "@scorel/host/contract";
import type { ProjectRow } from "../host/session-list.ts";
import { isUnread, type Seen } from "./seen.ts";

/** The mark beside the title of a session: it waits for an answer, is working, or has something that was not seen yet. */
export type Mark = "asking" | "running" | "unread";

/** The mark of a session; undefined if it has none, or `seen` is not known yet. */
export function markOf(session: SessionSummary, seen: Seen | undefined): Mark | undefined {
  if (session.questions?.length) return "asking";
  if (session.running) return "running";
  return seen && isUnread(session, seen) ? "unread" : undefined;
}

export function sessionsOf(projects: readonly ProjectRow[]): SessionSummary[] {
  return projects.flatMap(({ sessions }) => sessions);
}

/** The sessions that wait for an answer. */
export function waitingIn(projects: readonly ProjectRow[]): SessionSummary[] {
  return sessionsOf(projects).filter(({ questions }) => questions?.length);
}

export interface News {
  session: SessionSummary;
  mark: "asking" | "unread";
}

/** The sessions that have begun to wait or have something new. `before` has the previous marks. */
export function newsOf(
  sessions: readonly SessionSummary[],
  before: ReadonlyMap<string, Mark | undefined>,
  seen: Seen | undefined,
): News[] {
  return sessions.flatMap((session) => {
    const mark = markOf(session, seen);
    const isNew = mark !== before.get(session.sessionId);
    return isNew && (mark === "asking" || mark === "unread") ? [{ session, mark }] : [];
  });
}
