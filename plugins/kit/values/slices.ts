/**
 * Returns a function to call between the small steps of long work: it lets the event loop turn once the steps since its last turn have
 * taken `sliceMs` milliseconds, so that timers, sockets and signals do not wait for all of them.
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
