import type { Delivered } from "./events.ts";
import type { Operation, Operations } from "./operations.ts";
import type { SessionChange } from "./sessions.ts";
import type { LinkState, SubscribeOptions, Subscription } from "./subscriptions.ts";

/** A connection to the host, in this process or over a network. */
export interface Client {
  readonly clientId: string;
  /**
   * The state of the connection to the host of the session that was opened last. Absent for a client that can only use the host in its own
   * process.
   */
  readonly state?: LinkState;
  /** Calls `listener` with every change of `state`. Returns a function that removes the listener. */
  onState?(listener: (state: LinkState) => void): () => void;
  /**
   * Runs an operation. When `signal` aborts, an operation of a plugin is told by the `signal` of its context, and one of an extension is no
   * longer waited for. A client of a host in another process ignores it.
   */
  request<O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
    signal?: AbortSignal,
  ): Promise<Operations[O]["result"]>;
  /**
   * Subscribes to a session's events. The listener receives each event once, in seq order. After this has resolved, it first receives the
   * events that it missed: those after its `anchor`, or the last `tail` stored events. Unless the stream is resumed, these include what
   * is in flight, condensed to one event each: the running turn, the text of the arriving reply so far, running tools with their latest
   * progress, and open questions. Then it receives events as they happen. The subscription survives a reload of the session.
   */
  subscribe(
    sessionId: string,
    listener: (delivered: Delivered) => void | Promise<void>,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /**
   * Calls `listener` for every session that is created, opened, changed, closed or deleted in the host's process from now on; see
   * SessionChange. To show a live list, call this first and `list_sessions` afterwards. If `capacity` changes (default: 1,000) are waiting
   * for the listener, they are replaced by `missed`. Returns a function that ends it.
   */
  watchSessions(
    listener: (change: SessionChange) => void | Promise<void>,
    options?: { capacity?: number },
  ): Promise<() => Promise<void>>;
  /** Resolves when all events announced so far have reached this client's listeners of the session. */
  drained(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** A client's identity and rights. The code that connects the client decides on them. */
export interface ConnectOptions {
  /** Default: a new id, which begins with the name. */
  clientId?: string | undefined;
  /**
   * The name that other clients see: `terminal`, `print`; with a number if the name is taken: `terminal-2`. They are notified when the
   * client joins or leaves a session that they have open. Clients without a name, such as parts of a program, are not announced.
   */
  name?: string | undefined;
  scope?: ClientScope | undefined;
  /** Whether the client can be reached now. A client that has lost its connection keeps its sessions open for a while, but is not shown. */
  isHere?(): boolean;
  /**
   * Whether the client keeps sessions open only so that their work goes on and they open faster. A session that nobody else has open counts
   * as closed for a client that opens it with other options, unless something runs in it. A keeper's own `close_session` has no effect while
   * others have the session open, or something runs in it.
   */
  isKeeper?: boolean | undefined;
  /** Whether to validate the results of Scorel's own operations, for tests. Results of extensions are always validated. */
  checkResults?: boolean | undefined;
}

/**
 * The limits of a client. Without a scope, it may do everything. An operation outside the scope fails with HOST_FORBIDDEN, even when a
 * slash command or another operation calls it for the client.
 */
export interface ClientScope {
  /**
   * `"read"`: subscriptions, and the operations that change nothing. Or a list of allowed operations, in which `subscribe` and
   * `watch_sessions` stand for the two kinds of subscription, and `read` for everything that changes nothing.
   */
  operations?: "all" | "read" | readonly string[] | undefined;
  /**
   * The options that the client may use among those that let a session do more than its configuration says (`permission`, `allowWrite`,
   * `sandbox`; see `widens` of SessionOption). `preset` stands for the preset of a new session without a parent. Other options are not
   * limited. Default: `"all"` if `operations` is `"all"`, else none.
   */
  options?: "all" | readonly string[] | undefined;
  /** Ids of the sessions that the client may use, in addition to those that it creates. */
  sessions?: readonly string[] | undefined;
  /** Ids of the projects in which the client may use and create sessions, in addition to `sessions`. */
  projects?: readonly string[] | undefined;
}
