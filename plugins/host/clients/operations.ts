import type {} from "@scorel/agent/contract";
import { type Awaitable, codeOf, messageOf, ScorelError } from "@scorel/kernel";
import type { SessionMeta } from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type { Notice } from "@scorel/workspace/contract";
import type { Operation, Operations, SessionStatus, SessionSummary } from "../contract.ts";
import { errors } from "../errors.ts";
import { bookOf, listed } from "../places.ts";
import type { OpenSession } from "../sessions/open-session.ts";
import { failuresOf } from "../sessions/open-session.ts";
import { canonicalDirectory, homeDirectory } from "../workspace.ts";
import { agentOf, type Caller, keepOpen, openFor, opening, releaseSession, rememberTurn } from "./caller.ts";
import { deliver } from "./delivered.ts";
import { queueOf, rewriteQueue, runQueue } from "./queue.ts";

export type Handler<O extends Operation> = (
  params: Operations[O]["params"],
  caller: Caller,
) => Awaitable<Operations[O]["result"]>;

/** Handlers of the host's own operations. Plugins contribute the others. */
const operations = {
  ping: () => ({ pong: true }),
  create_session: async (params, caller) =>
    statusOf(keepOpen(await caller.sessions.create(opening(params, caller)), caller)),
  clone_session: async ({ sessionId, ...options }, caller) => {
    const id = caller.sessions.resolve(sessionId);
    return statusOf(keepOpen(await caller.sessions.clone(id, opening(options, caller)), caller));
  },
  load_session: async ({ sessionId, ...options }, caller) => {
    const id = caller.sessions.shelf.resolve(sessionId);
    return statusOf(keepOpen(await caller.sessions.load(id, opening(options, caller)), caller));
  },
  continue_session: async ({ cwd, ...options }, caller) => {
    const [latest] = await listSessions({ cwd, limit: 1 }, caller);
    if (!latest) throw errors.SESSION_NONE({ cwd });
    return statusOf(keepOpen(await caller.sessions.load(latest.sessionId, opening(options, caller)), caller));
  },
  list_sessions: async (params, caller) => ({ sessions: await listSessions(params, caller) }),
  send_message: sendMessage,
  wait_turn: async (params, caller) => {
    const turn = (await openFor(params, caller)).turns.get(params.id);
    if (!turn) throw errors.HOST_TURN_UNKNOWN({ id: params.id });
    return turn;
  },
  cancel: async (params, caller) => ({ cancelled: await agentOf(await openFor(params, caller)).cancel() }),
  get_queue: ({ sessionId }, { sessions }) => sessions.withReadOnly(sessions.resolve(sessionId), queueOf),
  rewrite_queue: rewriteQueue,
  run_queue: runQueue,
  get_context: async (params, caller) => ({ messages: (await openFor(params, caller)).kernel.session.buildContext() }),
  get_events: async ({ tail = Number.POSITIVE_INFINITY, ...params }, caller) => {
    const { session } = (await openFor(params, caller)).kernel;
    return { header: session.header, events: session.tree.tail(tail).map((event) => deliver(session, event)) };
  },
  get_status: async (params, caller) => statusOf(await openFor(params, caller)),
  reload_session: async ({ sessionId }, caller) => {
    const id = caller.sessions.resolve(sessionId);
    return statusOf(keepOpen(await caller.sessions.reload(id), caller));
  },
  check_sessions: async ({ limit }, { sessions }) =>
    (await import("../sessions/health.ts")).checkSessions(sessions.shelf.logs, sessions.shelf.directory, limit),
  close_session: ({ sessionId }, caller) => releaseSession(sessionId, caller),
} satisfies { [O in Operation]?: Handler<O> };

async function listSessions(
  { cwd, project, limit }: Operations["list_sessions"]["params"],
  { sessions: { shelf, parent } }: Caller,
): Promise<SessionSummary[]> {
  const directory = cwd === undefined ? undefined : canonicalDirectory(cwd);
  const { value: book, problems } = await bookOf(parent);
  // Without the list of projects, sessions are shown where they were created; a query for one project cannot be
  // answered.
  if (project !== undefined && problems[0]) throw new ScorelError(problems[0].code, problems[0].message);
  return listed(shelf.list(), book, { cwd: directory, project, limit, from: directory ?? homeDirectory() });
}

/** Returns the host's own handler of an operation; undefined for others. */
export function ownHandler<O extends Operation>(operation: O): Handler<O> | undefined {
  return Object.hasOwn(operations, operation)
    ? (operations as { [K in Operation]?: Handler<K> })[operation]
    : undefined;
}

/** Returns a session's status for clients. */
export function statusOf(open: OpenSession): SessionStatus {
  const { id, kernel } = open;
  const { session, problems } = kernel;
  const persistent = session.tree.last;
  return {
    sessionId: id,
    running: kernel.find("agent")?.running ?? false,
    leafId: session.activeLeaf,
    meta: { ...(session.header.meta as SessionMeta), ...session.projection("sessionMeta") },
    anchor: {
      epoch: session.epoch,
      persistentSeq: persistent?.seq ?? 0,
      persistentId: persistent?.id ?? null,
      activation: session.activation,
      streamSeq: session.seq,
    },
    problems: problems.map(({ line, offset, reason }) => ({ line, offset, reason })),
    notices: [...readOnlyNotice(open), ...open.problems, ...failuresOf(open)],
    ...waitingIn(open),
    ...modelOf({ kernel }),
  };
}

function waitingIn(open: OpenSession): Pick<SessionStatus, "waiting"> {
  const { items } = queueOf(open);
  return items.length > 0 ? { waiting: items.length } : {};
}

function readOnlyNotice({ id, kernel: { readOnly } }: OpenSession): Notice[] {
  if (readOnly === undefined) return [];
  const message = `The log of session ${id} is open for reading only: ${readOnly}.`;
  return [{ origin: "log", code: "STORE_READ_ONLY", message }];
}

function modelOf({ kernel }: Pick<OpenSession, "kernel">): Pick<SessionStatus, "model" | "modelError"> {
  try {
    const model = kernel.find("model")?.current();
    return model ? { model: `${model.provider}/${model.id}` } : {};
  } catch (thrown) {
    return { modelError: { code: codeOf(thrown), message: messageOf(thrown) } };
  }
}

async function sendMessage(
  { content, messageId, running, ...params }: Operations["send_message"]["params"],
  caller: Caller,
): Promise<Operations["send_message"]["result"]> {
  const session = await openFor(params, caller);
  const agent = agentOf(session);
  // Fails now, before anything is written, when no model or tool is usable.
  if (!agent.running) {
    session.kernel.find("model")?.current();
    session.kernel.find("tools")?.list();
  }
  const { status, id, turn } = await agent.send(content, {
    clientId: caller.clientId,
    ...(messageId !== undefined && { messageId }),
    ...(running !== undefined && { running }),
  });
  rememberTurn(session, id, turn);
  return { status, id };
}
