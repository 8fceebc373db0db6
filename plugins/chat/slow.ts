/** Milliseconds after which the user is told that the host has not accepted a message yet. */
const SLOW_MS = 1_000;

/** Waits for an answer of the host, and calls `say` once if it takes longer than `SLOW_MS`. */
export async function sayIfSlow<R>(answer: Promise<R>, say: () => void): Promise<R> {
  const slow = setTimeout(say, SLOW_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(slow);
  }
}
