import { vi } from "vitest";

/** Repeats a check until it passes, and answers what it answered; far longer than any machine should need, so that only what never comes fails. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 45_000, interval: 10 });
}
