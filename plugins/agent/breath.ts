/** The longest that many small steps of work keep the event loop from turning, in milliseconds. */
const LONGEST_MS = 10;
/** Steps that run before the next turn of the event loop when many begin at once, since the cost of a step is known only after it has run. */
export const AT_ONCE = 4;

/** When the first step since the last turn of the event loop began, and how many there were. */
let since: number | undefined;
let steps = 0;
/** Steps that wait for a turn, in their order. */
const waiting: (() => void)[] = [];
let isTurning = false;

/**
 * Called between steps of work of which there may be thousands: makes a step wait for a turn of the event loop when the process has been
 * at work for too long without one, or when `most` others have gone on since. Promises alone never let the event loop turn, so that
 * timers, sockets and signals would wait for all steps.
 */
export function breath(most = Number.POSITIVE_INFINITY): Promise<void> | undefined {
  if (waiting.length === 0 && !isLate() && steps++ < most) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    turnSoon();
  });
}

function isLate(): boolean {
  const now = performance.now();
  if (since === undefined) {
    since = now;
    turnSoon();
  }
  return now - since > LONGEST_MS;
}

function turnSoon(): void {
  if (isTurning) return;
  isTurning = true;
  setImmediate(() => void letGo());
}

/** Lets waiting steps go on, one after what the other does first, until it is time for the next turn. */
async function letGo(): Promise<void> {
  isTurning = false;
  since = undefined;
  steps = 0;
  while (waiting.length > 0 && !isLate()) {
    waiting.shift()?.();
    await undefined;
  }
  if (waiting.length > 0) turnSoon();
}
