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

/** Calls `work` when the signal aborts, at once when it has; the answer stops listening. */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  if (signal.aborted) work();
  else signal.addEventListener("abort", work, { once: true });
  return () => signal.removeEventListener("abort", work);
}

/** A signal of one piece of work: aborts with any of `signals`, or alone; `end` stops listening to them. */
export function linkedTo(...signals: readonly AbortSignal[]): { signal: AbortSignal; end(abandon?: boolean): void } {
  const control = new AbortController();
  const ties = signals.map((signal) => onAbort(signal, () => control.abort(signal.reason)));
  return {
    signal: control.signal,
    end(abandon = false) {
      for (const untie of ties) untie();
      if (abandon) control.abort();
    },
  };
}
