import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds; much longer than any machine should need. */
const LIMIT_MS = 45_000;

/** Repeats a check until it passes, and returns its result. Also runs outside tests, for scripts that share their stages. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await check();
    } catch (thrown) {
      if (performance.now() > end) throw thrown;
    }
    await delay(10);
  }
}
