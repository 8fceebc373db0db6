import { errors } from "./errors.ts";
import { NO_ROW } from "./ledger.ts";
import { rowsWith } from "./relink.ts";
import type { Store } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { Dispose, ProjectionDefinition, ProjectionRead, StoredEvent } from "./types.ts";

/** Path states are remembered at every such step, so that going back replays little. */
const SNAPSHOT_EVERY = 64;

interface Row {
  plugin: string;
  name: string;
  definition: ProjectionDefinition;
  state: unknown;
  /** How many rows a `log` projection has taken in; the row at which the state of a `path` one is. */
  at: number;
  sinceSnapshot: number;
  /** It threw: its state is unknown from then on, and it is asked no more. */
  failed: boolean;
  snapshots: Map<number, unknown>;
}

/**
 * State folded from the log: `log` projections advance with each event, `path` ones follow the leaf. What was in the log
 * before is taken in when the state is first asked for.
 */
export class Projections {
  private readonly rows = new Map<string, Row>();
  private readonly tree: Tree;
  private readonly store: Pick<Store, "search">;
  private readonly report: (plugin: string, where: string, thrown: unknown) => void;
  private readonly parent: Projections | undefined;

  constructor(
    tree: Tree,
    store: Pick<Store, "search">,
    report: (plugin: string, where: string, thrown: unknown) => void,
    parent?: Projections,
  ) {
    this.tree = tree;
    this.store = store;
    this.report = report;
    this.parent = parent;
  }

  get names(): string[] {
    return [...this.rows.keys()];
  }

  add(plugin: string, name: string, definition: ProjectionDefinition): Dispose {
    const at = definition.over === "log" ? 0 : NO_ROW;
    const state = definition.init();
    const row: Row = { plugin, name, definition, state, at, sinceSnapshot: 0, failed: false, snapshots: new Map() };
    this.rows.set(name, row);
    return () => void this.rows.delete(name);
  }

  /** Takes in the event of a row that was just added to the tree, unless older ones wait to be taken in before it. */
  advance(event: StoredEvent, at: number): void {
    for (const row of this.rows.values()) {
      if (row.definition.over === "log") {
        if (row.at !== at) continue;
        this.update(row, event);
        row.at = at + 1;
      } else if (this.tree.isPathRow(at) && this.tree.parentRow(at) === row.at) {
        this.update(row, event);
        this.moveTo(row, at);
      }
    }
  }

  /** The state now; throws PROJECTION_UNKNOWN, and PROJECTION_FAILED when its plugin's function threw. */
  get(name: string): unknown {
    const row = this.rows.get(name);
    if (!row) {
      if (this.parent) return this.parent.get(name);
      throw errors.PROJECTION_UNKNOWN({ projection: name });
    }
    if (row.definition.over === "path") this.follow(row);
    else this.catchUp(row);
    if (row.failed) throw errors.PROJECTION_FAILED({ projection: name, plugin: row.plugin });
    return row.state;
  }

  private catchUp(row: Row): void {
    const { size } = this.tree;
    if (row.at === size) return;
    const reads = this.readsOf(row, row.at);
    for (let at = row.at; at < size; at++) if (reads(at)) this.take(row, at);
    row.at = size;
  }

  /** Replays from the nearest remembered state above the active leaf. */
  private follow(row: Row): void {
    const { tree } = this;
    if (row.at === tree.activeRow) return;
    const way: number[] = [];
    let known = tree.activeRow;
    for (; known !== NO_ROW && known !== row.at && !row.snapshots.has(known); known = tree.parentRow(known))
      way.push(known);
    if (known !== row.at) row.state = known === NO_ROW ? row.definition.init() : row.snapshots.get(known);
    row.at = known;
    const reads = this.readsOf(row, way.at(-1) ?? 0);
    for (const at of way.reverse()) {
      if (reads(at)) this.take(row, at);
      this.moveTo(row, at);
    }
  }

  private moveTo(row: Row, at: number): void {
    row.at = at;
    if (++row.sinceSnapshot < SNAPSHOT_EVERY || row.failed) return;
    row.sinceSnapshot = 0;
    row.snapshots.set(at, row.state);
  }

  private take(row: Row, at: number): void {
    const event = this.tree.read(at);
    if (event) this.update(row, event);
  }

  /** Which rows from `first` on can change a projection. */
  private readsOf({ definition }: Row, first: number): (row: number) => boolean {
    const { reads } = definition;
    if (!reads) return () => true;
    const { ledger, size } = this.tree;
    const contains = rowsWith(this.store, size, first);
    const byType = ledger.types.map((type) => textsOf(reads, type));
    return (row) => {
      const texts = byType[ledger.type[row] as number];
      return texts === true || (texts?.some((text) => contains(text, row)) ?? false);
    };
  }

  /** A projection may not harm the writer: one that throws is named once and switched off. */
  private update(row: Row, event: StoredEvent): void {
    if (row.failed) return;
    try {
      row.state = row.definition.update(row.state, event);
    } catch (thrown) {
      row.failed = true;
      this.report(row.plugin, `projection ${row.name}`, thrown);
    }
  }
}

/** The texts that mark the events of a type; true when all of them count, undefined when none does. */
function textsOf(reads: readonly ProjectionRead[], type: string): true | string[] | undefined {
  if (reads.includes(type)) return true;
  const texts = reads.flatMap((read) => (typeof read === "object" && read.type === type ? read.containing : []));
  return texts.length > 0 ? texts : undefined;
}
