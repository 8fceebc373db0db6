/** The clients that answer the questions of a session. */
export class Attendance {
  /** Connections that answer questions. Two connections may share a client id, so ids would not do. */
  private readonly clients = new Set<object>();
  private readonly watchers = new Set<() => void>();
  /** Whether the client that opens the session announced that it will answer, and has not started yet. */
  private isAnnounced: boolean;

  constructor(isAnnounced: boolean) {
    this.isAnnounced = isAnnounced;
  }

  /** Whether a client answers questions, or will. */
  get isExpected(): boolean {
    return this.isAnnounced || this.clients.size > 0;
  }

  change(client: object, attending: boolean): void {
    this.isAnnounced = false;
    if (attending) this.clients.add(client);
    else this.clients.delete(client);
    this.tell();
  }

  /** Stops expecting the announced client. Returns false if none was expected. */
  expectNoMore(): boolean {
    if (!this.isAnnounced) return false;
    this.isAnnounced = false;
    this.tell();
    return true;
  }

  /** Calls `watcher` when clients begin or stop to answer questions. Returns a function that ends this. */
  onChange(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  private tell(): void {
    for (const watcher of this.watchers) watcher();
  }
}
