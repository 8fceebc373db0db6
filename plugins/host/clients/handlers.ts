import { existsSync } from "node:fs";
import type { TurnOutcome } from "@scorel/agent/contract";
import { ScorelError } from "@scorel/kernel";
import { settledPath } from "@scorel/kit/files/visible";
import type {} from "@scorel/model/contract";
import type { Operation, Operations, SessionSummary } from "../contract.ts";
import { errors } from "../errors.ts";
import { bookOf, listed, sessionsNearby } from "../places.ts";
import { announce, type OpenSession } from "../sessions/open-session.ts";
import { statusOf } from "../sessions/status.ts";
import { eventPage } from "../stream/pages.ts";
import { canonicalDirectory, homeDirectory } from "../workspace.ts";
import { agentOf, type Caller, keepOpen, openFor, opening, openWith, rememberTurn } from "./caller.ts";

type Params<O extends Operation> = Operations[O]["params"];
type Result<O extends Operation> = Promise<Operations[O]["result"]>;

export async function createSession(params: Params<"create_session">, caller: Caller): Result<"create_session"> {
  if (params.parent) await caller.access.assertSession(params.parent.sessionId);
  const session = await caller.sessions.create(opening(params, caller));
  caller.access.adopt(session.id);
  return statusOf(keepOpen(session, caller));
}

export async function cloneSession(
  { sessionId, ...options }: Params<"clone_session">,
  caller: Caller,
): Result<"clone_session"> {
  const id = caller.sessions.resolve(sessionId);
  const session = await caller.sessions.clone(id, opening(options, caller));
  caller.access.adopt(session.id);
  return statusOf(keepOpen(session, caller));
}

export async function loadSession(
  { sessionId, ...options }: Params<"load_session">,
  caller: Caller,
): Result<"load_session"> {
  const id = caller.sessions.resolve(sessionId);
  return statusOf(await openWith(id, options, caller));
}

export async function continueSession(
  { cwd, ...options }: Params<"continue_session">,
  caller: Caller,
): Result<"continue_session"> {
  // Sessions without a log file have no events yet, so there is nothing to continue.
  const latest = (await listSessions({ cwd }, caller)).find(({ path }) => existsSync(path));
  if (!latest) {
    const { value: book } = await bookOf(caller.sessions.parent);
    throw errors.SESSION_NONE({ cwd, ...sessionsNearby(await listSessions({}, caller), book, cwd) });
  }
  return statusOf(await openWith(latest.sessionId, options, caller));
}

export async function reloadSession({ sessionId }: Params<"reload_session">, caller: Caller): Result<"reload_session"> {
  const id = caller.sessions.resolve(sessionId);
  return statusOf(keepOpen(await caller.sessions.reload(id), caller));
}

export async function listSessions(
  { cwd, project, limit, children, parent, archived }: Operations["list_sessions"]["params"],
  { access, sessions }: Caller,
): Promise<SessionSummary[]> {
  // Must not reveal anything about other directories to a limited client, not even whether they exist.
  const known = cwd !== undefined && access.limited ? (settledPath(cwd) ?? cwd) : undefined;
  const directory = known ?? (cwd === undefined ? undefined : canonicalDirectory(cwd));
  const { value: book, problems } = await bookOf(sessions.parent);
  // Without the list of projects, sessions are shown where they were created; a query for one project cannot be
  // answered.
  if (project !== undefined && problems[0]) throw new ScorelError(problems[0].code, problems[0].message);
  if (parent !== undefined) await access.assertSession(parent);
  return listed(await access.visible(sessions.list()), book, {
    cwd: directory,
    project,
    limit,
    children,
    archived,
    parent: parent === undefined ? undefined : sessions.resolve(parent),
    from: directory ?? homeDirectory(),
  });
}

export async function sendMessage(
  { content, messageId, running, mentions, limits, ...params }: Operations["send_message"]["params"],
  caller: Caller,
): Promise<Operations["send_message"]["result"]> {
  const session = await openFor(params, caller);
  const agent = agentOf(session);
  // Fails now, before anything is written, when no model or tool is usable.
  if (!agent.running) {
    await session.kernel.find("model")?.ready?.();
    session.kernel.find("model")?.current();
    session.kernel.find("tools")?.list();
  }
  const { status, id, turn } = await agent.send(content, {
    clientId: caller.clientId,
    ...(messageId !== undefined && { messageId }),
    ...(running !== undefined && { running }),
    ...(mentions !== undefined && { mentions }),
    ...(limits && { limits }),
  });
  announce(session, caller);
  rememberTurn(session, id, turn);
  return { status, id };
}

export async function waitTurn(params: Params<"wait_turn">, caller: Caller): Result<"wait_turn"> {
  let session = await openFor(params, caller);
  let turn = outcomeIn(session, params.id);
  if (!turn) throw errors.HOST_TURN_UNKNOWN({ id: params.id });
  for (;;) {
    const outcome = await turn;
    if (outcome.error?.code !== "AGENT_STOPPED") return outcome;
    // The agent of a session that is reloaded gives up its queued messages. Their turns are still to come.
    const next = await caller.sessions.replacementOf(session);
    turn = next && caller.held.has(next.id) ? outcomeIn(next, params.id) : undefined;
    if (!next || !turn) return outcome;
    session = next;
  }
}

/** The outcome of the turn that answers a message. A host that was restarted finds it in the log. */
function outcomeIn({ turns, kernel }: OpenSession, id: string): Promise<TurnOutcome> | undefined {
  return turns.get(id) ?? kernel.find("agent")?.outcomeOf?.(id);
}

export async function getEvents(
  { sessionId, ...wanted }: Params<"get_events">,
  { sessions }: Caller,
): Result<"get_events"> {
  return sessions.withReadOnly(sessions.resolve(sessionId), ({ kernel }) => eventPage(kernel.session, wanted));
}
