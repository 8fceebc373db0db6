/** How long a look keeps the thread before others get their turn. */
const SLICE_MS = 2;
/** On a busy machine, or with a slow disk, work takes many times its CPU time; above this a look is given up as well. */
const MOST_BUSY = 5;

/** Counts only what is spent on this thread, as CPU time and as time that passes, and gives the thread away in between. */
export class Clock {
  private readonly most: number;
  private readonly signal: AbortSignal;
  private spent = 0;
  private passed = 0;
  private since = performance.now();
  private used = cpuMs();

  /** `most` is in milliseconds of CPU time. */
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
    this.stop();
    await new Promise((resolve) => setImmediate(resolve));
    this.start();
    return this.spent <= this.most && this.passed <= this.most * MOST_BUSY && !this.signal.aborted;
  }

  /** Waits for work that is done elsewhere, which costs this thread nothing. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work;
    } finally {
      this.start();
    }
  }

  private stop(): void {
    this.spent += cpuMs() - this.used;
    this.passed += performance.now() - this.since;
  }

  private start(): void {
    this.since = performance.now();
    this.used = cpuMs();
  }
}

/** CPU time of this process so far: its other threads have little to do. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
