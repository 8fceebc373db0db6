import type { Anchor, ResumeMode } from "./events.ts";
import type { SessionStatus } from "./sessions.ts";

export interface SubscribeOptions {
  /** The events that may wait until the listener misses transient ones and gets a `missed` event. Default: 10,000. */
  capacity?: number;
  /** The same for the estimated size of the waiting events, and for the time that the oldest has waited. Default: no limit. */
  maxBytes?: number;
  maxAgeMs?: number;
  /** Deltas that arrive together may be merged. */
  joined?: boolean;
  /** The position of an earlier subscription to the session, after which to go on. */
  anchor?: Anchor;
  /** Number of stored events to get first when starting from the start; Infinity for all. Default: 0. */
  tail?: number;
  /**
   * Called when the subscription goes on after the connection to the host was lost, before the events that were missed. The mode
   * says what the listener has to forget; `begun` is what the host answered, and its anchor the position before those events.
   */
  resumed?(mode: ResumeMode, begun: Pick<Subscription, "more" | "status" | "anchor">): void;
  /**
   * Called when the connection to the session's host was lost, and after each attempt to connect again that failed. Events may be
   * missing until `resumed` is called.
   */
  interrupted?(state: Waiting): void;
  /**
   * Called when the subscription cannot go on after the connection was lost, as when the session was deleted meanwhile. Default: the
   * error is thrown, as that of a listener.
   */
  ended?(error: Error): void;
}

/** A lost connection, which is tried again at `at`, in milliseconds since 1970. */
export interface Waiting {
  state: "waiting";
  at: number;
  /** Why it was lost, or why the last attempt to connect failed: a clause without a full stop at its end. */
  reason: string;
  /** The host has said that it stops, as one does that is replaced. */
  hostStopped?: boolean;
  /** The command that starts a host again, if it was one of this computer. */
  startedBy?: string;
  /** Somebody answered who has not proved to be the host, and was not sent the token. */
  unproven?: boolean;
}

/** How a client is connected to its host. */
export type LinkState =
  | { state: "connecting" }

  /**
   * `moved`: the process that had the session has ended, and the session goes on in this process or in another one. `sameHost`: the host
   * is the process of before, so that only the way to it was lost.
   */
  | { state: "live"; version: string; moved?: "here" | "elsewhere"; sameHost?: true }
  | Waiting
  | { state: "closed"; error?: Error | undefined };
/** A running subscription. Call it to unsubscribe. */
export interface Subscription {
  (): Promise<void>;
  readonly mode: ResumeMode;
  /** Whether there are stored events before those that the listener gets: `get_events` returns them. */
  readonly more: boolean;
  /** The session when the subscription began. */
  readonly status: SessionStatus;
  /** Position after the event that the listener got last. Another subscription can go on from there. */
  readonly anchor: Anchor;
  /** Whether the event that the listener got last happened before the subscription began, or before it went on. */
  readonly isReplay: boolean;
}
