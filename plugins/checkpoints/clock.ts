/** How long a look keeps the thread before others get their turn. */
const SLICE_MS = 2;

/** Counts only the time that is spent on this thread, and gives the thread away in between. */
export class Clock {
  private readonly most: number;
  private readonly signal: AbortSignal;
  private spent = 0;
  private since = performance.now();

  constructor(most: number, signal: AbortSignal) {
    this.most = most;
    this.signal = signal;
  }

  /** Whether others should get their turn now. */
  get isDue(): boolean {
    return performance.now() - this.since >= SLICE_MS;
  }

  /** Gives the thread away; false: the time is up, or nobody waits any more. */
  async pause(): Promise<boolean> {
    this.spent += performance.now() - this.since;
    await new Promise((resolve) => setImmediate(resolve));
    this.since = performance.now();
    return this.spent <= this.most && !this.signal.aborted;
  }

  /** Waits for work that is done elsewhere, which costs this thread nothing. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    this.spent += performance.now() - this.since;
    try {
      return await work;
    } finally {
      this.since = performance.now();
    }
  }
}
