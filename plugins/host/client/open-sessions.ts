import { lineOf } from "@scorel/kit/text/one-line";
import type { SessionSummary } from "../contract.ts";

/** The present state of a session that the host has open. */
export type OpenState = "asking" | "running" | "open";

/** Returns the state of a session; undefined if the host does not have it open. */
export function openState({ running, questions }: SessionSummary): OpenState | undefined {
  if (running === undefined) return undefined;
  if (questions) return "asking";
  return running ? "running" : "open";
}

/** Returns the sessions that the host has open, then the others, each in their former order. */
export function openFirst(sessions: readonly SessionSummary[]): SessionSummary[] {
  const isOpen = (session: SessionSummary) => openState(session) !== undefined;
  return [...sessions.filter(isOpen), ...sessions.filter((session) => !isOpen(session))];
}

/** Formats a session's title for a list, with its state if it is open, such as `mend the parser  (running)`. */
export function titleWithState(session: SessionSummary): string {
  const state = openState(session);
  const title = lineOf(session.name || session.title);
  return state === undefined ? title : `${title}  (${STATES[state]})`;
}

const STATES: Readonly<Record<OpenState, string>> = { asking: "has a question", running: "running", open: "open" };
