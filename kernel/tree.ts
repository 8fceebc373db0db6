import { Ledger, widened } from "./ledger.ts";
import { idsStartingWith, type RowSearch } from "./prefix.ts";
import { Siblings } from "./siblings.ts";
import type { LogImage } from "./store.ts";
import type { Stretch, TreeView } from "./tree-view.ts";
import type { EventId, StoredEvent } from "./types.ts";

const PATH = 1;
/** Hung where it is because its own parent is missing from the log. */
const BRIDGED = 2;
const HAS_CHILD = 4;
const HAS_CHILDREN = 8;

/**
 * All persistent events of a session, linked by parent. Holds numbers only: an event is read from the store when it
 * is asked for, and one whose record can no longer be read is passed over. Grows only through `add` and `link`.
 */
export class Tree implements TreeView {
  /** Jumps to an event that is not in the log, which moved nothing. */
  lostJumps = 0;
  private readonly search: RowSearch | undefined;
  private records = new Ledger(() => undefined);
  private flags: Uint8Array = new Uint8Array(0);
  private rootRow = Ledger.NO_ROW;
  private leafRow = Ledger.NO_ROW;
  private leaf: EventId | null = null;
  private siblings: Siblings | undefined;

  constructor(search?: RowSearch) {
    this.search = search;
  }

  get size(): number {
    return this.records.size;
  }
  get root(): StoredEvent | undefined {
    return this.read(this.rootRow);
  }
  get activeLeaf(): EventId | null {
    return this.leaf;
  }
  get last(): StoredEvent | undefined {
    return this.tail(1)[0];
  }
  /** The columns behind it. */
  get ledger(): Ledger {
    return this.records;
  }
  get activeRow(): number {
    return this.leafRow;
  }

  /** Stands over this ledger from now on. Its rows are to be linked, but for those of `image`. */
  begin(ledger: Ledger, image?: Pick<LogImage, "tree" | "flags">): void {
    this.records = ledger;
    this.flags = image?.flags ?? new Uint8Array(ledger.seq.length);
    this.rootRow = image?.tree.root ?? Ledger.NO_ROW;
    this.leafRow = image?.tree.leaf ?? Ledger.NO_ROW;
    this.leaf = image?.tree.activeLeaf ?? null;
  }

  image(): Pick<LogImage, "tree" | "flags"> {
    const { rootRow: root, leafRow: leaf, leaf: activeLeaf } = this;
    return { tree: { root, leaf, activeLeaf }, flags: this.flags };
  }

  /** Makes an image as good as none: what is bridged is looked for its lost parent again. */
  static forget(ledger: Ledger, { rows, flags }: LogImage): void {
    for (let row = 0; row < rows; row++) if ((flags[row] as number) & BRIDGED) ledger.parent[row] = Ledger.LOST_PARENT;
  }

  /** Adds an event behind all others; `leaf` is the active leaf after it. */
  add(event: StoredEvent, leaf: EventId | null): number {
    const isNext = event.parentId === this.leaf && event.parentId !== null;
    const row = isNext ? this.records.add(event, this.leafRow) : this.records.add(event);
    this.link(row, leaf === event.id ? row : leaf === this.leaf ? this.leafRow : this.rowOf(leaf));
    this.leaf = leaf;
    return row;
  }

  /** Links a row of the ledger in; `leaf` is the row of the active leaf after it. Rows come in their order. */
  link(row: number, leaf: number): void {
    if (row >= this.flags.length) this.flags = widened(this.flags, new Uint8Array(this.records.seq.length));
    const { parent } = this.records;
    if (parent[row] === Ledger.LOST_PARENT) {
      parent[row] = this.leafRow;
      this.flags[row] = BRIDGED;
    }
    if (leaf === row) this.linkPath(row);
    if (leaf !== this.leafRow) this.leaf = null;
    this.leafRow = leaf;
  }

  /** Gives the active leaf its id, after rows were linked without. */
  settle(): void {
    this.leaf = this.read(this.leafRow)?.id ?? null;
  }

  rowOf(id: EventId | null): number {
    if (id === null) return Ledger.NO_ROW;
    return id === this.leaf && this.leafRow !== Ledger.NO_ROW ? this.leafRow : this.records.rowOf(id);
  }
  read(row: number): StoredEvent | undefined {
    return row < 0 ? undefined : this.records.read(row);
  }
  parentRow(row: number): number {
    return this.records.parent[row] ?? Ledger.NO_PARENT;
  }

