import { sizeOf } from "@scorel/kit/values/size";
import type { SubscribeOptions } from "./plugin.ts";
import type { AnyEvent } from "./types.ts";

const DEFAULT_CAPACITY = 10_000;
/** The sizes of so few waiting events do not matter. */
const FEW = 16;

/** The events that wait for one subscriber, up to its limits. */
export class Backlog {
  private readonly capacity: number;
  private readonly maxBytes: number;
  private readonly maxAgeMs: number;
  private events: AnyEvent[] = [];
  /** Estimated size of each event, and when it was added. */
  private sizes: number[] = [];
  private times: number[] = [];
  private head = 0;
  private bytes = 0;

  constructor({ capacity, maxBytes, maxAgeMs }: SubscribeOptions) {
    this.capacity = capacity ?? DEFAULT_CAPACITY;
    this.maxBytes = maxBytes ?? Number.POSITIVE_INFINITY;
    this.maxAgeMs = maxAgeMs ?? Number.POSITIVE_INFINITY;
  }

  /** Adds an event. Returns false, and does not add it, if that would exceed a limit. */
  add(event: AnyEvent): boolean {
    const waiting = this.events.length - this.head;
    if (waiting >= this.capacity) return false;
    if (this.maxBytes < Number.POSITIVE_INFINITY) {
      const size = waiting < FEW ? 0 : sizeOf(event);
      if (this.bytes + size > this.maxBytes) return false;
      this.sizes.push(size);
      this.bytes += size;
    }
    if (this.maxAgeMs < Number.POSITIVE_INFINITY) {
      const time = performance.now();
      if (waiting > 0 && time - (this.times[this.head] as number) > this.maxAgeMs) return false;
      this.times.push(time);
    }
    this.events.push(event);
    return true;
  }

  /** Removes the first event and returns it. */
  shift(): AnyEvent | undefined {
    if (this.head < this.events.length) {
      this.bytes -= this.sizes[this.head] ?? 0;
      return this.events[this.head++];
    }
    if (this.head > 0) this.clear();
    return undefined;
  }

  clear(): void {
    this.events = [];
    this.sizes = [];
    this.times = [];
    this.head = 0;
    this.bytes = 0;
  }
}
