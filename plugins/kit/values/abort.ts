/**
 * Settles like `work`, but rejects with `signal.reason` when the signal aborts. With `graceMs`, an aborted `work` gets
 * that many milliseconds to settle first. `work` itself is not stopped; a late result is ignored.
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

/** Callbacks of each signal, in the order in which they were added. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `work` once when the signal aborts, or immediately if it already has. Returns a function that removes the
 * callback. AbortSignal checks each new listener against all existing ones, which is slow for thousands of calls, so
 * each signal gets a single listener that runs all callbacks.
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

/**
 * Creates a signal that aborts with any of `signals`. `end()` stops listening to them; `end(true)` also aborts the new
 * signal.
 */
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
