import type { EventId, EventOf, EventType, StoredEvent } from "./types.ts";

/** Part of a path, in order from the root. Events are read when they are needed. */
export interface Stretch {
  readonly size: number;
  /** The events at indexes from `from` up to but not including `to`. Records that can no longer be read are skipped. */
  slice(from: number, to?: number): StoredEvent[];
}

/** Read access to a session's tree. Side events are part of it, but never count as leaves, children or branches. */
export interface TreeView {
  /** The number of persistent events. */
  readonly size: number;
  /** The event with this id. It is read from the log if it is not in memory. */
  get(id: EventId): StoredEvent | undefined;
  /** Whether the log has an event with this id. Reads nothing. */
  has(id: EventId): boolean;
  /** Whether the event is a path event, not a side event or a jump. */
  isPath(id: EventId): boolean;
  /** Whether the event's parent is lost, so that it was attached to the active leaf of that moment. */
  isBridged(id: EventId): boolean;
  /** The parent event; for a bridged event, the event it was attached to. */
  parent(id: EventId): StoredEvent | undefined;
  /** Iterates from `id` up to the root, both included, reading each event when it is reached. Empty for an unknown id. */
  ancestors(id: EventId): Iterable<StoredEvent>;
  /** The events from the root to `id`, both included. Empty for an unknown id. */
  path(id: EventId): StoredEvent[];
  /** Same as `path`, but reads each event when it is reached. With `count`, only the last `count` events. */
  way(id: EventId, count?: number): Iterable<StoredEvent>;
  /** The path from `after`, excluded, to `id`, included. Starts at the root if `after` is null or not on the path. */
  stretch(after: EventId | null, id: EventId): Stretch;
  /** Returns a function that tells whether an event is on the path from the root to `id`, `id` included. Reads no events. */
  above(id: EventId): (event: EventId) => boolean;
  /** The nearest event of a type between `id`, included, and the root. Reads no other events. */
  nearest<T extends EventType>(id: EventId, type: T): EventOf<T> | undefined;
  nearest(id: EventId, type: string): StoredEvent | undefined;
  /** The path events whose parent is `id`, in seq order. */
  children(id: EventId): StoredEvent[];
  /** Path events without children, in seq order. */
  leaves(): StoredEvent[];
  /** Path events with more than one child, in seq order. */
  branchPoints(): StoredEvent[];
  /** The first path event. */
  readonly root: StoredEvent | undefined;
  /** The event that the next path event will hang from. */
  readonly activeLeaf: EventId | null;
  /** Number of jumps to events that are not in the log. Such a jump does not move the active leaf. */
  readonly lostJumps: number;
  /** The event with the highest seq. */
  readonly last: StoredEvent | undefined;
  /** Every persistent event in seq order. */
  [Symbol.iterator](): Iterator<StoredEvent>;
  /** Persistent events with `from <= seq <= to`, in seq order. */
  between(from: number, to: number): StoredEvent[];
  /** The first `count` persistent events with a seq above `after`, in seq order. Default for `after`: 0, the start. */
  head(count: number, after?: number): StoredEvent[];
  /** The last `count` persistent events with a seq below `before`, in seq order. Default for `before`: the end. */
  tail(count: number, before?: number): StoredEvent[];
  /** The persistent events of a type, in seq order. */
  ofType<T extends EventType>(type: T): Iterable<EventOf<T>>;
  ofType(type: string): Iterable<StoredEvent>;
  /** The ids that begin with `prefix`, in seq order. Reads only the records that may have such an id, if the log can be searched. */
  startingWith(prefix: string): EventId[];
}
