import { linkedTo } from "@scorel/kit/values/abort";

/** A request with progress may take this many times its time limit in all. */
const MOST_LIMITS = 30;

/** Most questions of one server that are open at the same time. Further ones are withdrawn at once. */
const MOST_QUESTIONS = 8;

/** The clock for time limits of requests. */
export interface CallClock {
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
  now(): number;
}

/** When a request is given up. */
export interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Passed to the code that makes a request. */
export interface Running {
  /** Aborted when the request is given up, also because of its time limit. */
  signal: AbortSignal;
  /** To be called when the server reports progress: the time limit starts again. */
  progressed(): void;
}

/**
 * The requests that a server is working on. Their time limits are paused while the server waits for an answer to a question, such as a form
 * that a person fills in. The server does not say which request a question belongs to, so it counts for all that are running at that time,
 * and is withdrawn when none of them is running any more.
 */
export class Calls {
  private readonly clock: CallClock;
  private readonly running = new Set<TimeLimit>();
  private questions = 0;

  constructor(clock: CallClock) {
    this.clock = clock;
  }

  /** Runs a request until it is answered or given up. */
  async run<T>({ signal, timeoutMs }: Limits, work: (running: Running) => Promise<T>): Promise<T> {
    const own = linkedTo(signal);
    const timeLimit = new TimeLimit(this.clock, timeoutMs, () => own.end(true));
    this.running.add(timeLimit);
    if (this.questions === 0) timeLimit.resume();
    try {
      return await work({ signal: own.signal, progressed: () => timeLimit.renew() });
    } finally {
      own.end();
      this.running.delete(timeLimit);
      timeLimit.end();
    }
  }

  /**
   * Answers a question of the server. Resolves with `withdrawn` if the signal aborts, or if all requests that were running when it was
   * asked have ended.
   */
  async answer<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>, withdrawn: () => T): Promise<T> {
    const asking = [...this.running];
    // Without a running request, a person could not know what the question is about.
    if (asking.length === 0 || this.questions >= MOST_QUESTIONS) return withdrawn();
    const own = linkedTo(signal);
    const ended = () => {
      if (asking.every(({ isOver }) => isOver)) own.end(true);
    };
    const ignore = asking.map((timeLimit) => timeLimit.onEnd(ended));
    this.questions++;
    for (const timeLimit of this.running) timeLimit.pause();
    try {
      const answer = await work(own.signal);
      return own.signal.aborted ? withdrawn() : answer;
    } catch (thrown) {
      if (!own.signal.aborted) throw thrown;
      return withdrawn();
    } finally {
      own.end();
      for (const forget of ignore) forget();
      this.questions--;
      if (this.questions === 0) for (const timeLimit of this.running) timeLimit.resume();
    }
  }
}

/** The time limit of one request. */
class TimeLimit {
  isOver = false;
  private readonly clock: CallClock;
  private readonly limit: number;
  private readonly lost: () => void;
  private readonly endings = new Set<() => void>();
  private left: number;
  private leftInAll: number;
  private since = 0;
  private cancel: (() => void) | undefined;

  /** The clock is stopped at first. `lost` is called when the time is over before the request has ended. */
  constructor(clock: CallClock, limit: number, lost: () => void) {
    this.clock = clock;
    this.limit = limit;
    this.lost = lost;
    this.left = limit;
    this.leftInAll = limit * MOST_LIMITS;
  }

  resume(): void {
    if (this.cancel || this.isOver) return;
    this.since = this.clock.now();
    this.cancel = this.clock.after(Math.min(this.left, this.leftInAll), this.lost);
  }

  pause(): void {
    if (!this.cancel) return;
    this.cancel();
    this.cancel = undefined;
    const passed = this.clock.now() - this.since;
    this.left = Math.max(0, this.left - passed);
    this.leftInAll = Math.max(0, this.leftInAll - passed);
  }

  renew(): void {
    const runs = this.cancel !== undefined;
    this.pause();
    this.left = this.limit;
    if (runs) this.resume();
  }

  end(): void {
    this.pause();
    this.isOver = true;
    for (const ending of this.endings) ending();
  }

  /** Calls `work` when the request ends. Returns a function that cancels this. */
  onEnd(work: () => void): () => void {
    this.endings.add(work);
    return () => this.endings.delete(work);
  }
}
