import { setImmediate } from "node:timers/promises";

let hearing: Promise<void> | undefined;

/**
 * Lets the process hear signals that came while a layer kept it busy, since nothing may start after them. The event loop looks for
 * signals between the two immediates. Calls that ask before the first one share both.
 */
export function pendingSignals(): Promise<void> {
  hearing ??= setImmediate().then(() => {
    hearing = undefined;
    return setImmediate();
  });
  return hearing;
}
