import { freeze } from "@scorel/kit/values/freeze";
import type { Failures } from "../calls/failures.ts";
import { errors } from "../errors.ts";
import type { ProjectionImage, Store } from "../store.ts";
import { Ledger } from "../tree/ledger.ts";
import { rowsWith } from "../tree/search.ts";
import type { Tree } from "../tree/tree.ts";
import type { Dispose, ProjectionDefinition, ProjectionRead, StoredEvent } from "../types.ts";
import { Snapshots } from "./snapshots.ts";

/** Maximum size of a stored state, in characters of JSON. Larger states are computed again at the next opening. */
const MAX_STORED_STATE = 2 ** 20;

/** A projection of a plugin, with its present state. */
interface Registered {
  plugin: string;
  version: string;
  name: string;
  definition: ProjectionDefinition;
  /** The event types that the projection reads, or undefined for all. */
  types: ReadonlySet<string> | undefined;
  state: unknown;
  /** Projection over `log`: the number of rows applied. Over `path`: the row that the state belongs to. */
  at: number;
  /** Whether one of its functions threw. The state is then unknown, and the projection is not called again. */
  failed: boolean;
  snapshots: Snapshots;
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
  private readonly registered = new Map<string, Registered>();
  private readonly options: ProjectionsOptions;

  constructor(options: ProjectionsOptions) {
    this.options = options;
  }

  get names(): string[] {
    return [...this.registered.keys()];
  }

  /** Adds a plugin's projection and returns a function that removes it. Throws PROJECTION_DUPLICATE if its name is already taken. */
  add({ id, version }: { id: string; version: string }, name: string, definition: ProjectionDefinition): Dispose {
    const owner = this.ownerOf(name);
    if (owner !== undefined) throw errors.PROJECTION_DUPLICATE({ projection: name, plugin: id, owner });
    const at = definition.over === "log" ? 0 : Ledger.NO_ROW;
    const state = synchronousState(name, definition.init());
    const initial = { state, at, failed: false, snapshots: new Snapshots() };
    const projection: Registered = { plugin: id, version, name, definition, types: typesOf(definition), ...initial };
    this.registered.set(name, projection);
    return () => void this.registered.delete(name);
  }

  /** The current states, to be stored beside the log. */
  image(): ProjectionImage[] {
    const kept = [...this.registered.values()].filter(({ failed, at }) => !failed && at > 0);
    return kept.flatMap(({ plugin, version, name, definition: { over }, at, state }) =>
      (JSON.stringify(state) ?? "").length > MAX_STORED_STATE ? [] : { plugin, version, name, over, at, state },
    );
  }

  /** Restores stored states that the same version of the same plugin computed. */
  restore(images: readonly ProjectionImage[]): void {
    for (const { plugin, version, name, over, at, state } of images) {
      const projection = this.registered.get(name);
      if (projection?.plugin !== plugin || projection.version !== version || projection.definition.over !== over)
        continue;
      projection.at = at;
      projection.state = freeze(state);
    }
  }

  /** Applies an event that was just added to the tree at `row`, except to projections that have not applied all earlier events. */
  advance(event: StoredEvent, row: number): void {
    for (const projection of this.registered.values()) {
      const isLog = projection.definition.over === "log";
      const isNext = isLog
        ? projection.at === row
        : this.options.tree.links.isPath(row) && this.options.tree.links.parentOf(row) === projection.at;
      if (!isNext) continue;
      if (projection.types?.has(event.type) ?? true) this.update(projection, event);
      if (isLog) projection.at = row + 1;
      else this.moveTo(projection, row);
    }
  }

  /** Returns the current state. Throws PROJECTION_UNKNOWN, or PROJECTION_FAILED if one of the projection's functions threw. */
  get(name: string): unknown {
    const projection = this.registered.get(name);
    if (!projection) {
      if (this.options.parent) return this.options.parent.get(name);
      throw errors.PROJECTION_UNKNOWN({ projection: name });
    }
    if (projection.definition.over === "path") this.follow(projection);
    else this.catchUp(projection);
    if (projection.failed) throw errors.PROJECTION_FAILED({ projection: name, plugin: projection.plugin });
    return projection.state;
  }

  private ownerOf(name: string): string | undefined {
    return this.registered.get(name)?.plugin ?? this.options.parent?.ownerOf(name);
  }

  private catchUp(projection: Registered): void {
    const { size } = this.options.tree;
    if (projection.at === size) return;
    this.replayed += size - projection.at;
    const reads = this.readsOf(projection, projection.at);
    for (let row = projection.at; row < size; row++) if (reads(row)) this.take(projection, row);
    projection.at = size;
  }

  /** Brings a path projection to the active leaf, from its current state or the nearest snapshot above the leaf. */
  private follow(projection: Registered): void {
    const { links } = this.options.tree;
    if (projection.at === links.leaf) return;
    const isKnown = (row: number) => row === Ledger.NO_ROW || row === projection.at || projection.snapshots.has(row);
    const path: number[] = [];
    let known = links.leaf;
    for (; !isKnown(known); known = links.parentOf(known)) path.push(known);
    if (known !== projection.at)
      projection.state = known === Ledger.NO_ROW ? projection.definition.init() : projection.snapshots.get(known);
    projection.at = known;
    this.replayed += path.length;
    const reads = this.readsOf(projection, path.at(-1) ?? 0);
    for (const row of path.reverse()) {
      if (reads(row)) this.take(projection, row);
      this.moveTo(projection, row);
    }
  }

  private moveTo(projection: Registered, row: number): void {
    projection.at = row;
    if (!projection.failed) projection.snapshots.passed(row, projection.state);
  }

  private take(projection: Registered, row: number): void {
    const event = this.options.tree.read(row);
    if (event) this.update(projection, event);
  }

  /** Returns a function that tells whether a row, from `first` on, can change the projection. */
  private readsOf({ definition }: Registered, first: number): (row: number) => boolean {
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
  private update(projection: Registered, event: StoredEvent): void {
    if (projection.failed) return;
    try {
      projection.state = synchronousState(projection.name, projection.definition.update(projection.state, event));
    } catch (thrown) {
      projection.failed = true;
      this.options.failures.report(projection.plugin, `projection ${projection.name}`, thrown);
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
