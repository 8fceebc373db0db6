import type { AnyEvent } from "@scorel/kernel";
import { sizeOf } from "@scorel/kit/values/size";

const MAX_SIZE = 2 * 2 ** 20;
const MAX_EVENTS = 20_000;
/** Estimated size of an event's envelope. */
const ENVELOPE = 100;

/** The latest transient events of a session, up to about 2 MB, for clients that were disconnected for a moment. */
export class RecentEvents {
  /** The seq after which all transient events are kept here. */
  from: number;
  private events: { event: AnyEvent; size: number }[] = [];
  private head = 0;
  private size = 0;

  /** `from` is the seq of the last event before the first added one. */
  constructor(from: number) {
    this.from = from;
  }

  add(event: AnyEvent): void {
    const size = ENVELOPE + sizeOf(event);
    this.events.push({ event, size });
    this.size += size;
    while (this.size > MAX_SIZE || this.events.length - this.head > MAX_EVENTS) this.drop();
  }

  /** The events with a seq above `seq`, which must not be below `from`. */
  after(seq: number): AnyEvent[] {
    const first = this.events.findIndex(({ event }, index) => index >= this.head && event.seq > seq);
    return first < 0 ? [] : this.events.slice(first).map(({ event }) => event);
  }

  private drop(): void {
    const { event, size } = this.events[this.head++] as { event: AnyEvent; size: number };
    this.from = event.seq;
    this.size -= size;
    if (this.head < this.events.length / 2) return;
    this.events = this.events.slice(this.head);
    this.head = 0;
  }
}
