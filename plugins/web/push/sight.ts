/** Milliseconds for which a page counts as visible after it has said so. It may have been killed since. */
export const SIGHT_MS = 60_000;

interface Page {
  subscription: string;
  limit: NodeJS.Timeout;
  /** Sessions with something new about which the browser got no push, because this page is visible. */
  heldBack: Set<string>;
}

/** The visible pages. A browser with a visible page needs no push, unless that page turns out to have been killed. */
export class Sight {
  private readonly pages = new Map<string, Page>();
  private readonly missed: (subscription: string) => void;

  /** `missed` is called with a subscription when a page has been killed while pushes to its browser were held back. */
  constructor(missed: (subscription: string) => void) {
    this.missed = missed;
  }

  /** Notes that a page is visible. `name` identifies the page. */
  come(name: string, subscription: string): void {
    // Everything that was new before has been seen now.
    this.leave(name);
    const limit = setTimeout(() => this.end(name), SIGHT_MS).unref();
    this.pages.set(name, { subscription, limit, heldBack: new Set() });
  }

  /** Notes that a page is no longer visible. Everything that was held back has been seen there. */
  leave(name: string): void {
    clearTimeout(this.pages.get(name)?.limit);
    this.pages.delete(name);
  }

  /** Whether a page of this browser is visible. If so, holds back pushes about these sessions. */
  holdBack(subscription: string, sessions: Iterable<string>): boolean {
    const seeing = [...this.pages.values()].filter((page) => page.subscription === subscription);
    for (const session of sessions) for (const { heldBack } of seeing) heldBack.add(session);
    return seeing.length > 0;
  }

  /** Notes that there is nothing new in a session any more. */
  forget(session: string): void {
    for (const { heldBack } of this.pages.values()) heldBack.delete(session);
  }

  clear(): void {
    for (const name of [...this.pages.keys()]) this.leave(name);
  }

  private end(name: string): void {
    const page = this.pages.get(name);
    this.leave(name);
    if (page && page.heldBack.size > 0) this.missed(page.subscription);
  }
}
