import type { StoredEvent, TreeView } from "@scorel/kernel";

/** Maximum events per read; larger windows would evict recent data from the CPU cache. */
const WIDEST = 512;

/**
 * Yields events from the latest (before seq `end`) to the first. Reads in windows, so that only the needed end of a
 * large log is read.
 */
export function* newestFirst(tree: TreeView, end = Number.POSITIVE_INFINITY): Generator<StoredEvent> {
  let to = Math.min(tree.last?.seq ?? 0, end - 1);
  for (let width = 64; to > 0; width = Math.min(width * 2, WIDEST)) {
    const from = Math.max(1, to - width + 1);
    yield* tree.between(from, to).reverse();
    to = from - 1;
  }
}
