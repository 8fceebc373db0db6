import type { LogImage } from "../store.ts";
import type { Stretch, TreeView } from "../tree-view.ts";
import type { EventId, EventOf, EventType, StoredEvent } from "../types.ts";
import { Ledger } from "./ledger.ts";
import { Links } from "./links.ts";
import { idsStartingWith, type RowSearch } from "./search.ts";

/**
 * All persistent events of a session, linked by parent. Events are read from the store when they are needed. Records that can
 * no longer be read are skipped.
 */
export class Tree implements TreeView {
  readonly links = new Links();
  lostJumps = 0;
  private readonly search: RowSearch | undefined;
  /** The id of the active leaf, whose row is `links.leaf`. */
  private leaf: EventId | null = null;

  constructor(search?: RowSearch) {
    this.search = search;
  }

  get ledger(): Ledger {
    return this.links.ledger;
  }
  get size(): number {
    return this.ledger.size;
  }
  get root(): StoredEvent | undefined {
    return this.read(this.links.root);
  }
  get activeLeaf(): EventId | null {
    return this.leaf;
  }
  get last(): StoredEvent | undefined {
    return this.tail(1)[0];
  }

  begin(ledger: Ledger, image?: Pick<LogImage, "tree" | "flags">): void {
    this.links.begin(ledger, image);
    this.leaf = image?.tree.activeLeaf ?? null;
  }

  /** Adds an event after all others. `leaf` is the active leaf after it. */
  add(event: StoredEvent, leaf: EventId | null): void {
    const { links, ledger } = this;
    const isNext = event.parentId === this.leaf && event.parentId !== null;
    const row = isNext ? ledger.add(event, links.leaf) : ledger.add(event);
    links.link(row, leaf === event.id ? row : leaf === this.leaf ? links.leaf : this.rowOf(leaf));
    this.leaf = leaf;
  }

  /** Reads the id of the active leaf, which linking rows without reading their events leaves unknown. */
  readLeaf(): void {
    this.leaf = this.read(this.links.leaf)?.id ?? null;
  }

  read(row: number): StoredEvent | undefined {
    return row < 0 ? undefined : this.ledger.read(row);
  }

  get(id: EventId): StoredEvent | undefined {
    return this.read(this.rowOf(id));
  }
  has(id: EventId): boolean {
    return this.rowOf(id) !== Ledger.NO_ROW;
  }
  isPath(id: EventId): boolean {
    return this.links.isPath(this.rowOf(id));
  }
  isBridged(id: EventId): boolean {
    return this.links.isBridged(this.rowOf(id));
  }
  parent(id: EventId): StoredEvent | undefined {
    const [parent] = this.events(this.links.upwards(this.links.parentOf(this.rowOf(id))));
    return parent;
  }
  ancestors(id: EventId): Iterable<StoredEvent> {
    return this.events(this.links.upwards(this.rowOf(id)));
  }
  path(id: EventId): StoredEvent[] {
    return [...this.way(id)];
  }
  way(id: EventId, count?: number): Iterable<StoredEvent> {
    return this.events(this.links.pathTo(this.rowOf(id), { ...(count !== undefined && { count }) }));
  }
  stretch(after: EventId | null, id: EventId): Stretch {
    const rows = this.links.pathTo(this.rowOf(id), { end: this.rowOf(after) });
    return { size: rows.length, slice: (from, to) => [...this.events(rows.slice(from, to))] };
  }
  above(id: EventId): (event: EventId) => boolean {
    const marks = new Uint8Array(this.size);
    for (let at = this.rowOf(id); at >= 0; at = this.links.parentOf(at)) marks[at] = 1;
    return (event) => marks[this.rowOf(event)] === 1;
  }
  nearest<T extends EventType>(id: EventId, type: T): EventOf<T> | undefined;
  nearest(id: EventId, type: string): StoredEvent | undefined;
  nearest(id: EventId, type: string): StoredEvent | undefined {
    const wanted = this.ledger.types.indexOf(type);
    let at = this.rowOf(id);
    while (at >= 0 && this.ledger.type[at] !== wanted) at = this.links.parentOf(at);
    return this.read(at);
  }
  children(id: EventId): StoredEvent[] {
    const row = this.rowOf(id);
    return row === Ledger.NO_ROW ? [] : [...this.events(this.links.childrenOf(row))];
  }
  leaves(): StoredEvent[] {
    return [...this.events(this.links.leaves())];
  }
  branchPoints(): StoredEvent[] {
    return [...this.events(this.links.branchPoints())];
  }

  [Symbol.iterator](): Iterator<StoredEvent> {
    return this.events(this.rows());
  }
  between(from: number, to: number): StoredEvent[] {
    return [...this.range(from, to)];
  }
  /** Same as `between`, but reads each event only when it is requested. */
  range(from: number, to: number): Iterable<StoredEvent> {
    const { ledger } = this;
    return this.events(this.rows(ledger.firstAtOrAfter(from), ledger.firstAtOrAfter(to + 1)));
  }
  head(count: number, after = 0): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (let row = this.ledger.firstAtOrAfter(after + 1); row < this.size && events.length < count; row++) {
      const event = this.read(row);
      if (event) events.push(event);
    }
    return events;
  }
  tail(count: number, before = Number.POSITIVE_INFINITY): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (let row = this.ledger.firstAtOrAfter(before) - 1; row >= 0 && events.length < count; row--) {
      const event = this.read(row);
      if (event) events.push(event);
    }
    return events.reverse();
  }
  ofType<T extends EventType>(type: T): Iterable<EventOf<T>>;
  ofType(type: string): Iterable<StoredEvent>;
  *ofType(type: string): Generator<StoredEvent, undefined> {
    const wanted = this.ledger.types.indexOf(type);
    for (let row = 0; row < this.size; row++) {
      const event = this.ledger.type[row] === wanted ? this.read(row) : undefined;
      if (event) yield event;
    }
  }

  startingWith(prefix: string): EventId[] {
    return idsStartingWith(this, prefix, this.search);
  }

  /** The row of an event, or NO_ROW. */
  rowOf(id: EventId | null): number {
    if (id === null) return Ledger.NO_ROW;
    const isLeaf = id === this.leaf && this.links.leaf !== Ledger.NO_ROW;
    return isLeaf ? this.links.leaf : this.ledger.rowOf(id);
  }

  private *rows(first = 0, end = this.size): Generator<number, undefined> {
    for (let row = first; row < end; row++) yield row;
  }

  private *events(rows: Iterable<number>): Generator<StoredEvent, undefined> {
    for (const row of rows) {
      const event = this.read(row);
      if (event) yield event;
    }
  }
}
