/** Time for those who had a session open to come back after the connection to its host was lost. */
const RETURN_MS = 60_000;

/** Who else has a session open, for a face that tells who comes and goes. Somebody who comes back with the host is no news. */
export class Presence {
  private here: ReadonlySet<string> = new Set();
  /** Those who were here before the connection was lost, and until when they may come back. */
  private readonly returning = new Map<string, number>();
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** The session is shown, for the first time or again; `names` are those of the others who have it open now. */
  begin(names: readonly string[]): void {
    for (const name of this.here) if (!names.includes(name)) this.returning.set(name, this.now() + RETURN_MS);
    this.here = new Set(names);
  }

  /** Takes that somebody has come. Returns whether that is news. */
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
