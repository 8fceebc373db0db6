/** Milliseconds for which a scan may occupy the thread before it yields. */
const SLICE_MS = 2;
/** A scan is also given up after this many times its CPU limit in real time, as on a busy machine or a slow disk. */
const MOST_BUSY = 5;

/** Why a scan was given up. Names the setting's value also for a scan in the background, whose limit is a multiple of it. */
export function tooLong(maxScanMs: number): string {
  return `scanning took more than ${maxScanMs} ms, which \`maxScanMs\` in [checkpoints] sets`;
}

/** Measures the CPU time and real time that a scan spends on this thread, and yields in between. */
export class Clock {
  private readonly most: number;
  private readonly signal: AbortSignal;
  private spent = 0;
  private passed = 0;
  private since = performance.now();
  private used = cpuMs();

  /** `most` is the limit in milliseconds of CPU time. */
  constructor(most: number, signal: AbortSignal) {
    this.most = most;
    this.signal = signal;
  }

  /** Whether the scan should yield now. */
  get isDue(): boolean {
    return performance.now() - this.since >= SLICE_MS;
  }

  /** Yields the thread. Returns false when the time is up or the scan was aborted. */
  async pause(): Promise<boolean> {
    this.stop();
    await new Promise((resolve) => setImmediate(resolve));
    this.start();
    return this.spent <= this.most && this.passed <= this.most * MOST_BUSY && !this.signal.aborted;
  }

  /** Waits for work in another process, without counting the time. */
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

/** The CPU time of this process, whose other threads do little. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
