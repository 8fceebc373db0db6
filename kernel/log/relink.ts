import type { Registry } from "../events/registry.ts";
import type { Store } from "../store.ts";
import { Ledger } from "../tree/ledger.ts";
import { rowsWith } from "../tree/search.ts";
import type { Tree } from "../tree/tree.ts";
import type { StoredEvent } from "../types.ts";

interface Linking {
  store: Pick<Store, "search">;
  registry: Registry;
  /** Called when a type's `leaf` throws. The event is then taken as a path event. */
  onFailure(event: StoredEvent, thrown: unknown): void;
}

/** Links the stored rows from `first` on. Reads only the records for which `leaf` has to be called. */
export function linkRows(tree: Tree, first: number, linking: Linking): void {
  const { links, ledger, size } = tree;
  const contains = rowsWith(linking.store, size, first);
  const leafReads = ledger.types.map((type) => linking.registry.leafReads(type));
  for (let row = first; row < size; row++) {
    const reads = leafReads[ledger.type[row] as number];
    const mayMove = typeof reads === "string" ? contains(reads, row) : reads === true;
    links.link(row, mayMove ? leafAfter(tree, row, linking) : row);
  }
  if (first < size) tree.readLeaf();
}

/** Returns the row of the active leaf after the event of `row`. */
function leafAfter(tree: Tree, row: number, { registry, onFailure }: Linking): number {
  const event = tree.read(row);
  if (!event) return row;
  const before = tree.links.leaf;
  try {
    const current = tree.read(before)?.id ?? null;
    const leaf = registry.leafAfter(event, current);
    if (leaf === event.id) return row;
    if (leaf === null) return Ledger.NO_ROW;
    if (leaf === current) return before;
    const target = tree.ledger.rowOf(leaf);
    if (target === Ledger.NO_ROW) tree.lostJumps++;
    return target === Ledger.NO_ROW || target > row ? before : target;
  } catch (thrown) {
    onFailure(event, thrown);
    return row;
  }
}
