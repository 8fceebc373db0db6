import type { EventId, StoredEvent } from "./types.ts";

interface Node {
  readonly event: StoredEvent;
  readonly parent: Node | undefined;
  /** Path events only. */
  readonly children: Node[];
  readonly path: boolean;
  /** Hung here because its own parent is missing from the log. */
  readonly bridged: boolean;
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
  /** From the root to `id`, both included; empty for an unknown id. */
  path(id: EventId): StoredEvent[];
  /** The path events whose parent is `id`, in seq order. */
  children(id: EventId): StoredEvent[];
  /** Path events without children, in seq order. */
  leaves(): StoredEvent[];
  /** Path events with more than one child, in seq order. */
  branchPoints(): StoredEvent[];
  /** The first path event. */
  readonly root: StoredEvent | undefined;
  readonly activeLeaf: EventId | null;
  /** The event with the highest seq. */
  readonly last: StoredEvent | undefined;
  /** Every persistent event in seq order. */
  [Symbol.iterator](): Iterator<StoredEvent>;
  /** Persistent events with `from <= seq <= to`, in seq order. */
  between(from: number, to: number): StoredEvent[];
}

/** All persistent events of a session, linked by parent. Grows only through `add`. */
export class Tree implements TreeView {
  private readonly nodes = new Map<EventId, Node>();
  private readonly order: StoredEvent[] = [];
  private firstPath: Node | undefined;
  private leaf: EventId | null = null;

  get size(): number {
    return this.order.length;
  }
  get root(): StoredEvent | undefined {
    return this.firstPath?.event;
  }
  get activeLeaf(): EventId | null {
    return this.leaf;
  }

  get last(): StoredEvent | undefined {
    return this.order.at(-1);
  }

  /** Links an event in; `leaf` is the active leaf after it. Events come in seq order. */
  add(event: StoredEvent, leaf: EventId | null): void {
    const known = event.parentId === null ? undefined : this.nodes.get(event.parentId);
    const bridged = event.parentId !== null && known === undefined;
    const node: Node = {
      event,
      parent: bridged ? this.leafNode() : known,
      children: [],
      path: leaf === event.id,
      bridged,
    };
    this.nodes.set(event.id, node);
    this.order.push(event);
    if (node.path) {
      this.firstPath ??= node;
      nearestPath(node.parent)?.children.push(node);
    }
    this.leaf = leaf;
  }

  get(id: EventId): StoredEvent | undefined {
    return this.nodes.get(id)?.event;
  }
  has(id: EventId): boolean {
    return this.nodes.has(id);
  }
  isPath(id: EventId): boolean {
    return this.nodes.get(id)?.path ?? false;
  }
  isBridged(id: EventId): boolean {
    return this.nodes.get(id)?.bridged ?? false;
  }
  parent(id: EventId): StoredEvent | undefined {
    return this.nodes.get(id)?.parent?.event;
  }

  path(id: EventId): StoredEvent[] {
    const path: StoredEvent[] = [];
    for (let node = this.nodes.get(id); node; node = node.parent) path.push(node.event);
    return path.reverse();
  }
  children(id: EventId): StoredEvent[] {
    return this.nodes.get(id)?.children.map((child) => child.event) ?? [];
  }
  leaves(): StoredEvent[] {
    return this.pathEvents((node) => node.children.length === 0);
  }
  branchPoints(): StoredEvent[] {
    return this.pathEvents((node) => node.children.length > 1);
  }

  [Symbol.iterator](): Iterator<StoredEvent> {
    return this.order[Symbol.iterator]();
  }
  between(from: number, to: number): StoredEvent[] {
    const found: StoredEvent[] = [];
    for (let i = firstAtOrAfter(this.order, from); i < this.order.length; i++) {
      const event = this.order[i] as StoredEvent;
      if (event.seq > to) break;
      found.push(event);
    }
    return found;
  }

  private leafNode(): Node | undefined {
    return this.leaf === null ? undefined : this.nodes.get(this.leaf);
  }

  private pathEvents(wanted: (node: Node) => boolean): StoredEvent[] {
    return this.order.filter((event) => {
      const node = this.nodes.get(event.id) as Node;
      return node.path && wanted(node);
    });
  }
}

/** A jump's child (an event appended under a rewind marker by name) belongs to the marker's own parent. */
function nearestPath(node: Node | undefined): Node | undefined {
  let at = node;
  while (at && !at.path) at = at.parent;
  return at;
}

function firstAtOrAfter(order: readonly StoredEvent[], seq: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order[middle] as StoredEvent).seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
