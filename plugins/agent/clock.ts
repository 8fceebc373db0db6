/** Time and chance as the loop uses them; a test brings its own. */
export interface Clock {
  /** Resolves after `ms` milliseconds, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1, without 1. */
  random(): number;
}

export const systemClock: Clock = {
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    }),
  random: Math.random,
};
