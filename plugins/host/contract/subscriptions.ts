import type { Anchor, ResumeMode } from "./events.ts";
import type { SessionStatus } from "./sessions.ts";

/** Options of a client's subscription. */
export interface SubscribeOptions {
  /** Maximum number of waiting events. Beyond that, transient events are dropped and the listener gets `missed`. Default: 10,000. */
  capacity?: number;
  /**
   * Limits the estimated size of the waiting events, and the time that the oldest of them has waited, in the same way. Default: no limit.
   */
  maxBytes?: number;
  maxAgeMs?: number;
  /** Whether consecutive deltas may be joined into one event. */
  joined?: boolean;
  /** The position of an earlier subscription to the session, after which to continue. */
  anchor?: Anchor;
  /** Number of stored events to receive first if there is no valid `anchor`; Infinity for all. Default: 0. */
  tail?: number;
  /**
   * Called when the subscription is resumed after the connection to the host was lost, before the missed events. `mode` tells what the
   * listener has to discard. `begun` is the host's answer, and its anchor the position before the missed events.
   */
  resumed?(mode: ResumeMode, begun: Pick<Subscription, "more" | "status" | "anchor">): void;
  /**
   * Called when the connection to the session's host was lost, and after each failed attempt to reconnect. Events may be missing until
   * `resumed` is called.
   */
  interrupted?(state: Waiting): void;
  /**
   * Called when the subscription cannot be resumed after the connection was lost, for example because the session was deleted. Default: the
   * error is treated like one that a listener throws.
   */
  ended?(error: Error): void;
}

/** A lost connection. The next attempt to reconnect is at `at`, in milliseconds since 1970. */
export interface Waiting {
  state: "waiting";
  at: number;
  /** Why the connection was lost, or why the last attempt to reconnect failed: a clause without a full stop. */
  reason: string;
  /** Set if the host announced that it stops, for example to be replaced. */
  hostStopped?: boolean;
  /** The command that starts the host again, if it ran on this computer. */
  startedBy?: string;
  /** Set if a program answered that could not prove that it is the host. It was not sent the token. */
  unproven?: boolean;
}

/** The state of a client's connection to its host. */
export type LinkState =
  | { state: "connecting" }

  /**
   * `moved`: the process that had the session has ended, and the session continues in this process (`here`) or in another one. `sameHost`:
   * the host is still the same process, so only the connection to it was interrupted.
   */
  | { state: "live"; version: string; moved?: "here" | "elsewhere"; sameHost?: true }
  | Waiting
  | { state: "closed"; error?: Error | undefined };
/** A running subscription. Call it to unsubscribe. */
export interface Subscription {
  (): Promise<void>;
  readonly mode: ResumeMode;
  /** Whether the log has earlier events that the listener neither has (by its anchor) nor receives. `get_events` returns them. */
  readonly more: boolean;
  /** The session's status when the subscription began. */
  readonly status: SessionStatus;
  /** Position after the last event that the listener received. Another subscription can continue from there. */
  readonly anchor: Anchor;
  /** Whether the last event that the listener received happened before the subscription began or was resumed. */
  readonly isReplay: boolean;
}
