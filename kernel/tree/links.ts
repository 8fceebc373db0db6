import type { LogImage } from "../store.ts";
import { Ledger, widened } from "./ledger.ts";

const PATH = 1;
/** The event's parent is missing from the log, so it was attached to the active leaf of that moment. */
const BRIDGED = 2;
const HAS_CHILD = 4;
const HAS_CHILDREN = 8;

/** Links the rows of a log into a tree. Stores only numbers and reads no events, so that a million rows fit into memory. */
export class Links {
  ledger = new Ledger(() => undefined);
  /** Row of the first path event. */
  root: number = Ledger.NO_ROW;
  /** Row of the active leaf. */
  leaf: number = Ledger.NO_ROW;
  private flags: Uint8Array = new Uint8Array(0);
  /** Rows of path events by parent row. Filled at the first call of `childrenOf`, which most conversations never need. */
  private siblings: Map<number, number[]> | undefined;

  /** Starts with a ledger whose first rows are already linked in `image`. Later rows are linked with `link`. */
  begin(ledger: Ledger, image?: Pick<LogImage, "tree" | "flags">): void {
    this.ledger = ledger;
    this.flags = image?.flags ?? new Uint8Array(ledger.seq.length);
    this.root = image?.tree.root ?? Ledger.NO_ROW;
    this.leaf = image?.tree.leaf ?? Ledger.NO_ROW;
  }

  image(activeLeaf: string | null): Pick<LogImage, "tree" | "flags"> {
    return { tree: { root: this.root, leaf: this.leaf, activeLeaf }, flags: this.flags };
  }

  /** Discards the links of an outdated image: the parents of bridged events become LOST_PARENT again. */
  static forget(ledger: Ledger, { rows, flags }: LogImage): void {
    for (let row = 0; row < rows; row++) if ((flags[row] as number) & BRIDGED) ledger.parent[row] = Ledger.LOST_PARENT;
  }

  /** Links the next row. `leaf` is the row of the active leaf after this event. */
  link(row: number, leaf: number): void {
    if (row >= this.flags.length) this.flags = widened(this.flags, new Uint8Array(this.ledger.seq.length));
    const { parent } = this.ledger;
    if (parent[row] === Ledger.LOST_PARENT) {
      parent[row] = this.leaf;
      this.flags[row] = BRIDGED;
    }
    if (leaf === row) this.linkPath(row);
    this.leaf = leaf;
  }

  isPath(row: number): boolean {
    return this.is(row, PATH);
  }
  isBridged(row: number): boolean {
    return this.is(row, BRIDGED);
  }
  parentOf(row: number): number {
    return this.ledger.parent[row] ?? Ledger.NO_PARENT;
  }

  /** Yields the rows from `row` up to the root, both included. */
  *upwards(row: number): Generator<number, undefined> {
    for (let at = row; at >= 0; at = this.parentOf(at)) yield at;
  }

  /** Returns the rows from the root to `row`, excluding `end` and its ancestors, or only the last `count` of them. */
  pathTo(row: number, { end = Ledger.NO_ROW, count = Number.POSITIVE_INFINITY } = {}): number[] {
    const rows: number[] = [];
    for (let at = row; at >= 0 && at !== end && rows.length < count; at = this.parentOf(at)) rows.push(at);
    return rows.reverse();
  }

  childrenOf(row: number): readonly number[] {
    this.siblings ??= this.allSiblings();
    return this.siblings.get(row) ?? [];
  }
  /** Path rows without a child. */
  leaves(): number[] {
    return this.pathRows((flags) => (flags & HAS_CHILD) === 0);
  }
  /** Path rows with more than one child. */
  branchPoints(): number[] {
    return this.pathRows((flags) => (flags & HAS_CHILDREN) !== 0);
  }

  private linkPath(row: number): void {
    this.flags[row] = (this.flags[row] as number) | PATH;
    if (this.root === Ledger.NO_ROW) this.root = row;
    const parent = this.pathParentOf(row);
    if (parent < 0) return;
    const flags = this.flags[parent] as number;
    this.flags[parent] = flags | (flags & HAS_CHILD ? HAS_CHILDREN : HAS_CHILD);
    if (this.siblings) append(this.siblings, parent, row);
  }

  /** The nearest path row above a row. An event appended under a rewind thus counts as a child of the rewind's parent. */
  private pathParentOf(row: number): number {
    let at = this.parentOf(row);
    while (at >= 0 && !this.isPath(at)) at = this.parentOf(at);
    return at;
  }

  private allSiblings(): Map<number, number[]> {
    const siblings = new Map<number, number[]>();
    for (const row of this.pathRows(() => true)) append(siblings, this.pathParentOf(row), row);
    return siblings;
  }

  private pathRows(wanted: (flags: number) => boolean): number[] {
    const rows: number[] = [];
    for (let row = 0; row < this.ledger.size; row++)
      if (this.isPath(row) && wanted(this.flags[row] as number)) rows.push(row);
    return rows;
  }

  private is(row: number, flag: number): boolean {
    return row >= 0 && ((this.flags[row] as number) & flag) !== 0;
  }
}

function append(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