  get(id: EventId): StoredEvent | undefined {
    return this.read(this.rowOf(id));
  }
  has(id: EventId): boolean {
    return this.rowOf(id) !== Ledger.NO_ROW;
  }
  isPath(id: EventId): boolean {
    return this.isPathRow(this.rowOf(id));
  }
  isPathRow(row: number): boolean {
    return this.is(row, PATH);
  }
  isBridged(id: EventId): boolean {
    return this.is(this.rowOf(id), BRIDGED);
  }
  parent(id: EventId): StoredEvent | undefined {
    return this.upwards(this.parentRow(this.rowOf(id))).next().value ?? undefined;
  }
  ancestors(id: EventId): Iterable<StoredEvent> {
    return this.upwards(this.rowOf(id));
  }
  path(id: EventId): StoredEvent[] {
    return [...this.ancestors(id)].reverse();
  }
  *way(id: EventId, count = Number.POSITIVE_INFINITY): Generator<StoredEvent, undefined> {
    const rows: number[] = [];
    for (let at = this.rowOf(id); at >= 0 && rows.length < count; at = this.parentRow(at)) rows.push(at);
    for (const row of rows.reverse()) {
      const event = this.read(row);
      if (event) yield event;
    }
  }
  stretch(after: EventId | null, id: EventId): Stretch {
    const rows: number[] = [];
    const end = this.rowOf(after);
    for (let at = this.rowOf(id); at >= 0 && at !== end; at = this.parentRow(at)) rows.push(at);
    rows.reverse();
    return { size: rows.length, slice: (from, to) => this.events(rows.slice(from, to)) };
  }
  above(id: EventId): (event: EventId) => boolean {
    const marks = new Uint8Array(this.size);
    for (let at = this.rowOf(id); at >= 0; at = this.parentRow(at)) marks[at] = 1;
    return (event) => marks[this.rowOf(event)] === 1;
  }
  nearest(id: EventId, type: string): StoredEvent | undefined {
    const wanted = this.records.types.indexOf(type);
    let at = this.rowOf(id);
    while (at >= 0 && this.records.type[at] !== wanted) at = this.parentRow(at);
    return this.read(at);
  }
  children(id: EventId): StoredEvent[] {
    const row = this.rowOf(id);
    if (row === Ledger.NO_ROW) return [];
    this.siblings ??= this.makeSiblings();
    return this.events(this.siblings.of(row));
  }
  leaves(): StoredEvent[] {
    return this.pathEvents((flags) => (flags & HAS_CHILD) === 0);
  }
  branchPoints(): StoredEvent[] {
    return this.pathEvents((flags) => (flags & HAS_CHILDREN) !== 0);
  }

  *[Symbol.iterator](): Generator<StoredEvent, undefined> {
    for (let row = 0; row < this.size; row++) {
      const event = this.read(row);
      if (event) yield event;
    }
  }
  between(from: number, to: number): StoredEvent[] {
    const rows: number[] = [];
    for (let row = this.records.firstAtOrAfter(from); row < this.size; row++) {
      if ((this.records.seq[row] as number) > to) break;
      rows.push(row);
    }
    return this.events(rows);
  }
  tail(count: number): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (let row = this.size - 1; row >= 0 && events.length < count; row--) {
      const event = this.read(row);
      if (event) events.push(event);
    }
    return events.reverse();
  }
  *ofType(type: string): Generator<StoredEvent, undefined> {
    const wanted = this.records.types.indexOf(type);
    for (let row = 0; row < this.size; row++) {
      const event = this.records.type[row] === wanted ? this.read(row) : undefined;
      if (event) yield event;
    }
  }

  startingWith(prefix: string): EventId[] {
    return idsStartingWith(this, prefix, this.search);
  }

  /** A jump's child (an event appended under a rewind marker by name) belongs to the marker's own parent. */
  nearestPath(row: number): number {
    let at = row;
    while (at >= 0 && !this.isPathRow(at)) at = this.parentRow(at);
    return at;
  }

  private linkPath(row: number): void {
    this.flags[row] = (this.flags[row] as number) | PATH;
    if (this.rootRow === Ledger.NO_ROW) this.rootRow = row;
    const parent = this.nearestPath(this.parentRow(row));
    if (parent < 0) return;
    const flags = this.flags[parent] as number;
    this.flags[parent] = flags | (flags & HAS_CHILD ? HAS_CHILDREN : HAS_CHILD);
    this.siblings?.add(row, parent);
  }

  private makeSiblings(): Siblings {
    const siblings = new Siblings();
    for (let row = 0; row < this.size; row++)
      if (this.isPathRow(row)) siblings.add(row, this.nearestPath(this.parentRow(row)));
    return siblings;
  }

  private *upwards(row: number): Generator<StoredEvent, undefined> {
    for (let at = row; at >= 0; at = this.parentRow(at)) {
      const event = this.read(at);
      if (event) yield event;
    }
  }

  private is(row: number, flag: number): boolean {
    return row >= 0 && ((this.flags[row] as number) & flag) !== 0;
  }

  private events(rows: readonly number[]): StoredEvent[] {
    return rows.map((row) => this.read(row)).filter((event) => event !== undefined);
  }

  private pathEvents(wanted: (flags: number) => boolean): StoredEvent[] {
    const rows: number[] = [];
    for (let row = 0; row < this.size; row++)
      if (this.isPathRow(row) && wanted(this.flags[row] as number)) rows.push(row);
    return this.events(rows);
  }
}
