import type { EventId, StoredEvent } from "./types.ts";

/** The rows whose records contain a text; undefined where only reading them can tell. */
export type RowSearch = (text: string) => readonly number[] | undefined;

/** The events that were appended last may not be in the file that is searched yet. */
const UNSEARCHED = 64;

interface Rows {
  size: number;
  read(row: number): StoredEvent | undefined;
}

/** The ids that begin with `prefix`, in seq order. Of a long log only the records are read that may bear one. */
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

function* rowsBetween(first: number, end: number): Generator<number, undefined> {
  for (let row = first; row < end; row++) yield row;
}
