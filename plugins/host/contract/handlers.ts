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

/** The context of an operation handler: the calling client, and access to sessions. */
export interface OperationContext {
  readonly clientId: string;
  /** Directory of the session logs. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in `sessionsDir`. */
  readonly logs: Logs;
  /** Completes the beginning of an id; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string;
  /** Throws HOST_FORBIDDEN unless the client may use this session; without an id, unless it may use all sessions. */
  assertSession(sessionId?: string): Promise<void>;
  /**
   * Throws HOST_FORBIDDEN for a path of this computer that a limited client may not name. The same check as `project` in `paths`, for paths
   * that are only a part of a param.
   */
  assertPath(sessionId: string, path: string): Promise<void>;
  /**
   * Throws HOST_FORBIDDEN unless the client may use these operations in the sessions of its scope; `"all"` means every operation in every
   * session. With the scope `read`, a client may use those that are `readOnly`. `what` names the work for the error. Call it for work that
   * does not go through `request`.
   */
  assertOperations(operations: "all" | readonly string[], what: string): void;
  /** Opens a session for writing, for as long as the client is connected. */
  open(sessionId: string): Promise<SessionHandle>;
  /**
   * Runs `work` with exclusive access to a session's files, after closing the session for all clients, who are told the
   * `reason` (default: `closed`). Throws HOST_SESSION_BUSY during a turn and HOST_SESSION_LOCKED when another process has the session.
   */
  alone<R>(sessionId: string, work: () => Awaitable<R>, reason?: "closed" | "deleted"): Promise<R>;
  /** The other clients with a name that follow a session, or have sent something there; none for a session that is not open here. */
  others(sessionId: string): Promise<{ clientId: string; name: string }[]>;
  /** Runs `work` on a session for reading: the open one, or else one opened without lock, repair or append. */
  look<R>(sessionId: string, work: (session: SessionHandle) => Awaitable<R>): Promise<R>;
  /** Creates the header of a new session in `cwd`, for a log that a plugin writes itself. Throws HOST_CWD_INVALID. */
  newHeader(cwd: string): SessionHeader;
  /** Announces a session whose log a plugin has written itself to clients that watch sessions. */
  announce(sessionId: string): void;
  /**
   * Returns the event types that are `importable` in a session in `cwd`, by name. Throws CONFIG errors and
   * HOST_CWD_INVALID.
   */
  importable(cwd: string): Promise<ReadonlyMap<string, EventDefinition>>;
  /** Aborts when the client releases the session or disconnects. Ends what the client has promised there, such as answering questions. */
  left(sessionId: string): AbortSignal;
  /** Runs another operation as the same client. */
  request: Client["request"];
  /**
   * Aborts when the client is closed, for example some time after its connection was lost; over HTTP, when the connection of the request is
   * closed before the answer. An extension is then no longer waited for.
   */
  readonly signal: AbortSignal;
}

/** A zod schema, or a function that creates it when it is first needed. */
export type SchemaSource<T> = z.ZodType<T> | (() => Awaitable<z.ZodType<T>>);

/**
 * Which paths a limited client may name in a param. Paths are compared with all links resolved. The error does not reveal whether a path
 * exists that the client may not name.
 *
 * - `project`: files of the session's project, outside of hidden folders. The operation has a `sessionId`.
 * - `directory`: directories in which the client may create sessions: those of projects that the host knows, and those below the home
 *   directory outside of hidden folders.
 * - `unlimited`: none; only clients without limits can name a path.
 * - `operation`: the operation itself decides, as `list_directories` does.
 */
export type PathReach = "project" | "directory" | "unlimited" | "operation";

/** Description and implementation of one operation. */
export interface OperationHandler<O extends Operation> {
  /** What the operation does, in one line, for `list_operations` and the reference. */
  summary?: string;
  /** True if the operation changes no conversation, setting or file. Clients that may only read can use it. */
  readOnly?: boolean;
  /**
   * True if the operation has no `sessionId` but limits itself, with `assertSession`, to the sessions that the client may use. Any other
   * operation without a `sessionId` is only available to clients that may use all sessions.
   */
  confined?: boolean;
  /**
   * True if the operation stands for others, as a slash command does, and calls `assertOperations` with them before it does anything.
   * Clients that may only read can use it for operations that are `readOnly`.
   */
  checksOperations?: boolean;
  /**
   * The params that contain paths of the host's computer, each with the paths that a limited client may name. A key is the name of a param,
   * or a path of keys joined by dots (`request.inputs.from`), which also leads into lists. Checked before `run` is called.
   */
  paths?: Readonly<Record<string, PathReach>>;
  /**
   * The schema of the params, checked before `run` is called. Unknown keys are refused. If it has `messageId`, a different request with a
   * used id is refused with MESSAGE_ID_REUSED, unless the operation is `readOnly`.
   */
  params: SchemaSource<Operations[O]["params"]>;
  /** How the answer stays small. Required if the result has lists; `params` and `result` must then be object schemas. */
  size?: AnswerSize;
  /** The schema of what `run` returns. Checked for extensions, and in tests for Scorel's own plugins. */
  result?: SchemaSource<Operations[O]["result"]>;
  run(params: Operations[O]["params"], context: OperationContext): Awaitable<Operations[O]["result"]>;
}
