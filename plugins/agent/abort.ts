/**
 * Settles like `work`, but rejects with the signal's reason when it aborts: at once, or when `work` has
 * not settled by itself within `graceMs`. `work` may go on unheard.
 */
export function untilAborted<T>(work: PromiseLike<T> | T, signal: AbortSignal, graceMs = 0): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const ignore = onAbort(signal, () => {
      if (graceMs === 0) reject(signal.reason);
      else grace = setTimeout(() => reject(signal.reason), graceMs);
    });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(grace);
        ignore();
      });
  });
}

/** The functions to call when a signal aborts, in the order in which they were added. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `work` when the signal aborts, at once when it has; the answer stops listening. A signal compares a new listener
 * with all that it has, which thousands of calls in one reply would feel: so it gets one listener, which calls the others.
 */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  if (signal.aborted) {
    work();
    return () => {};
  }
  const works = waiting.get(signal) ?? listenTo(signal);
  const own = () => work();
  works.add(own);
  return () => works.delete(own);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const works = new Set<() => void>();
  waiting.set(signal, works);
  signal.addEventListener(
    "abort",
    () => {
      waiting.delete(signal);
      for (const work of works) work();
    },
    { once: true },
  );
  return works;
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
