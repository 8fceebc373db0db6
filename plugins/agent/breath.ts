/** Maximum time in milliseconds that many small steps of work may block the event loop. */
const LONGEST_MS = 10;
/** Number of steps that run per turn of the event loop if many begin at once, because the cost of a step is only known after it has run. */
export const AT_ONCE = 4;

/** When the first step of the current turn of the event loop began, and the number of steps since then. */
let since: number | undefined;
let steps = 0;
/** Steps that wait for the next turn of the event loop, in order. */
const waiting: (() => void)[] = [];
let isTurnScheduled = false;

/**
 * Called between the steps of work with possibly thousands of steps. Returns a promise for the next turn of the event loop if the current
 * turn has lasted too long, or if `most` steps have run in it; otherwise undefined. Needed because promises alone never let the event loop
 * turn: timers, sockets and signals would have to wait for all steps.
 */
export function breath(most = Number.POSITIVE_INFINITY): Promise<void> | undefined {
  if (waiting.length === 0 && !isLate() && steps++ < most) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    scheduleTurn();
  });
}

function isLate(): boolean {
  const now = performance.now();
  if (since === undefined) {
    since = now;
    scheduleTurn();
  }
  return now - since > LONGEST_MS;
}

function scheduleTurn(): void {
  if (isTurnScheduled) return;
  isTurnScheduled = true;
  setImmediate(() => void resumeWaiting());
}

/** Resumes waiting steps one after another, until it is time for the next turn of the event loop. */
async function resumeWaiting(): Promise<void> {
  isTurnScheduled = false;
  since = undefined;
  steps = 0;
  while (waiting.length > 0 && !isLate()) {
    waiting.shift()?.();
    await undefined;
  }
  if (waiting.length > 0) scheduleTurn();
}
