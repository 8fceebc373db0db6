/** Milliseconds after which it is said that the host has not taken a message. */
const SLOW_MS = 1_000;

/** Waits for an answer of the host, and calls `say` once if that lasts. */
export async function sayIfSlow<R>(answer: Promise<R>, say: () => void): Promise<R> {
  const slow = setTimeout(say, SLOW_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(slow);
  }
}
