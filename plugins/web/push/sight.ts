/** How long a page that said it is in sight counts as such without saying so again, in milliseconds. It may have been killed. */
export const SIGHT_MS = 60_000;

interface Page {
  subscription: string;
  limit: NodeJS.Timeout;
  /** Sessions with something new, of which the browser was not told because this page is in sight. */
  spared: Set<string>;
}

/** Which pages are in sight. A browser whose page is needs no push, unless the page turns out to have ended without a word. */
export class Sight {
  private readonly pages = new Map<string, Page>();
  private readonly missed: (subscription: string) => void;

  /** `missed` is called when a page has ended without a word while something new was kept from its browser. */
  constructor(missed: (subscription: string) => void) {
    this.missed = missed;
  }

  /** Takes that a page, which `name` stands for, is in sight. */
  come(name: string, subscription: string): void {
    // Whoever looks has seen what came before.
    this.leave(name);
    const limit = setTimeout(() => this.end(name), SIGHT_MS).unref();
    this.pages.set(name, { subscription, limit, spared: new Set() });
  }

  /** Takes that a page is not in sight any more. What is open was seen there. */
  leave(name: string): void {
    clearTimeout(this.pages.get(name)?.limit);
    this.pages.delete(name);
  }

  /** Whether a page of this browser is in sight, which then answers for these sessions. */
  spare(subscription: string, sessions: Iterable<string>): boolean {
    const seeing = [...this.pages.values()].filter((page) => page.subscription === subscription);
    for (const session of sessions) for (const { spared } of seeing) spared.add(session);
    return seeing.length > 0;
  }

  /** Takes that there is nothing new in a session any more. */
  forget(session: string): void {
    for (const { spared } of this.pages.values()) spared.delete(session);
  }

  clear(): void {
    for (const name of [...this.pages.keys()]) this.leave(name);
  }

  private end(name: string): void {
    const page = this.pages.get(name);
    this.leave(name);
    if (page && page.spared.size > 0) this.missed(page.subscription);
  }
}
