/** Passes values on at most once per interval. The latest value is never lost, and nothing follows `close`. */
export interface Throttle<T> {
  push(value: T): void;
  /** Delivers the waiting value, then ignores further ones. */
  close(): void;
}

export function createThrottle<T>(deliver: (value: T) => void, intervalMs: number): Throttle<T> {
  let waiting: { value: T } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const flush = () => {
    timer = undefined;
    if (!waiting) return;
    const { value } = waiting;
    waiting = undefined;
    timer = setTimeout(flush, intervalMs);
    deliver(value);
  };
  return {
    push(value) {
      if (closed) return;
      waiting = { value };
      if (!timer) flush();
    },
    close() {
      clearTimeout(timer);
      flush();
      clearTimeout(timer);
      closed = true;
    },
  };
}
