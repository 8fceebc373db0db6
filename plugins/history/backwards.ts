import type { StoredEvent, TreeView } from "@scorel/kernel";

/** More at once would crowd what was read last out of the processor's cache. */
const WIDEST = 512;

/** Events from the latest (of those before `end`, a seq) to the first, read in windows, so that the end of a large log is all that is read of it. */
export function* backwards(tree: TreeView, end = Number.POSITIVE_INFINITY): Generator<StoredEvent> {
  let to = Math.min(tree.last?.seq ?? 0, end - 1);
  for (let width = 64; to > 0; width = Math.min(width * 2, WIDEST)) {
    const from = Math.max(1, to - width + 1);
    yield* tree.between(from, to).reverse();
    to = from - 1;
  }
}
