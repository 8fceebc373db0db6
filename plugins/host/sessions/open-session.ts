import type { TurnOutcome } from "@scorel/agent/contract";
import type { AnyEvent, Kernel } from "@scorel/kernel";
import type { Composition, Notice, SessionOption, SessionOptions, Workspace } from "@scorel/workspace/contract";
import { failureText } from "../client/faces.ts";
import type { SessionGlance, SessionStatus } from "../contract.ts";
import { optionsOf } from "../session-options.ts";
import type { SessionStream } from "../stream/session-stream.ts";
import { canonicalDirectory } from "../workspace.ts";
import type { OpenSummary } from "./open-summary.ts";

/** A session's plugins, as the loader returns them. */
export type SessionPlugins = Awaited<ReturnType<Composition["sessionPlugins"]>>;

/** Who keeps a session open. Others are told of it if it has a name. */
export interface SessionUser {
  readonly clientId: string;
  readonly name?: string | undefined;
  /** Whether it can be reached now. Default: it can. */
  isHere?(): boolean;
  /** Ids of the sessions whose status it follows. */
  readonly followed?: Set<string>;
  /** Ids of the sessions in which others know of it. */
  readonly announced?: Set<string>;
}

/** Tells clients that follow a session's status of its changes. */
export interface StatusWatch {
  /** Takes an event of the session. */
  take(event: AnyEvent): void;
  /** Something has happened that may have changed the status. */
  look(): void;
  /** Returns the status as it is now. Later changes are told in comparison with it. */
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
  /** What was left out when it was opened. */
  readonly problems: readonly Notice[];
  /** The plugins and folders that the session was made from. */
  readonly made: SessionPlugins;
  /** Outcomes of turns, by the id of the message that each answers. */
  readonly turns: Map<string, Promise<TurnOutcome>>;
  /** Connections that keep it open; the last to leave closes it. */
  readonly users: Set<SessionUser>;
  /** Called after a reload with the session that replaces this one. */
  readonly followers: Set<(session: OpenSession) => void>;
}

/**
 * Tells those who have a session open of a client that follows it, or has sent something. One that only looked, or was refused, is not
 * somebody who is there.
 */
export function announce(session: OpenSession, user: SessionUser): void {
  if (!user.announced || user.announced.has(session.id)) return;
  user.announced.add(session.id);
  tellOthers(session, "client_joined", user);
}

/** Tells those who still have a session open that a client has left it, if they know of it. */
export function tellOfLeaving(session: OpenSession, user: SessionUser): void {
  if (user.announced?.delete(session.id)) tellOthers(session, "client_left", user);
}

/** Tells those who have a session open that a client with a name has joined or left them. */
function tellOthers({ kernel, users }: OpenSession, type: "client_joined" | "client_left", user: SessionUser): void {
  const { clientId, name } = user;
  const hasOthers = users.size > (users.has(user) ? 1 : 0);
  if (name !== undefined && hasOthers && !kernel.session.stopping.aborted)
    kernel.session.emit(type, { name }, { clientId });
}

/** Returns the failures in a session so far. */
export function failuresOf({ kernel }: Pick<OpenSession, "kernel">): Notice[] {
  return kernel.failures.map((failure) => ({
    origin: failure.where,
    code: failure.code,
    message: failureText(failure),
  }));
}

/** Returns the kinds of a session's open questions, if there are any. */
export function questionsIn({ stream: { questions } }: Pick<OpenSession, "stream">): Pick<SessionStatus, "questions"> {
  return questions.length > 0 ? { questions } : {};
}

/** Returns whether a session's turn waits for those of other sessions. */
export function turnIn({ stream }: Pick<OpenSession, "stream">): Pick<SessionStatus, "turn"> {
  return stream.waits ? { turn: "waiting" } : {};
}

/** The keys of the options with which a session would have to be opened anew. */
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
