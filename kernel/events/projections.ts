import { freeze } from "@scorel/kit/values/freeze";
import type { Failures } from "../calls/failures.ts";
import { errors } from "../errors.ts";
import type { ProjectionImage, Store } from "../store.ts";
import { Ledger } from "../tree/ledger.ts";
import { rowsWith } from "../tree/search.ts";
import type { Tree } from "../tree/tree.ts";
import type { Dispose, ProjectionDefinition, ProjectionRead, StoredEvent } from "../types.ts";

/** Number of events between snapshots of a path projection, so that going back replays few events. */
const SNAPSHOT_EVERY = 64;

/** Maximum size of a stored state, in characters of JSON. Larger states are computed again at the next opening. */
const MAX_STORED_STATE = 2 ** 20;

interface Row {
  plugin: string;
  version: string;
  name: string;
  definition: ProjectionDefinition;
  /** The event types that the projection reads, or undefined for all. */
  types: ReadonlySet<string> | undefined;
  state: unknown;
  /** Projection over `log`: the number of rows applied. Over `path`: the row that the state belongs to. */
  at: number;
  sinceSnapshot: number;
  /** Whether one of its functions threw. The state is then unknown, and the projection is not called again. */
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
 * State computed from the log's events. Projections over `log` advance with each event, and those over `path` follow the
 * active leaf. Events that were in the log before are applied when the state is first read.
 */
export class Projections {
  /** Number of rows replayed because no stored state covered them. */
  replayed = 0;
  private readonly rows = new Map<string, Row>();
  private readonly options: ProjectionsOptions;

  constructor(options: ProjectionsOptions) {
    this.options = options;
  }

  get names(): string[] {
    return [...this.rows.keys()];
  }

  /** Adds a plugin's projection and returns a function that removes it. Throws PROJECTION_DUPLICATE if its name is already taken. */
  add({ id, version }: { id: string; version: string }, name: string, definition: ProjectionDefinition): Dispose {
    const owner = this.ownerOf(name);
    if (owner !== undefined) throw errors.PROJECTION_DUPLICATE({ projection: name, plugin: id, owner });
    const at = definition.over === "log" ? 0 : Ledger.NO_ROW;
    const state = synchronousState(name, definition.init());
    const initial = { state, at, sinceSnapshot: 0, failed: false, snapshots: new Map() };
    const row: Row = { plugin: id, version, name, definition, types: typesOf(definition), ...initial };
    this.rows.set(name, row);
    return () => void this.rows.delete(name);
  }

  /** The current states, to be stored beside the log. */
  image(): ProjectionImage[] {
    const rows = [...this.rows.values()].filter(({ failed, at }) => !failed && at > 0);
    return rows.flatMap(({ plugin, version, name, definition: { over }, at, state }) =>
      (JSON.stringify(state) ?? "").length > MAX_STORED_STATE ? [] : { plugin, version, name, over, at, state },
    );
  }

  /** Restores stored states that the same version of the same plugin computed. */
  restore(images: readonly ProjectionImage[]): void {
    for (const { plugin, version, name, over, at, state } of images) {
      const row = this.rows.get(name);
      if (row?.plugin !== plugin || row.version !== version || row.definition.over !== over) continue;
      row.at = at;
      row.state = freeze(state);
    }
  }

  /** Applies an event that was just added to the tree at row `at`, except to projections that have not applied all earlier events. */
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

  /** Returns the current state. Throws PROJECTION_UNKNOWN, or PROJECTION_FAILED if one of the projection's functions threw. */
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

  private ownerOf(name: string): string | undefined {
    return this.rows.get(name)?.plugin ?? this.options.parent?.ownerOf(name);
  }

  private catchUp(row: Row): void {
    const { size } = this.options.tree;
    if (row.at === size) return;
    this.replayed += size - row.at;
    const reads = this.readsOf(row, row.at);
    for (let at = row.at; at < size; at++) if (reads(at)) this.take(row, at);
    row.at = size;
  }

  /** Brings a path projection to the active leaf, from its current state or the nearest snapshot above the leaf. */
  private follow(row: Row): void {
    const { links } = this.options.tree;
    if (row.at === links.leaf) return;
    const path: number[] = [];
    let known = links.leaf;
    for (; known !== Ledger.NO_ROW && known !== row.at && !row.snapshots.has(known); known = links.parentOf(known))
      path.push(known);
    if (known !== row.at) row.state = known === Ledger.NO_ROW ? row.definition.init() : row.snapshots.get(known);
    row.at = known;
    this.replayed += path.length;
    const reads = this.readsOf(row, path.at(-1) ?? 0);
    for (const at of path.reverse()) {
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

  /** Returns a function that tells whether a row, from `first` on, can change the projection. */
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

  /** Applies one event. A projection that throws is reported once and switched off, and the writer continues. */
  private update(row: Row, event: StoredEvent): void {
    if (row.failed) return;
    try {
      row.state = synchronousState(row.name, row.definition.update(row.state, event));
    } catch (thrown) {
      row.failed = true;
      this.options.failures.report(row.plugin, `projection ${row.name}`, thrown);
    }
  }
}

/** Throws if a state is a promise, because the next event is applied to it synchronously. */
function synchronousState(projection: string, state: unknown): unknown {
  if (state instanceof Promise) throw errors.PROJECTION_ASYNC({ projection });
  return state;
}

function typesOf({ reads }: ProjectionDefinition): Set<string> | undefined {
  return reads && new Set(reads.map((read) => (typeof read === "string" ? read : read.type)));
}

/** The texts that select the events of a type; true if the projection reads all of them, undefined if it reads none. */
function textsOf(reads: readonly ProjectionRead[], type: string): true | string[] | undefined {
  if (reads.includes(type)) return true;
  const texts = reads.flatMap((read) => (typeof read === "object" && read.type === type ? read.containing : []));
  return texts.length > 0 ? texts : undefined;
}
