import { errors } from "./errors.ts";
import type { Tree } from "./tree.ts";
import type { Dispose, EventId, ProjectionDefinition, StoredEvent } from "./types.ts";

/** Path states are remembered at every such step, so that going back replays little. */
const SNAPSHOT_EVERY = 64;

interface Row {
  plugin: string;
  name: string;
  definition: ProjectionDefinition;
  /** State of a `log` projection; of a `path` one, the state at `leaf`. */
  state: unknown;
  leaf: EventId | null;
  sinceSnapshot: number;
  /** It threw: its state is unknown from then on, and it is asked no more. */
  failed: boolean;
  snapshots: Map<EventId, unknown>;
}

/** State folded from the log: `log` projections advance with each event, `path` ones follow the leaf. */
export class Projections {
  private readonly rows = new Map<string, Row>();
  private readonly tree: Tree;
  private readonly report: (plugin: string, where: string, thrown: unknown) => void;
  private readonly parent: Projections | undefined;

  constructor(tree: Tree, report: (plugin: string, where: string, thrown: unknown) => void, parent?: Projections) {
    this.tree = tree;
    this.report = report;
    this.parent = parent;
  }

  get names(): string[] {
    return [...this.rows.keys()];
  }

  add(plugin: string, name: string, definition: ProjectionDefinition): Dispose {
    const row: Row = {
      plugin,
      name,
      failed: false,
      definition,
      state: definition.init(),
      leaf: null,
      sinceSnapshot: 0,
      snapshots: new Map(),
    };
    if (definition.over === "log") for (const event of this.tree) this.update(row, event);
    this.rows.set(name, row);
    return () => void this.rows.delete(name);
  }

  /** Takes in an event that is in the tree already. */
  advance(event: StoredEvent): void {
    for (const row of this.rows.values()) {
      if (row.definition.over === "log") this.update(row, event);
      else if (event.parentId === row.leaf && this.tree.activeLeaf === event.id) this.step(row, event);
    }
  }

  /** The state now; throws PROJECTION_UNKNOWN, and PROJECTION_FAILED when its plugin's function threw. */
  get(name: string): unknown {
    const row = this.rows.get(name);
    if (!row) {
      if (this.parent) return this.parent.get(name);
      throw errors.PROJECTION_UNKNOWN({ projection: name });
    }
    if (row.definition.over === "path" && row.leaf !== this.tree.activeLeaf) this.follow(row);
    if (row.failed) throw errors.PROJECTION_FAILED({ projection: name, plugin: row.plugin });
    return row.state;
  }

  /** Replays from the nearest remembered state above the active leaf. */
  private follow(row: Row): void {
    const path = this.tree.activeLeaf === null ? [] : this.tree.path(this.tree.activeLeaf);
    let from = path.length;
    while (from > 0 && !this.isKnown(row, (path[from - 1] as StoredEvent).id)) from--;
    const start = from > 0 ? (path[from - 1] as StoredEvent).id : null;
    row.state = start === null ? row.definition.init() : start === row.leaf ? row.state : row.snapshots.get(start);
    row.leaf = start;
    for (const event of path.slice(from)) this.step(row, event);
    row.leaf = this.tree.activeLeaf;
  }

  private isKnown(row: Row, id: EventId): boolean {
    return row.leaf === id || row.snapshots.has(id);
  }

  private step(row: Row, event: StoredEvent): void {
    this.update(row, event);
    row.leaf = event.id;
    if (++row.sinceSnapshot < SNAPSHOT_EVERY || row.failed) return;
    row.sinceSnapshot = 0;
    row.snapshots.set(event.id, row.state);
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
