import { Ledger } from "./ledger.ts";
import type { Registry } from "./registry.ts";
import type { Store } from "./store.ts";
import type { Tree } from "./tree.ts";
import type { StoredEvent } from "./types.ts";

/** So few rows are read sooner than a file is searched for what need not be. */
const FEW = 256;

interface Linking {
  store: Pick<Store, "search">;
  registry: Registry;
  /** A type that cannot say where the leaf goes: it is taken for a path event. */
  onFailure(event: StoredEvent, thrown: unknown): void;
}

/** Which rows from `first` on may contain one of these texts: all of them where reading is cheaper than searching. */
export function rowsWith(
  store: Pick<Store, "search">,
  size: number,
  first: number,
): (text: string, row: number) => boolean {
  const found = new Map<string, Uint8Array>();
  const marked = (text: string) => {
    const marks = new Uint8Array(size - first);
    for (const row of store.search(text, first)) marks[row - first] = 1;
    found.set(text, marks);
    return marks;
  };
  if (size - first <= FEW) return () => true;
  return (text, row) => (found.get(text) ?? marked(text))[row - first] === 1;
}

/** Links the rows that a store held, from `first` on. Only those are read whose type has to be asked where the leaf goes. */
export function linkRows(tree: Tree, first: number, linking: Linking): void {
  const { links, ledger, size } = tree;
  const contains = rowsWith(linking.store, size, first);
  const asked = ledger.types.map((type) => linking.registry.leafReads(type));
  for (let row = first; row < size; row++) {
    const reads = asked[ledger.type[row] as number];
    const ask = typeof reads === "string" ? contains(reads, row) : reads === true;
    links.link(row, ask ? leafAfter(tree, row, linking) : row);
  }
  if (first < size) tree.settle();
}

/** The row of the active leaf after the event of a row. */
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
