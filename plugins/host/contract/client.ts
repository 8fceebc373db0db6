import type { Delivered } from "./events.ts";
import type { Operation, Operations } from "./operations.ts";
import type { SessionChange } from "./sessions.ts";
import type { LinkState, SubscribeOptions, Subscription } from "./subscriptions.ts";

/** A connection to the host, in this process or over a network. */
export interface Client {
  readonly clientId: string;
  /**
   * How it is connected to the host of the session that it opened last. Absent for a client that can only use the host of its own
   * process.
   */
  readonly state?: LinkState;
  /** Calls `listener` with every change of `state`. Returns the function that ends it. */
  onState?(listener: (state: LinkState) => void): () => void;
  request<O extends Operation>(operation: O, params: Operations[O]["params"]): Promise<Operations[O]["result"]>;
  /**
   * Subscribes to a session's events, in seq order and each once. After this has resolved, the listener first gets what it
   * missed: from its `anchor` on, or the last `tail` stored events; unless it resumes the stream, also what is in flight: the
   * running turn, the text of the arriving reply so far, running tools with their last progress, and open questions, each
   * as one event as if it had just come. Then it gets events as they happen. A reload of the session goes unnoticed.
   */
  subscribe(
    sessionId: string,
    listener: (delivered: Delivered) => void | Promise<void>,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /**
   * Tells of every session that is created, opened, changed, closed or deleted in this process from now on; see
   * SessionChange. To show a list live, call this first and `list_sessions` then. A listener that is `capacity` (default
   * 1,000) changes behind gets `missed` instead of them. Returns the function that ends it.
   */
  watchSessions(
    listener: (change: SessionChange) => void | Promise<void>,
    options?: { capacity?: number },
  ): Promise<() => Promise<void>>;
  /** Resolves when all events announced so far have reached this client's listeners of the session. */
  drained(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** Who a client is and what it may do, as decided by whoever opens its connection. */
export interface ConnectOptions {
  /** Default: a new id, which begins with the name. */
  clientId?: string | undefined;
  /**
   * What others are shown of the client: `terminal`, `print`; with a number if another client has that name: `terminal-2`. They are
   * told when it opens a session that they have open, and when it leaves. A client without a name works unnoticed, as part of a program.
   */
  name?: string | undefined;
  scope?: ClientScope | undefined;
  /** Whether the client can be reached now. One that was killed, or has lost its network, is awaited for a while, but not shown as present. */
  isHere?(): boolean;
  /** Checks the results of Scorel's own operations, too, for tests. Those of extensions are always checked. */
  checkResults?: boolean | undefined;
}

/**
 * The limits of a client. Without them, it may do everything. An operation outside them fails with HOST_FORBIDDEN, even when a slash
 * command or another operation calls it for the client.
 */
export interface ClientScope {
  /**
   * `"read"`: subscriptions, and the operations that change nothing. Or the names of the allowed operations, with `subscribe` and
   * `watch_sessions` for the two kinds of subscription, and `read` for all that change nothing.
   */
  operations?: "all" | "read" | readonly string[] | undefined;
  /**
   * Keys of the options that may let a session do more than its configuration says (`permission`, `allowWrite`, `sandbox`; see
   * `widens` of SessionOption), which the client may give when it opens one; `preset` stands for a preset of a new session that has no
   * parent. Other options are not limited. Default: `"all"` if `operations` is `"all"`, else none.
   */
  options?: "all" | readonly string[] | undefined;
  /** Ids of the sessions that it may use, beside those that it creates. */
  sessions?: readonly string[] | undefined;
  /** Ids of the projects whose sessions it may use, beside `sessions`, and where it may create some. */
  projects?: readonly string[] | undefined;
}
