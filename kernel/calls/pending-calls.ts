import { LimitClock } from "@scorel/kit/values/limit-clock";

/** Returns the containment of a plugin, if it is contained. */
type ContainmentOf = (plugin: string) => { run<T>(where: string, work: () => T): T } | undefined;

/** Pending calls of plugin functions, such as layers of hooks, keyed by the AbortSignal that each call received. */
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

  /** Marks a call of a plugin as pending until the returned function is called. */
  begin(plugin: string, signal: AbortSignal): () => void {
    const signals = this.signals.get(plugin) ?? new Set();
    // Empty sets are kept for the next call. There are at most as many sets as plugins.
    if (signals.size === 0) this.signals.set(plugin, signals);
    signals.add(signal);
    return () => void signals.delete(signal);
  }

  /** The signals of a plugin's pending calls. A question that the plugin asks a person meanwhile belongs to these calls. */
  of(plugin: string): AbortSignal[] {
    return [...(this.signals.get(plugin) ?? [])];
  }

  /** Calls `expire` after `limitMs`, not counting pauses. The returned function cancels the limit. */
  limit(signal: AbortSignal, limitMs: number, expire: () => void): () => void {
    const clock = this.clockOf(signal);
    clock.start(limitMs, expire);
    return () => {
      clock.end();
      this.clocks.delete(signal);
    };
  }

  /** Pauses the time limit of the call with this signal until the returned function is called. Does nothing for a call without a limit. */
  pauseLimit(signal: AbortSignal): () => void {
    return this.clockOf(signal).pause();
  }

  private clockOf(signal: AbortSignal): LimitClock {
    const clock = this.clocks.get(signal) ?? new LimitClock();
    this.clocks.set(signal, clock);
    return clock;
  }
}
