import type { Store } from "../store.ts";
import type { EventId, StoredEvent } from "../types.ts";

/** Returns the rows whose records contain a text, or undefined if the log cannot be searched. */
export type RowSearch = (text: string) => readonly number[] | undefined;

/** Number of last events that are always read, because the searched file may not contain them yet. */
const UNSEARCHED = 64;

/** Up to this number of rows, reading them all is faster than searching the file. */
const FEW = 256;

interface Rows {
  size: number;
  read(row: number): StoredEvent | undefined;
}

/** Returns the ids that begin with `prefix`, in seq order. Reads only the records that may have such an id, if the log can be searched. */
export function idsStartingWith(tree: Rows, prefix: string, search?: RowSearch): EventId[] {
  const isPlain = /^[\w-]+$/.test(prefix);
  const rows = new Set((isPlain ? search?.(`"id":"${prefix}`) : undefined) ?? rowsBetween(0, tree.size));
  for (const row of rowsBetween(Math.max(0, tree.size - UNSEARCHED), tree.size)) rows.add(row);
  return [...rows]
    .sort((a, b) => a - b)
    .flatMap((row) => {
      const id = tree.read(row)?.id;
      return id?.startsWith(prefix) ? [id] : [];
    });
}

/** Returns a function that tells whether a row, from `first` on, may contain a text. If reading is faster than searching, every row may. */
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

function* rowsBetween(first: number, end: number): Generator<number, undefined> {
  for (let row = first; row < end; row++) yield row;
}
