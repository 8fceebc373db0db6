import type { Session, StoredEvent } from "@scorel/kernel";
import type { Anchor, EventPage, Operations } from "../contract.ts";
import { errors } from "../errors.ts";
import { deliver } from "./delivered.ts";

type Wanted = Omit<Operations["get_events"]["params"], "sessionId">;

/** Returns a page of a session's stored events. Throws HOST_EVENT_UNKNOWN. */
export function eventPage(session: Session, wanted: Wanted): EventPage {
  const isBackwards = wanted.tail !== undefined || wanted.before !== undefined;
  const { events, more, end } = isBackwards ? earlier(session, wanted) : later(session, wanted);
  const page = events.map((event) => deliver(session, event));
  return { header: session.header, events: page, more, anchor: anchorAfter(session, end) };
}

/** Returns the position after a persistent event, or before the first one. */
export function anchorAfter(session: Session, last: StoredEvent | undefined, streamSeq = -1): Anchor {
  return {
    epoch: session.epoch,
    persistentSeq: last?.seq ?? 0,
    persistentId: last?.id ?? null,
    activation: session.activation,
    streamSeq,
  };
}

interface Part {
  events: StoredEvent[];
  more: boolean;
  /** The event after which the part ends; undefined at the start of the log. */
  end: StoredEvent | undefined;
}

function later(session: Session, { after, limit = Number.POSITIVE_INFINITY }: Wanted): Part {
  const start = known(session, after);
  const found = session.tree.head(limit + 1, start?.seq);
  const events = found.slice(0, limit);
  return { events, more: found.length > limit, end: events.at(-1) ?? start };
}

function earlier(session: Session, { tail = Number.POSITIVE_INFINITY, before }: Wanted): Part {
  const found = session.tree.tail(tail + 1, known(session, before)?.seq);
  const more = found.length > tail;
  return { events: more ? found.slice(1) : found, more, end: found.at(-1) };
}

function known(session: Session, eventId: string | undefined): StoredEvent | undefined {
  const event = eventId === undefined ? undefined : session.tree.get(eventId);
  if (eventId !== undefined && !event) throw errors.HOST_EVENT_UNKNOWN({ sessionId: session.id, eventId });
  return event;
}
