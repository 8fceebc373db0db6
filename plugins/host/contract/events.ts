import type { AnyEvent, DisplayAction, EventId, Missed, SessionHeader } from "@scorel/kernel";

/** An event as a client receives it, together with the form in which to display it. */
export interface Delivered {
  event: AnyEvent | Missed;
  display: DisplayAction;
}

/** A position in a session's events: the last ones that a client has received. */
export interface Anchor {
  /** Changes when the log loses events. */
  epoch: string;
  /** The last persistent event; 0 and null before the first one. */
  persistentSeq: number;
  persistentId: EventId | null;
  /** Changes each time the session is opened. */
  activation: string;
  /** The last event of the activation, persistent or transient; -1 if only persistent events were received. */
  streamSeq: number;
}

/**
 * How a subscription continues from the client's anchor.
 *
 * - `stream_resume`: with the next event after the anchor. The client keeps everything.
 * - `persistent_fallback`: with the next stored event after the anchor. The client keeps its stored events and discards what was in
 *   flight.
 * - `full_reload`: from the start. The client discards everything that it has of the session.
 */
export type ResumeMode = "stream_resume" | "persistent_fallback" | "full_reload";

/** Part of a session's stored events. */
export interface EventPage {
  header: SessionHeader;
  events: Delivered[];
  /** Whether there are further events in the direction of reading: later ones, or with `tail` or `before` earlier ones. */
  more: boolean;
  /** Position after the last returned event. */
  anchor: Anchor;
}
