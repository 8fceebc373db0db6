/** How often a layer has stopped its clock, and the clock itself once the layer turned out to take time. */
interface Stops {
  count: number;
  clock?: { stop(): void; go(): void };
}
/** By the signal that a running layer was given. */
const stopped = new WeakMap<AbortSignal, Stops>();

/** Calls `expire` when `limitMs` have passed in which nobody had stopped the clock; the answer ends it. */
export function startClock(signal: AbortSignal, limitMs: number, expire: () => void): () => void {
  const stops = stopsOf(signal);
  let left = limitMs;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const clock = {
    stop() {
      clearTimeout(timer);
      left -= performance.now() - since;
    },
    go() {
      since = performance.now();
      timer = setTimeout(expire, Math.max(0, left));
    },
  };
  stops.clock = clock;
  if (stops.count === 0) clock.go();
  return () => {
    clearTimeout(timer);
    stopped.delete(signal);
  };
}

/**
 * Stops the time limit of the hook layer that was given this signal, while it waits for a person; the answer lets it go
 * on. A signal that no layer was given has no limit: nothing happens.
 */
export function stopClock(signal: AbortSignal | undefined): () => void {
  if (!signal) return () => {};
  const stops = stopsOf(signal);
  if (stops.count++ === 0) stops.clock?.stop();
  let done = false;
  return () => {
    // A layer that is over has no clock any more.
    if (!done && stopped.get(signal) === stops && --stops.count === 0) stops.clock?.go();
    done = true;
  };
}

function stopsOf(signal: AbortSignal): Stops {
  const known = stopped.get(signal);
  if (known) return known;
  const stops: Stops = { count: 0 };
  stopped.set(signal, stops);
  return stops;
}
