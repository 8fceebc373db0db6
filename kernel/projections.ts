import { freeze } from "@scorel/kit/values/freeze";
import { errors } from "./errors.ts";
import type { Failures } from "./failures.ts";
import { Ledger } from "./ledger.ts";
import { rowsWith } from "./relink.ts";
import type { ProjectionImage, Store } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { Dispose, ProjectionDefinition, ProjectionRead, StoredEvent } from "./types.ts";

/** The state of a path projection is remembered after every 64 events, so that going back replays little. */
const SNAPSHOT_EVERY = 64;

/** In characters of JSON: a larger state is not stored beside the log, but folded again. */
const KEPT_STATE = 2 ** 20;

interface Row {
  plugin: string;
  version: string;
  name: string;
  definition: ProjectionDefinition;
  /** The event types it reads; undefined means all. */
  types: ReadonlySet<string> | undefined;
  state: unknown;
  /** How many rows a `log` projection has taken in; the row at which the state of a `path` one is. */
  at: number;
  sinceSnapshot: number;
  /** A function of it threw, so its state is unknown and it is not called again. */
  failed: boolean;
  snapshots: Map<number, unknown>;
}

interface ProjectionsOptions {
  tree: Tree;
  store: Pick<Store, "search">;
  failures: Failures;
  parent: Projections | undefined;
}

/**
 * State folded from the log: `log` projections advance with each event, `path` ones follow the leaf. What was in the log
 * before is taken in when the state is first asked for.
 */
export class Projections {
  /** Rows that had to be gone through because no state was kept behind them. */
  replayed = 0;
  private readonly rows = new Map<string, Row>();
  private readonly options: ProjectionsOptions;

  constructor(options: ProjectionsOptions) {
    this.options = options;
  }

  get names(): string[] {
    return [...this.rows.keys()];
  }

  add({ id, version }: { id: string; version: string }, name: string, definition: ProjectionDefinition): Dispose {
    const at = definition.over === "log" ? 0 : Ledger.NO_ROW;
    const state = settledState(name, definition.init());
    const begun = { state, at, sinceSnapshot: 0, failed: false, snapshots: new Map() };
    const row: Row = { plugin: id, version, name, definition, types: typesOf(definition), ...begun };
    this.rows.set(name, row);
    return () => void this.rows.delete(name);
  }

  /** The states as they are now, to be kept beside the log. */
  image(): ProjectionImage[] {
    const rows = [...this.rows.values()].filter(({ failed, at }) => !failed && at > 0);
    return rows.flatMap(({ plugin, version, name, definition: { over }, at, state }) =>
      (JSON.stringify(state) ?? "").length > KEPT_STATE ? [] : { plugin, version, name, over, at, state },
    );
  }

  /** Goes on from states that were kept, where the same version of the same plugin made them. */
  restore(images: readonly ProjectionImage[]): void {
    for (const { plugin, version, name, over, at, state } of images) {
      const row = this.rows.get(name);
      if (row?.plugin !== plugin || row.version !== version || row.definition.over !== over) continue;
      row.at = at;
      row.state = freeze(state);
    }
  }

  /** Takes in the event of a row that was just added to the tree, unless older ones wait to be taken in before it. */
  advance(event: StoredEvent, at: number): void {
    for (const row of this.rows.values()) {
      const isLog = row.definition.over === "log";
      const isNext = isLog
        ? row.at === at
        : this.options.tree.links.isPath(at) && this.options.tree.links.parentOf(at) === row.at;
      if (!isNext) continue;
      if (row.types?.has(event.type) ?? true) this.update(row, event);
      if (isLog) row.at = at + 1;
      else this.moveTo(row, at);
    }
  }

  /** The state now; throws PROJECTION_UNKNOWN, and PROJECTION_FAILED when its plugin's function threw. */
  get(name: string): unknown {
    const row = this.rows.get(name);
    if (!row) {
      if (this.options.parent) return this.options.parent.get(name);
      throw errors.PROJECTION_UNKNOWN({ projection: name });
    }
    if (row.definition.over === "path") this.follow(row);
    else this.catchUp(row);
    if (row.failed) throw errors.PROJECTION_FAILED({ projection: name, plugin: row.plugin });
    return row.state;
  }

  private catchUp(row: Row): void {
    const { size } = this.options.tree;
    if (row.at === size) return;
    this.replayed += size - row.at;
    const reads = this.readsOf(row, row.at);
    for (let at = row.at; at < size; at++) if (reads(at)) this.take(row, at);
    row.at = size;
  }

  /** Replays from the nearest remembered state above the active leaf. */
  private follow(row: Row): void {
    const { links } = this.options.tree;
    if (row.at === links.leaf) return;
    const way: number[] = [];
    let known = links.leaf;
    for (; known !== Ledger.NO_ROW && known !== row.at && !row.snapshots.has(known); known = links.parentOf(known))
      way.push(known);
    if (known !== row.at) row.state = known === Ledger.NO_ROW ? row.definition.init() : row.snapshots.get(known);
    row.at = known;
    this.replayed += way.length;
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
    const event = this.options.tree.read(at);
    if (event) this.update(row, event);
  }

  /** Which rows from `first` on can change a projection. */
  private readsOf({ definition }: Row, first: number): (row: number) => boolean {
    const { reads } = definition;
    if (!reads) return () => true;
    const { ledger, size } = this.options.tree;
    const contains = rowsWith(this.options.store, size, first);
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
      row.state = settledState(row.name, row.definition.update(row.state, event));
    } catch (thrown) {
      row.failed = true;
      this.options.failures.report(row.plugin, `projection ${row.name}`, thrown);
    }
  }
}

/** The next event is folded into it at once, so it cannot be a promise. */
function settledState(projection: string, state: unknown): unknown {
  if (state instanceof Promise) throw errors.PROJECTION_ASYNC({ projection });
  return state;
}

function typesOf({ reads }: ProjectionDefinition): Set<string> | undefined {
  return reads && new Set(reads.map((read) => (typeof read === "string" ? read : read.type)));
}

/** The texts that mark the events of a type; true when all of them count, undefined when none does. */
function textsOf(reads: readonly ProjectionRead[], type: string): true | string[] | undefined {
  if (reads.includes(type)) return true;
  const texts = reads.flatMap((read) => (typeof read === "object" && read.type === type ? read.containing : []));
  return texts.length > 0 ? texts : undefined;
}
