import type { AgentService, TurnOutcome } from "@scorel/agent/contract";
import type { Client, SessionOptions } from "./contract.ts";
import { errors } from "./errors.ts";
import type { OpenSession } from "./open-session.ts";
import type { Sessions } from "./sessions.ts";

const REMEMBERED_TURNS = 256;

/** Who asks, and what it has open. */
export interface Caller {
  readonly clientId: string;
  readonly sessions: Sessions;
  /** The sessions that it keeps open, by what aborts when it gives them up. */
  readonly held: Map<string, AbortController>;
  readonly request: Client["request"];
  /** It answers questions in every session that it opens. */
  attending?: boolean | undefined;
}

/** With what a session is opened for this client: that it answers questions need be said once. */
export function opening<P extends SessionOptions>(params: P, caller: Caller): P {
  caller.attending = params.attending ?? caller.attending;
  return caller.attending ? { ...params, attending: true } : params;
}

/** The session, opened now if it is not. */
export async function openOf({ sessionId }: { sessionId: string }, caller: Caller): Promise<OpenSession> {
  return hold(await caller.sessions.load(sessionId), caller);
}

/** Keeps a session open for the caller. */
export function hold(session: OpenSession, caller: Caller): OpenSession {
  const { id, users } = session;
  users.add(caller);
  if (!caller.held.has(id)) caller.held.set(id, new AbortController());
  return session;
}

/** Gives a session up; it is closed with the last that keeps it open. */
export function giveUp(sessionId: string, caller: Caller): ReturnType<Sessions["release"]> {
  caller.held.get(sessionId)?.abort();
  caller.held.delete(sessionId);
  return caller.sessions.release(sessionId, caller);
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
