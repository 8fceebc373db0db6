import type { TurnOutcome } from "@scorel/agent/contract";
import type { AnyEvent, Kernel } from "@scorel/kernel";
import { failureText } from "@scorel/kit/values/failure-text";
import type { Composition, Notice, SessionOption, SessionOptions, Workspace } from "@scorel/workspace/contract";
import type { SessionGlance, SessionStatus } from "../contract.ts";
import { optionsOf } from "../session-options.ts";
import type { SessionStream } from "../stream/session-stream.ts";
import { canonicalDirectory } from "../workspace.ts";
import type { OpenSummary } from "./open-summary.ts";

/** A session's plugins, as the loader returns them. */
export type SessionPlugins = Awaited<ReturnType<Composition["sessionPlugins"]>>;

/** A client that keeps a session open. If it has a name, it is announced to other clients. */
export interface SessionUser {
  readonly clientId: string;
  readonly name?: string | undefined;
  /** Whether the client can be reached now. Default: true. */
  isHere?(): boolean;
  /** See `ConnectOptions`. */
  readonly isKeeper?: boolean;
  /** Ids of the sessions whose status the client follows. */
  readonly followed?: Set<string>;
  /** Ids of the sessions in which the client was announced to others. */
  readonly announced?: Set<string>;
}

/** Announces changes of a session's status to the clients that follow it. */
export interface StatusWatch {
  /** Takes an event of the session. */
  take(event: AnyEvent): void;
  /** Checks the status, because something has happened that may have changed it. */
  look(): void;
  /** Returns the current status. Later announcements contain the differences from it. */
  begin(): SessionGlance;
}

/** A session with a running kernel. */
export interface OpenSession {
  readonly id: string;
  readonly kernel: Kernel;
  readonly stream: SessionStream;
  readonly summary: OpenSummary;
  readonly changes: StatusWatch;
  readonly workspace: Workspace;
  /** Problems when the session was opened, such as plugins that were left out. */
  readonly problems: readonly Notice[];
  /** The plugins and folders that the session was created from. */
  readonly made: SessionPlugins;
  /** Outcomes of turns, by the id of the message that each answers. */
  readonly turns: Map<string, Promise<TurnOutcome>>;
  /** The clients that keep the session open. The last one to leave closes it. */
  readonly users: Set<SessionUser>;
  /** Called with the session that replaces this one after a reload, or when it is opened again. */
  readonly followers: Set<(session: OpenSession) => void>;
}

/**
 * Announces a client that follows a session, or has sent something, to the others that have it open. Clients that only read something, or
 * whose request was refused, are not announced.
 */
export function announce(session: OpenSession, user: SessionUser): void {
  if (!user.announced || user.announced.has(session.id)) return;
  user.announced.add(session.id);
  emitToOthers(session, "client_joined", user);
}

/** The connected clients with a name that follow a session or have sent something. */
export function presentIn({ id, users }: Pick<OpenSession, "id" | "users">): { clientId: string; name: string }[] {
  const known = [...users].filter((user) => user.announced?.has(id) && (user.isHere?.() ?? true));
  return known.flatMap(({ clientId, name }) => (name === undefined ? [] : { clientId, name }));
}

/** Announces that a client has left a session, if it was announced there before. */
export function announceLeaving(session: OpenSession, user: SessionUser): void {
  if (user.announced?.delete(session.id)) emitToOthers(session, "client_left", user);
}

/** Emits that a client with a name has joined or left, if any other client has the session open. */
function emitToOthers({ kernel, users }: OpenSession, type: "client_joined" | "client_left", user: SessionUser): void {
  const { clientId, name } = user;
  const hasOthers = users.size > (users.has(user) ? 1 : 0);
  if (name !== undefined && hasOthers && !kernel.session.stopping.aborted)
    kernel.session.emit(type, { name }, { clientId });
}

/** Returns the failures in a session so far. */
export function failuresOf({ kernel }: Pick<OpenSession, "kernel">): Notice[] {
  return kernel.failures.map((failure) => ({
    plugin: failure.plugin,
    origin: failure.where,
    code: failure.code,
    message: failureText(failure),
  }));
}

/** Returns the kinds of a session's open questions, if there are any. */
export function questionsIn({ stream: { questions } }: Pick<OpenSession, "stream">): Pick<SessionStatus, "questions"> {
  return questions.length > 0 ? { questions } : {};
}

/** Returns `turn: "waiting"` if the session's turn waits for turns of other sessions. */
export function turnIn({ stream }: Pick<OpenSession, "stream">): Pick<SessionStatus, "turn"> {
  return stream.waits ? { turn: "waiting" } : {};
}

/** The keys of those options that differ from the open session's, so that it would have to be reopened. */
export function differing(
  workspace: Workspace,
  { allowWrite = [], attending: _attending, environment: _environment, ...others }: SessionOptions,
  known: readonly SessionOption[],
): string[] {
  const isOther = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(workspace[key as keyof SessionOptions]);
  const isWider = allowWrite.some((path) => !workspace.allowWrite.includes(canonicalDirectory(path)));
  const keys = Object.entries(optionsOf(others, known)).flatMap((each) => (isOther(each) ? each[0] : []));
  return [...keys, ...(isWider ? ["allowWrite"] : [])];
}
