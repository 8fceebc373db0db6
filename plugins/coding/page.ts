import { firstBytes } from "./output.ts";

/** A stretch of a sorted list. */
export interface Page<T> {
  items: T[];
  offset: number;
  total: number;
  /** Where to go on; absent on the last page. */
  next?: number;
}

/** Items from `offset` (0-based), at most `limit`. */
export function pageOf<T>(all: readonly T[], offset: number, limit: number): Page<T> {
  const items = all.slice(offset, offset + limit);
  const end = offset + items.length;
  return { items, offset, total: all.length, ...(end < all.length && items.length > 0 && { next: end }) };
}

/** `[12 files]`, or which of them are shown and where to go on. */
export function pageHeader({ items, offset, total, next }: Page<unknown>, noun: string): string {
  const nouns = total === 1 ? noun : noun === "match" ? "matches" : `${noun}s`;
  if (total === 0) return `[no ${noun === "match" ? "matches" : `${noun}s`}]`;
  if (items.length === 0) return `[offset ${offset} lies beyond the ${total} ${nouns}]`;
  if (offset === 0 && next === undefined) return `[${total} ${nouns}]`;
  return `[${nouns} ${offset + 1}-${offset + items.length} of ${total}${next === undefined ? "" : `; next offset ${next}`}]`;
}

/** The first items whose lines fit into a budget of bytes, at least one. */
export function fitting<T>(page: Page<T>, budget: number, lineOf: (item: T) => string): Page<T> {
  let left = budget;
  let count = 0;
  for (const item of page.items) {
    left -= Buffer.byteLength(lineOf(item)) + 1;
    if (left < 0 && count > 0) break;
    count++;
  }
  if (count === page.items.length) return page;
  return { ...page, items: page.items.slice(0, count), next: page.offset + count };
}

/** A line of at most `limit` bytes, marked when it was cut. */
export function capped(line: string, limit: number): string {
  const part = firstBytes(line, limit);
  return part.length < line.length ? `${part}…` : line;
}
