import type { AgentService, TurnOutcome } from "@scorel/agent/contract";
import type { Client } from "./contract.ts";
import { errors } from "./errors.ts";
import type { OpenSession, Sessions } from "./sessions.ts";

const REMEMBERED_TURNS = 256;

/** Who asks, and what it has open. */
export interface Caller {
  readonly clientId: string;
  readonly sessions: Sessions;
  readonly held: Set<string>;
  readonly request: Client["request"];
}

/** The session, opened now if it is not. */
export async function openOf({ sessionId }: { sessionId: string }, caller: Caller): Promise<OpenSession> {
  return hold(await caller.sessions.load(sessionId), caller);
}

/** Keeps a session open for the caller. */
export function hold(session: OpenSession, { clientId, held }: Caller): OpenSession {
  session.users.add(clientId);
  held.add(session.id);
  return session;
}

/** The session's agent; throws HOST_NO_AGENT. */
export function agentOf({ id, kernel }: OpenSession): AgentService {
  const agent = kernel.find("agent");
  if (!agent) throw errors.HOST_NO_AGENT({ sessionId: id });
  return agent;
}

/** Keeps a turn for `wait_turn`; the oldest is forgotten. */
export function rememberTurn({ turns }: OpenSession, id: string, turn: Promise<TurnOutcome>): void {
  turns.set(id, turn);
  if (turns.size > REMEMBERED_TURNS) turns.delete([...turns.keys()][0] as string);
}
