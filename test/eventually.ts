import { vi } from "vitest";

/** Repeats a check until it passes, and returns its result. The limit is far longer than any machine should need. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 45_000, interval: 10 });
}
