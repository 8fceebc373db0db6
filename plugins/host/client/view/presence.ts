/** Milliseconds in which other clients can return after a reconnection without being announced as new. */
const RETURN_MS = 60_000;

/**
 * The other clients that have a session open, for user interfaces that announce them. Clients that return after a reconnection are not new.
 */
export class Presence {
  private here: ReadonlySet<string> = new Set();
  /** Names of clients that were present before the connection was lost, each with the time until which it may return. */
  private readonly returning = new Map<string, number>();
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Begins with the names of the clients that have the session open now. Called for the first connection and after each reconnection. */
  begin(names: readonly string[]): void {
    for (const name of this.here) if (!names.includes(name)) this.returning.set(name, this.now() + RETURN_MS);
    this.here = new Set(names);
  }

  /** Records that a client has joined. Returns whether to announce it. */
  joined(name: string): boolean {
    const isBack = this.here.has(name) || (this.returning.get(name) ?? Number.NEGATIVE_INFINITY) > this.now();
    this.returning.delete(name);
    this.here = new Set([...this.here, name]);
    return !isBack;
  }

  left(name: string): void {
    this.here = new Set([...this.here].filter((each) => each !== name));
  }
}
