/** Milliseconds that a list is kept after a page of it was last requested. */
const KEPT_MS = 30_000;
/** The most lists that are kept; the oldest ones are dropped first. */
const MOST_LISTS = 8;

/**
 * Caches lists that clients read page by page, so that a list is computed once and its pages are consistent. A request
 * for the first page computes the list anew.
 */
export class KeptLists {
  private readonly lists = new Map<string, { list: Promise<unknown>; forget: NodeJS.Timeout }>();

  /** The list for a page that starts after `skip` items. `key` identifies the kind of list and its reader. */
  of<T>(key: string, skip: number, make: () => Promise<T>): Promise<T> {
    const kept = this.lists.get(key);
    if (skip > 0 && kept) {
      kept.forget.refresh();
      return kept.list as Promise<T>;
    }
    this.forget(key);
    const list = make();
    const forget = setTimeout(() => this.forget(key), KEPT_MS).unref();
    this.lists.set(key, { list, forget });
    for (const oldest of [...this.lists.keys()].slice(0, -MOST_LISTS)) this.forget(oldest);
    list.catch(() => {
      if (this.lists.get(key)?.list === list) this.forget(key);
    });
    return list;
  }

  /** Drops all lists. */
  clear(): void {
    for (const key of [...this.lists.keys()]) this.forget(key);
  }

  private forget(key: string): void {
    clearTimeout(this.lists.get(key)?.forget);
    this.lists.delete(key);
  }
}
