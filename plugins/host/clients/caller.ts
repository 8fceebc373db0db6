import type { AgentService, TurnOutcome } from "@scorel/agent/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import type { Client } from "../contract.ts";
import { errors } from "../errors.ts";
import type { OpenSession } from "../sessions/open-session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Access } from "./access.ts";

/** Maximum number of turn outcomes kept per session for `wait_turn`. */
const REMEMBERED_TURNS = 256;

/** A connected client and the sessions that it has open. */
export interface Caller {
  readonly clientId: string;
  readonly name?: string | undefined;
  /** Whether the client can be reached now. */
  isHere(): boolean;
  /** See `ConnectOptions`. */
  readonly isKeeper: boolean;
  readonly access: Access;
  /** Whether to validate results of Scorel's own operations, too. */
  readonly checksResults: boolean;
  readonly sessions: Sessions;
  /** The sessions that this client keeps open, by id. Each controller aborts when the client releases the session. */
  readonly held: Map<string, AbortController>;
  readonly request: Client["request"];
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal;
  /** Ids of the sessions whose status the client follows. */
  readonly followed: Set<string>;
  /** Ids of the sessions in which the client was announced to others. */
  readonly announced: Set<string>;
  /** Whether the client has declared that it answers questions in every session that it opens. */
  attending?: boolean | undefined;
  /** The environment that the client gave last when it opened a session. */
  environment?: SessionOptions["environment"];
}

/**
 * Returns the options for opening a session, with `attending` and `environment` remembered from the client's earlier calls, since commands
 * such as `/new` open sessions for the client without knowing them. Also sets `attending` for a client that may not answer questions, so
 * that questions about its requests wait for another client instead of getting default answers.
 */
export function opening<P extends SessionOptions>(params: P, caller: Caller): P {
  caller.attending = params.attending ?? caller.attending;
  caller.environment = params.environment ?? caller.environment;
  return {
    ...params,
    ...(caller.environment && { environment: caller.environment }),
    ...((caller.attending || !caller.access.mayAnswer) && { attending: true }),
  };
}

/** Opens the session if necessary, and keeps it open for the caller. */
export function openFor({ sessionId }: { sessionId: string }, caller: Caller): Promise<OpenSession> {
  return loadedFor(sessionId, {}, caller);
}

/** Opens a stored session with the options of a request, and keeps it open for the caller. */
export async function openWith(id: string, params: SessionOptions, caller: Caller): Promise<OpenSession> {
  const options = opening(params, caller);
  if (!caller.isKeeper) await caller.sessions.closeKept(id, options);
  return loadedFor(id, options, caller);
}

/**
 * Opens a session, and keeps it open for the caller. If its last client leaves it meanwhile, which closes it, it is opened again, unless
 * that was the caller, whose requests in the session end with it.
 */
async function loadedFor(id: string, options: SessionOptions, caller: Caller): Promise<OpenSession> {
  const before = caller.held.get(id);
  for (;;) {
    const session = await caller.sessions.load(id, options);
    if (before?.signal.aborted) return session;
    keepOpen(session, caller);
    if (caller.sessions.isOpen(session)) return session;
  }
}

/** Keeps a session open for the caller. */
export function keepOpen(session: OpenSession, caller: Caller): OpenSession {
  const { id, users } = session;
  users.add(caller);
  if (!caller.held.has(id)) caller.held.set(id, new AbortController());
  return session;
}

/** Releases a session if the caller is no keeper, or nobody else uses it and nothing runs in it. */
export async function releaseUnlessKept(sessionId: string, caller: Caller): ReturnType<Sessions["release"]> {
  if (caller.isKeeper && !(await caller.sessions.isUnused(sessionId))) return { closed: false, notices: [] };
  return releaseSession(sessionId, caller);
}

/** Releases the caller's session. The last caller to release it closes it. */
export function releaseSession(sessionId: string, caller: Caller): ReturnType<Sessions["release"]> {
  caller.held.get(sessionId)?.abort();
  caller.held.delete(sessionId);
  caller.followed.delete(sessionId);
  return caller.sessions.release(sessionId, caller);
}

/** Returns the session's agent; throws HOST_NO_AGENT. */
export function agentOf({ id, kernel }: OpenSession): AgentService {
  const agent = kernel.find("agent");
  if (!agent) throw errors.HOST_NO_AGENT({ sessionId: id });
  return agent;
}

/** Remembers a turn for `wait_turn`, and forgets the oldest. */
export function rememberTurn({ turns }: OpenSession, id: string, turn: Promise<TurnOutcome>): void {
  turns.set(id, turn);
  if (turns.size > REMEMBERED_TURNS) turns.delete([...turns.keys()][0] as string);
}
