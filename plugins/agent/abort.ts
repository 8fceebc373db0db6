/**
 * Settles like `work`, but rejects with the signal's reason when it aborts: at once, or when `work` has
 * not settled by itself within `graceMs`. `work` may go on unheard.
 */
export function untilAborted<T>(work: PromiseLike<T> | T, signal: AbortSignal, graceMs = 0): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const onAbort = () => {
      if (graceMs === 0) reject(signal.reason);
      else grace = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(grace);
        signal.removeEventListener("abort", onAbort);
      });
  });
}

/** A signal of one piece of work: aborts with `signal`, or alone; `end` cuts the tie, so that none is left on it. */
export function linkedTo(signal: AbortSignal): { signal: AbortSignal; end(abandon?: boolean): void } {
  const control = new AbortController();
  const onAbort = () => control.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return {
    signal: control.signal,
    end(abandon = false) {
      signal.removeEventListener("abort", onAbort);
      if (abandon) control.abort();
    },
  };
}
