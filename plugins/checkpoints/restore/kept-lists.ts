/** Milliseconds for which a list is kept after the last page of it that was asked for. */
const KEPT_MS = 30_000;
/** Lists that are kept at a time; of more, those that were made first are forgotten. */
const MOST_LISTS = 8;

/**
 * Keeps the list of which somebody reads page after page, so that it is made once, and so that its pages fit together. A request for the
 * first page makes it anew.
 */
export class KeptLists {
  private readonly lists = new Map<string, { list: Promise<unknown>; forget: NodeJS.Timeout }>();

  /** The list for a page that leaves out `skip` items. `key` says whose list of what it is. */
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

  /** Forgets all lists. */
  clear(): void {
    for (const key of [...this.lists.keys()]) this.forget(key);
  }

  private forget(key: string): void {
    clearTimeout(this.lists.get(key)?.forget);
    this.lists.delete(key);
  }
}
