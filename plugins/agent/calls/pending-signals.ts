import { setImmediate } from "node:timers/promises";

let hearing: Promise<void> | undefined;

/**
 * Lets the process handle signals that arrived while a layer kept it busy, since no tool may start after them. The event loop checks for
 * signals between the two immediates. Calls made before the first immediate share both.
 */
export function pendingSignals(): Promise<void> {
  hearing ??= setImmediate().then(() => {
    hearing = undefined;
    return setImmediate();
  });
  return hearing;
}
