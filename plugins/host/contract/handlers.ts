import type { Awaitable, EventDefinition, Kernel, SessionHeader } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { z } from "zod";
import type { AnswerSize } from "./answers.ts";
import type { Client } from "./client.ts";
import type { Operation, Operations } from "./operations.ts";

/** An open session, for operation handlers. */
export interface SessionHandle {
  readonly id: string;
  readonly kernel: Kernel;
  readonly workspace: Workspace;
}

/** What an operation handler gets: the calling client and access to sessions. */
export interface OperationContext {
  readonly clientId: string;
  /** Directory of the session logs. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in it. */
  readonly logs: Logs;
  /** Completes the beginning of an id; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string;
  /** Throws HOST_FORBIDDEN unless the client may use this session; without an id, unless it may use all sessions. */
  assertSession(sessionId?: string): Promise<void>;
  /**
   * Throws HOST_FORBIDDEN for a path of this computer that a limited client may not name, like the declaration `project` in `paths`: for
   * paths that are only part of a param.
   */
  assertPath(sessionId: string, path: string): Promise<void>;
  /**
   * Throws HOST_FORBIDDEN unless the client may use these operations in sessions of its scope; `"all"` means every operation in
   * every session. A client that may read can use those that are `readOnly`. `what` names what needs them. For work that does not go
   * through `request`.
   */
  assertOperations(operations: "all" | readonly string[], what: string): void;
  /** Opens a session for writing, for as long as the client is connected. */
  open(sessionId: string): Promise<SessionHandle>;
  /**
   * Runs `work` with exclusive access to a session's files, after closing the session for all clients. Throws
   * HOST_SESSION_BUSY during a turn and HOST_SESSION_LOCKED when another process has the session.
   */
  alone<R>(sessionId: string, work: () => Awaitable<R>): Promise<R>;
  /** Runs `work` on a session for reading: the open one, or else one opened without lock, repair or append. */
  look<R>(sessionId: string, work: (session: SessionHandle) => Awaitable<R>): Promise<R>;
  /** Creates the header of a new session in `cwd`, for a log that a plugin writes itself. Throws HOST_CWD_INVALID. */
  newHeader(cwd: string): SessionHeader;
  /** Tells clients that watch the sessions of one whose log a plugin has written itself. */
  announce(sessionId: string): void;
  /**
   * Returns the event types that are `importable` in a session in `cwd`, by name. Throws CONFIG errors and
   * HOST_CWD_INVALID.
   */
  importable(cwd: string): Promise<ReadonlyMap<string, EventDefinition>>;
  /** Aborts when the client releases the session or disconnects, which ends its promises there. */
  left(sessionId: string): AbortSignal;
  /** Runs another operation as the same client. */
  request: Client["request"];
}

/** A zod schema, or a function that creates it when it is first needed. */
export type SchemaSource<T> = z.ZodType<T> | (() => Awaitable<z.ZodType<T>>);

/**
 * Which paths a limited client may name in a param. Paths are compared with all links resolved, and the answer does not tell whether
 * something exists that the client may not name.
 *
 * - `project`: files of the session's project, outside of hidden folders. The operation has a `sessionId`.
 * - `directory`: directories in which the client may create sessions: those of projects that the host knows, and those below home outside
 *   of hidden folders.
 * - `unlimited`: none; only clients that may do everything can name a path.
 * - `operation`: the operation itself decides, as `list_directories` does.
 */
export type PathReach = "project" | "directory" | "unlimited" | "operation";

/** Description and implementation of one operation. */
export interface OperationHandler<O extends Operation> {
  /** What it does, in one line, for `list_operations` and the reference. */
  summary?: string;
  /** True if it changes no conversation, setting or file, so that a client that may only read can use it. */
  readOnly?: boolean;
  /**
   * True if it has no `sessionId` but limits itself, by `assertSession`, to the sessions that the client may use. Otherwise only
   * clients that may use all sessions can use an operation without a `sessionId`.
   */
  confined?: boolean;
  /**
   * True if it stands for other operations, as a slash command does, and calls `assertOperations` with them before anything else. A client
   * that may only read can use it, too: for operations that are `readOnly`.
   */
  checksOperations?: boolean;
  /**
   * The params that name files or directories of the host's computer, with what a limited client may name. A key is the param's name, with
   * a point before each further one (`request.inputs.from`), also in lists. Checked before `run` is called.
   */
  paths?: Readonly<Record<string, PathReach>>;
  /**
   * Checked before `run` is called. Keys that the schema does not name are refused. If it names `messageId`, another request with an
   * id that was used is refused with MESSAGE_ID_REUSED, unless the operation is `readOnly`.
   */
  params: SchemaSource<Operations[O]["params"]>;
  /** What keeps the answer small. Needed when the result has lists; `params` and `result` are then objects. */
  size?: AnswerSize;
  /** What `run` returns. Checked for extensions, and in tests for the plugins of Scorel. */
  result?: SchemaSource<Operations[O]["result"]>;
  run(params: Operations[O]["params"], context: OperationContext): Awaitable<Operations[O]["result"]>;
}
