import { firstBytes } from "../shell/output.ts";

/** A page of a sorted list. */
export interface Page<T> {
  items: T[];
  offset: number;
  total: number;
  /** The offset of the next page; absent on the last one. */
  next?: number;
}

/** At most `limit` items from `offset`, which counts from 0. */
export function pageOf<T>(all: readonly T[], offset: number, limit: number): Page<T> {
  const items = all.slice(offset, offset + limit);
  const end = offset + items.length;
  return { items, offset, total: all.length, ...(end < all.length && items.length > 0 && { next: end }) };
}

/** A header such as `[12 files]`, or the range shown and the next offset. */
export function pageHeader({ items, offset, total, next }: Page<unknown>, noun: string): string {
  const nouns = total === 1 ? noun : noun === "match" ? "matches" : `${noun}s`;
  if (total === 0) return `[no ${noun === "match" ? "matches" : `${noun}s`}]`;
  if (items.length === 0) return `[offset ${offset} lies beyond the ${total} ${nouns}]`;
  if (offset === 0 && next === undefined) return `[${total} ${nouns}]`;
  return `[${nouns} ${offset + 1}-${offset + items.length} of ${total}${next === undefined ? "" : `; next offset ${next}`}]`;
}

/** The first items that fit a budget in bytes, at least one. */
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

/** A line of at most `limit` bytes, with a mark if it was cut. */
export function capped(line: string, limit: number): string {
  const part = firstBytes(line, limit);
  return part.length < line.length ? `${part}…` : line;
}
