import type { AnyEvent, Kernel, Session, StoredEvent } from "@scorel/kernel";
import type { Anchor, QuestionKind, ResumeMode } from "../contract.ts";
import { InFlightEvents } from "./in-flight.ts";
import { anchorAfter } from "./pages.ts";
import { RecentEvents } from "./recent.ts";

/** Number of stored events to read at a time. A listener that has paused keeps this many of them in memory. */
const PAGE = 8;

/** How a client's subscription continues, and the events to deliver before those that are announced later. */
export interface Replay {
  mode: ResumeMode;
  /** The position before the first of these events. */
  anchor: Anchor;
  /** Whether stored events before that position exist that the client does not have. */
  more: boolean;
  events: Iterable<AnyEvent>;
  /** The seq of the last event announced so far. `events` does not contain later ones. */
  until: number;
}

/**
 * Follows an open session, so that clients can join at any time and resume where they left off. Keeps the latest transient events, and
 * those of unfinished work.
 */
export class SessionStream {
  private readonly session: Session;
  private readonly inFlight: InFlightEvents;
  private readonly recent: RecentEvents;
  /** seq of the last event that was announced to this stream. */
  private last: number;

  /** `onEvent` is called with each event, after the stream has recorded it. */
  constructor(kernel: Kernel, onEvent: (event: AnyEvent) => void) {
    this.session = kernel.session;
    this.last = kernel.announced;
    this.recent = new RecentEvents(this.last);
    this.inFlight = new InFlightEvents((type) => kernel.inFlight(type));
    const take = (event: AnyEvent) => {
      this.take(event);
      onEvent(event);
    };
    // Needs no limit, because this listener is synchronous. With one, events could be missed.
    kernel.subscribe((event) => take(event as AnyEvent), { capacity: Number.POSITIVE_INFINITY, joined: true });
  }

  private take(event: AnyEvent): void {
    this.last = event.seq;
    this.inFlight.take(event);
    if (!isStored(event)) this.recent.add(event);
  }

  /** Whether a turn is running. */
  get running(): boolean {
    return this.inFlight.has("turn");
  }

  /** Whether the session's turn waits for turns of other sessions. */
  get waits(): boolean {
    return this.inFlight.has("turnWait");
  }

  /** Whether a shell line that somebody has typed is running. */
  get runsShellLines(): boolean {
    return this.inFlight.of("shell").length > 0;
  }

  /** The kinds of the open questions, in the order in which they were asked. */
  get questions(): QuestionKind[] {
    return this.inFlight.of("request").map((event) => (event as unknown as { kind: QuestionKind }).kind);
  }

  /** The titles of the open questions, in the same order. */
  get questionTitles(): string[] {
    return this.inFlight.of("request").map((event) => String((event as unknown as { title?: unknown }).title ?? ""));
  }

  /** The events of unfinished work, in a condensed form. */
  get inFlightEvents(): AnyEvent[] {
    return this.inFlight.list();
  }

  /**
   * Resolves with the events for a client that has everything up to `from`, or that starts with the last `tail` stored events. Includes all
   * events that were announced before the call. A client resumes only if its position is found in this log and, for transient events, in
   * this activation.
   */
  async replay(from: Anchor | undefined, tail = 0): Promise<Replay> {
    // After this, the stream has recorded all events that were announced before the call.
    await null;
    const until = this.last;
    if (!from || !this.holds(from)) return this.startOver(tail, until);
    if (this.covers(from)) {
      const events = merged(this.stored(from.streamSeq, until), this.recent.after(from.streamSeq));
      return { mode: "stream_resume", anchor: from, more: false, events, until };
    }
    const inFlight = this.inFlight.list().filter((event) => !isStored(event));
    return {
      mode: "persistent_fallback",
      anchor: { ...from, activation: this.session.activation, streamSeq: -1 },
      more: false,
      events: merged(this.stored(from.persistentSeq, until), inFlight),
      until,
    };
  }

  private startOver(tail: number, until: number): Replay {
    const before = Number.isFinite(tail) ? this.session.tree.tail(tail + 1, until + 1) : [];
    const base = before.length > tail ? before[0] : undefined;
    const first = base?.seq ?? 0;
    // Includes stored events from before the replay, such as old questions that are still open.
    const inFlight = this.inFlight.list().filter((event) => !isStored(event) || event.seq <= first);
    const events = merged(this.stored(first, until), inFlight);
    return { mode: "full_reload", anchor: anchorAfter(this.session, base), more: base !== undefined, events, until };
  }

  /** Whether the log holds the last persistent event that the client has. */
  private holds({ epoch, persistentId, persistentSeq }: Anchor): boolean {
    if (epoch !== this.session.epoch) return false;
    return persistentId === null ? persistentSeq === 0 : this.session.tree.get(persistentId)?.seq === persistentSeq;
  }

  /** Whether all events after the client's last one are still known, transient ones included. */
  private covers({ activation, persistentSeq, streamSeq }: Anchor): boolean {
    // An anchor may come from the network, so its fields are not trusted.
    if (activation !== this.session.activation || !Number.isInteger(streamSeq)) return false;
    if (streamSeq < Math.max(this.recent.from, persistentSeq) || streamSeq > this.last) return false;
    const next = this.session.tree.head(1, persistentSeq)[0];
    return next === undefined || next.seq > streamSeq;
  }

  private *stored(after: number, until: number): Generator<StoredEvent> {
    for (let seq = after; ; ) {
      const page = this.session.tree.head(PAGE, seq);
      for (const event of page) {
        if (event.seq > until) return;
        yield event;
        seq = event.seq;
      }
      if (page.length < PAGE) return;
    }
  }
}

function isStored(event: AnyEvent): event is StoredEvent {
  return "id" in event;
}

/** Merges two sequences of events in seq order. */
function* merged(stored: Iterable<AnyEvent>, others: readonly AnyEvent[]): Generator<AnyEvent> {
  let index = 0;
  for (const event of stored) {
    for (let other = others[index]; other && other.seq < event.seq; other = others[++index]) yield other;
    yield event;
  }
  yield* others.slice(index);
}
