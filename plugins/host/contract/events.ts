import type { AnyEvent, DisplayAction, EventId, Missed, SessionHeader } from "@scorel/kernel";

/** An event as a client gets it, with how to display it. */
export interface Delivered {
  event: AnyEvent | Missed;
  display: DisplayAction;
}

/** A position in the events of a session: what a client has received so far. */
export interface Anchor {
  /** Changes when the log loses events. */
  epoch: string;
  /** The last persistent event; 0 and null before the first. */
  persistentSeq: number;
  persistentId: EventId | null;
  /** Changes each time the session is opened. */
  activation: string;
  /** The last event of the activation, persistent or transient; -1 if only persistent events were received. */
  streamSeq: number;
}

/**
 * How a client goes on when it subscribes.
 *
 * - `stream_resume`: with the next event after its anchor. It keeps everything that it has.
 * - `persistent_fallback`: with the next stored event after its anchor. It keeps the stored events that it has and forgets what
 *   was in flight.
 * - `full_reload`: from the start. It forgets everything that it has of the session.
 */
export type ResumeMode = "stream_resume" | "persistent_fallback" | "full_reload";

/** Part of a session's stored events. */
export interface EventPage {
  header: SessionHeader;
  events: Delivered[];
  /** Whether there are further events in the direction that was read: later ones, or earlier ones with `tail`. */
  more: boolean;
  /** Position after the last returned event. */
  anchor: Anchor;
}
