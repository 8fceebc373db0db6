import type { Session, StoredEvent } from "@scorel/kernel";
import { sizeOf } from "@scorel/kit/values/size";
import type { Anchor, EventPage, Operations, Page, PageParams } from "../contract.ts";
import { errors } from "../errors.ts";
import { deliver } from "./delivered.ts";

/** Maximum number of events, and of characters in them, per page. A page has at least one event. */
const MAX_EVENTS = 5_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Number of events to read at a time. Small, so that few are read that do not fit into the page. */
const CHUNK = 64;

type Wanted = Omit<Operations["get_events"]["params"], "sessionId">;

/** Returns a page of a session's stored events. Throws HOST_EVENT_UNKNOWN. */
export function eventPage(session: Session, wanted: Wanted): EventPage {
  const isBackwards = wanted.tail !== undefined || wanted.before !== undefined;
  const { events, more, end } = isBackwards ? earlier(session, wanted) : later(session, wanted);
  const page = events.map((event) => deliver(session, event));
  return { header: session.header, events: page, more, anchor: anchorAfter(session, end) };
}

/** Returns a page with the last messages of a conversation. */
export function contextPage<M>(
  all: M[],
  { limit = Number.POSITIVE_INFINITY, skip = 0 }: PageParams,
): { messages: M[] } & Page {
  const end = Math.max(0, all.length - skip);
  let [start, characters] = [end, 0];
  while (start > 0 && end - start < limit) {
    characters += sizeOf(all[start - 1]);
    if (characters > MAX_CHARACTERS && start < end) break;
    start--;
  }
  return { messages: all.slice(start, end), ...(start > 0 && { more: true as const }) };
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
  const { events, more } = fill(limit, (count, last = start) => session.tree.head(count, last?.seq));
  return { events, more, end: events.at(-1) ?? start };
}

function earlier(session: Session, { tail = Number.POSITIVE_INFINITY, before }: Wanted): Part {
  const start = known(session, before);
  const { events, more } = fill(tail, (count, first = start) => session.tree.tail(count, first?.seq).reverse());
  return { events: events.reverse(), more, end: session.tree.tail(1, start?.seq)[0] };
}

/** Collects up to `wanted` events, but not more than fit into a page. `read` returns the events that follow the last collected one. */
function fill(
  wanted: number,
  read: (count: number, last: StoredEvent | undefined) => StoredEvent[],
): { events: StoredEvent[]; more: boolean } {
  const most = Math.min(wanted, MAX_EVENTS);
  const events: StoredEvent[] = [];
  let characters = 0;
  for (;;) {
    const next = read(Math.min(CHUNK, most - events.length + 1), events.at(-1));
    if (next.length === 0) return { events, more: false };
    for (const event of next) {
      characters += sizeOf(event);
      if (events.length === most || (characters > MAX_CHARACTERS && events.length > 0)) return { events, more: true };
      events.push(event);
    }
  }
}

function known(session: Session, eventId: string | undefined): StoredEvent | undefined {
  const event = eventId === undefined ? undefined : session.tree.get(eventId);
  if (eventId !== undefined && !event) throw errors.HOST_EVENT_UNKNOWN({ sessionId: session.id, eventId });
  return event;
}
