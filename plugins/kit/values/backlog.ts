import { sizeOf } from "./size.ts";

const DEFAULT_CAPACITY = 10_000;
/** While fewer items wait, their sizes are not estimated. */
const FEW = 16;

/** Limits of a backlog: the number of items, their estimated total size, and how long the oldest item may have waited. */
export interface BacklogLimits {
  capacity?: number | undefined;
  maxBytes?: number | undefined;
  maxAgeMs?: number | undefined;
}

/** A queue with limits. An item that would exceed one of them is not added. */
export class Backlog<T> {
  private readonly capacity: number;
  private readonly maxBytes: number;
  private readonly maxAgeMs: number;
  private items: (T | undefined)[] = [];
  /** For each item, its estimated size (`sizes`) and when it was added (`times`). */
  private sizes: number[] = [];
  private times: number[] = [];
  private head = 0;
  private bytes = 0;

  constructor({ capacity, maxBytes, maxAgeMs }: BacklogLimits) {
    this.capacity = capacity ?? DEFAULT_CAPACITY;
    this.maxBytes = maxBytes ?? Number.POSITIVE_INFINITY;
    this.maxAgeMs = maxAgeMs ?? Number.POSITIVE_INFINITY;
  }

  /** Adds an item. Returns false, and does not add it, if that would exceed a limit. */
  add(item: T): boolean {
    const waiting = this.items.length - this.head;
    if (waiting >= this.capacity) return false;
    const time = this.maxAgeMs < Number.POSITIVE_INFINITY ? performance.now() : 0;
    if (waiting > 0 && time - (this.times[this.head] ?? 0) > this.maxAgeMs) return false;
    if (this.maxBytes < Number.POSITIVE_INFINITY) {
      const size = waiting < FEW ? 0 : sizeOf(item);
      if (this.bytes + size > this.maxBytes) return false;
      this.sizes.push(size);
      this.bytes += size;
    }
    if (this.maxAgeMs < Number.POSITIVE_INFINITY) this.times.push(time);
    this.items.push(item);
    return true;
  }

  /** Removes the first item and returns it. */
  shift(): T | undefined {
    if (this.head === this.items.length) return undefined;
    this.bytes -= this.sizes[this.head] ?? 0;
    const item = this.items[this.head];
    this.items[this.head++] = undefined;
    if (this.head * 2 >= this.items.length) this.compact();
    return item;
  }

  /** Removes the slots of the items that were taken out. Done for half of all items at once, so that it costs little for each of them. */
  private compact(): void {
    for (const list of [this.items, this.sizes, this.times]) list.splice(0, this.head);
    this.head = 0;
  }

  clear(): void {
    this.items = [];
    this.sizes = [];
    this.times = [];
    this.head = 0;
    this.bytes = 0;
  }
}
