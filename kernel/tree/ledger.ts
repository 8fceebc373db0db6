import type { EventId, StoredEvent } from "../types.ts";

const FNV_START = 0x811c9dc5;
const FNV_STEP = 0x01000193;
const FIRST_CAPACITY = 64;
const MANY_ROWS = 100_000;

/** Reads the record of a row. Returns undefined if the record has been damaged since the log was opened. */
export type ReadRecord = (row: number) => StoredEvent | undefined;

/** The columns of a ledger, including unused capacity after the last row. */
export interface LedgerImage {
  seq: Float64Array;
  type: Uint32Array;
  parent: Int32Array;
  hash: Int32Array;
  slots: Int32Array;
}

/**
 * An index of a log in memory: seq, type, parent and id hash of each record, as numbers. A million records take about 30 MB,
 * and none of them has to be parsed. Row n is the nth record. Ids are found by hash and then compared with the record.
 */
export class Ledger {
  /** Returned instead of a row if there is none. */
  static readonly NO_ROW = -1;
  /** The parent of an event whose `parentId` is null. */
  static readonly NO_PARENT = -1;
  /** The parent of an event whose parent does not precede it in the log. */
  static readonly LOST_PARENT = -2;
  size = 0;
  seq: Float64Array = new Float64Array(FIRST_CAPACITY);
  /** Index into `types`. */
  type: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  /** Row of the parent, or NO_PARENT or LOST_PARENT. */
  parent: Int32Array = new Int32Array(FIRST_CAPACITY);
  readonly types: string[] = [];
  /** The highest seq of all rows. */
  lastSeq = 0;
  read: ReadRecord;
  /** Whether the record of a row has an id. A store that can tell without parsing the record may replace this function. */
  hasId: (row: number, id: EventId) => boolean = (row, id) => (this.read(row)?.id ?? id) === id;
  private hash: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Hash table with open addressing. Each slot holds row + 1, or 0 if it is free. */
  private slots: Int32Array = new Int32Array(FIRST_CAPACITY * 2);
  private readonly typeIndexes = new Map<string, number>();

  constructor(read: ReadRecord) {
    this.read = read;
  }

  /** Creates a ledger of `size` records by reading each once. */
  static of(size: number, read: ReadRecord): Ledger {
    const ledger = new Ledger(read);
    for (let row = 0; row < size; row++) ledger.add(read(row) as StoredEvent);
    return ledger;
  }

  static hash(id: EventId): number {
    let hash = FNV_START;
    for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), FNV_STEP);
    return mixed(hash);
  }

  /** The hash of an ASCII id in `bytes`, the same as `hash` of its string. */
  static hashOfBytes(bytes: Uint8Array, from: number, to: number): number {
    let hash = FNV_START;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), FNV_STEP);
    return mixed(hash);
  }

  /** Adds a row for the next event. `parent` is LOST_PARENT if the event's parent is not in the ledger. */
  add({ id, parentId, seq, type }: StoredEvent, parent = this.parentRow(parentId)): number {
    return this.addRow(Ledger.hash(id), seq, this.typeIndex(type), parent);
  }

  private parentRow(parentId: EventId | null): number {
    if (parentId === null) return Ledger.NO_PARENT;
    const row = this.rowOf(parentId);
    return row === Ledger.NO_ROW ? Ledger.LOST_PARENT : row;
  }

  /** Adds an event that is only kept in memory, without a record in the store. */
  addUnwritten(event: StoredEvent): void {
    this.keepUnwritten([event]);
    this.add(event);
  }

  /** Makes the next `events.length` rows read as these events, which have no records in the store. */
  keepUnwritten(events: readonly StoredEvent[]): void {
    const { read, size: first } = this;
    this.read = (row) => events[row - first] ?? read(row);
  }

  /** Same as `add`, for callers that already have the numbers. */
  addRow(hash: number, seq: number, type: number, parent: number): number {
    if (this.size === this.seq.length) this.reserve(grown(this.size));
    const row = this.size++;
    this.seq[row] = seq;
    this.type[row] = type;
    this.parent[row] = parent;
    this.hash[row] = hash;
    if (seq > this.lastSeq) this.lastSeq = seq;
    this.enter(row, hash);
    return row;
  }

  typeIndex(type: string): number {
    const known = this.typeIndexes.get(type);
    if (known !== undefined) return known;
    this.typeIndexes.set(type, this.types.length);
    return this.types.push(type) - 1;
  }

  /** Returns the row of an id, or NO_ROW. If a record can no longer be read, an equal hash counts as a match. */
  rowOf(id: EventId): number {
    return this.find(Ledger.hash(id), (row) => this.hasId(row, id));
  }

  /** Whether a row's parent does not precede it in the log. */
  isOrphan(row: number): boolean {
    return this.parent[row] === Ledger.LOST_PARENT;
  }

  /** Returns the first row with this hash for which `matches` returns true, or NO_ROW. */
  find(hash: number, matches: (row: number) => boolean): number {
    const { slots } = this;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = (slots[slot] as number) - 1;
      if (row < 0) return Ledger.NO_ROW;
      if (this.hash[row] === hash && matches(row)) return row;
    }
  }

  /** Grows the capacity to at least `rows`. */
  reserve(rows: number): void {
    if (rows <= this.seq.length) return;
    this.seq = widened(this.seq, new Float64Array(rows));
    this.type = widened(this.type, new Uint32Array(rows));
    this.parent = widened(this.parent, new Int32Array(rows));
    this.hash = widened(this.hash, new Int32Array(rows));
    this.widenSlots();
  }

  /** Returns the first row whose seq is at least `seq`. */
  firstAtOrAfter(seq: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.seq[middle] as number) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  image(): LedgerImage {
    const { seq, type, parent, hash, slots } = this;
    return { seq, type, parent, hash, slots };
  }

  /** Fills an empty ledger with the rows of an image. */
  restore(image: LedgerImage, known: { rows: number; types: readonly string[]; lastSeq: number }): void {
    this.size = known.rows;
    this.seq = image.seq;
    this.type = image.type;
    this.parent = image.parent;
    this.hash = image.hash;
    this.slots = image.slots;
    this.lastSeq = known.lastSeq;
    for (const type of known.types) this.typeIndex(type);
    this.widenSlots();
  }

  /** Grows the hash table. At least a third of its slots stay free, so that searches end quickly. */
  private widenSlots(): void {
    const slots = 2 ** Math.ceil(Math.log2(this.seq.length * 1.5));
    if (this.slots.length >= slots) return;
    this.slots = new Int32Array(slots);
    for (let row = 0; row < this.size; row++) this.enter(row, this.hash[row] as number);
  }

  private enter(row: number, hash: number): void {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = row + 1;
  }
}

/** Mixes the high bits of a hash into the low ones, which select the slot. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return half ^ (half >>> 13);
}

/** The next capacity when `rows` are in use: double, or a quarter more for large ledgers. */
export function grown(rows: number): number {
  return rows < MANY_ROWS ? rows * 2 : Math.ceil(rows * 1.25);
}

/** Copies a column into a larger one and returns that. */
export function widened<A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
