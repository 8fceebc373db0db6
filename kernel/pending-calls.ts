/** The time limit of one call of a hook's layer: it stands still while the layer waits for a person. */
class LimitClock {
  private pauses = 0;
  private left = 0;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;
  private expire: (() => void) | undefined;

  start(limitMs: number, expire: () => void): void {
    this.left = limitMs;
    this.expire = expire;
    if (this.pauses === 0) this.run();
  }

  end(): void {
    clearTimeout(this.timer);
    this.expire = undefined;
  }

  pause(): () => void {
    if (this.pauses++ === 0 && this.expire) {
      clearTimeout(this.timer);
      this.left -= performance.now() - this.since;
    }
    let isOver = false;
    return () => {
      if (!isOver && --this.pauses === 0 && this.expire) this.run();
      isOver = true;
    };
  }

  private run(): void {
    this.since = performance.now();
    this.timer = setTimeout(this.expire as () => void, Math.max(0, this.left));
  }
}

/** How the functions of a plugin are called, if it is contained. */
type ContainmentOf = (plugin: string) => { run<T>(where: string, work: () => T): T } | undefined;

/** The calls of plugins that have begun and not settled, such as those of hooks' layers, by the signal that each was given. */
export class PendingCalls {
  private readonly signals = new Map<string, Set<AbortSignal>>();
  private readonly clocks = new WeakMap<AbortSignal, LimitClock>();
  private readonly containmentOf: ContainmentOf;

  constructor(containmentOf: ContainmentOf) {
    this.containmentOf = containmentOf;
  }

  /** Runs `work`, which calls a function of a plugin, so that the plugin can be named if the call never returns. */
  run<T>(plugin: string, where: string, work: () => T): T {
    const contained = this.containmentOf(plugin);
    return contained ? contained.run(where, work) : work();
  }

  /** A call of a plugin is waited for from now on; the answer ends it. */
  begin(plugin: string, signal: AbortSignal): () => void {
    const signals = this.signals.get(plugin) ?? new Set();
    // An empty set stays: the next call is not far, and there are as many sets as plugins.
    if (signals.size === 0) this.signals.set(plugin, signals);
    signals.add(signal);
    return () => void signals.delete(signal);
  }

  /** The signals of all calls of a plugin that are waited for: what it asks a person meanwhile belongs to these. */
  of(plugin: string): AbortSignal[] {
    return [...(this.signals.get(plugin) ?? [])];
  }

  /** Calls `expire` when `limitMs` have passed that were not paused; the answer ends that. */
  limit(signal: AbortSignal, limitMs: number, expire: () => void): () => void {
    const clock = this.clockOf(signal);
    clock.start(limitMs, expire);
    return () => {
      clock.end();
      this.clocks.delete(signal);
    };
  }

  /** Stops the time limit of the call with this signal until the answer is called. A call without a limit goes on as before. */
  pauseLimit(signal: AbortSignal): () => void {
    return this.clockOf(signal).pause();
  }

  private clockOf(signal: AbortSignal): LimitClock {
    const clock = this.clocks.get(signal) ?? new LimitClock();
    this.clocks.set(signal, clock);
    return clock;
  }
}
