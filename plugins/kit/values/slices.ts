/**
 * Returns a function to call between the small steps of long work. When the steps have taken `sliceMs` milliseconds, it returns a promise
 * that resolves in the next turn of the event loop, so that timers, sockets and signals need not wait for the whole work.
 */
export function slices(sliceMs = 10): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < sliceMs) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
}
