import type { EventId, StoredEvent } from "./types.ts";

/** Part of a path, in order from the root's side. Its events are read when they are asked for. */
export interface Stretch {
  readonly size: number;
  /** Those at the places from `from` to before `to`. A record that can no longer be read is passed over. */
  slice(from: number, to?: number): StoredEvent[];
}

/** The read side of a session's tree. Side events are held but are no leaves and make no branches. */
export interface TreeView {
  readonly size: number;
  get(id: EventId): StoredEvent | undefined;
  has(id: EventId): boolean;
  /** Whether the event is part of the conversation's path, not a side event or a jump. */
  isPath(id: EventId): boolean;
  /** Whether the event was attached to the leaf of that moment because its parent is lost. */
  isBridged(id: EventId): boolean;
  /** The parent, also of a bridged event. */
  parent(id: EventId): StoredEvent | undefined;
  /** From `id` up to the root, both included, each read when it is asked for; nothing for an unknown id. */
  ancestors(id: EventId): Iterable<StoredEvent>;
  /** From the root to `id`, both included; empty for an unknown id. */
  path(id: EventId): StoredEvent[];
  /** The same, each read when it is asked for; only the last `count` of them, when given. */
  way(id: EventId, count?: number): Iterable<StoredEvent>;
  /** The path below `after` (null: from the root) down to `id`, `id` included. From the root when `after` is not on it. */
  stretch(after: EventId | null, id: EventId): Stretch;
  /** Whether an event is on the way from the root to `id`, `id` included. Walks the way once, and reads nothing of it. */
  above(id: EventId): (event: EventId) => boolean;
  /** The nearest event of a type on the way up from `id`, `id` included. Reads no other. */
  nearest(id: EventId, type: string): StoredEvent | undefined;
  /** The path events whose parent is `id`, in seq order. */
  children(id: EventId): StoredEvent[];
  /** Path events without children, in seq order. */
  leaves(): StoredEvent[];
  /** Path events with more than one child, in seq order. */
  branchPoints(): StoredEvent[];
  /** The first path event. */
  readonly root: StoredEvent | undefined;
  readonly activeLeaf: EventId | null;
  /** How many events jumped to an event that is not in the log, which moved nothing. */
  readonly lostJumps: number;
  /** The event with the highest seq. */
  readonly last: StoredEvent | undefined;
  /** Every persistent event in seq order. */
  [Symbol.iterator](): Iterator<StoredEvent>;
  /** Persistent events with `from <= seq <= to`, in seq order. */
  between(from: number, to: number): StoredEvent[];
  /** The last `count` persistent events, in seq order. */
  tail(count: number): StoredEvent[];
  /** The events of a type, in seq order. */
  ofType(type: string): Iterable<StoredEvent>;
  /** The ids that begin so, in seq order. Of a long log only the records are read that may bear one. */
  startingWith(prefix: string): EventId[];
}
