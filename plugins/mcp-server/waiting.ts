import type { Client, Delivered } from "@scorel/host/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import { untilAborted } from "@scorel/kit/values/abort";

/** The longest wait of one call, in seconds. Many clients give up a call after 60 s, and the answer takes time, too. */
export const MOST_WAIT = 45;
/** How often a call that waits says so, in seconds. Clients that hear of progress may wait longer. */
const SIGN = 10;

/** Calls `work` after so many milliseconds; returns a function that prevents it. */
export type After = (ms: number, work: () => void) => () => void;

/** A call of a tool: `signal` cancels it, `tell` tells how far it is. */
export interface Call {
  signal: AbortSignal;
  tell(message: string): Promise<void>;
}

interface Task {
  client: Client;
  sessionId: string;
  /** Resolves when the turn has ended. */
  done: Promise<unknown> | undefined;
  /** Whether a question ends the wait. */
  answers: boolean;
  after: After | undefined;
}

/** Waits until a task has ended or asks something, or until the time is over. Tells meanwhile which tools run, and that the wait goes on. */
export async function untilNews(
  { client, sessionId, done, answers, after = onTime }: Task,
  waitMs: number,
  { signal, tell }: Call,
): Promise<void> {
  let finish = () => {};
  let fail = (_thrown: unknown) => {};
  const over = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const hear = async ({ event: { type }, display }: Delivered) => {
    if (type === "approval_request" && answers) finish();
    if (type === "tool_execution_start" && display.display === "card") await tell(lineOf(display.title));
  };
  const end = await client.subscribe(sessionId, hear, { joined: true });
  const noSigns = repeat(after, SIGN, (seconds) => void tell(`still running after ${seconds} s`).catch(fail));
  const noLimit = after(waitMs, finish);
  try {
    await untilAborted(Promise.race([done, over]), signal);
  } finally {
    noSigns();
    noLimit();
    await end();
  }
}

/** Calls `work` again and again, with the seconds that have passed. Returns a function that ends this. */
function repeat(after: After, seconds: number, work: (passed: number) => void): () => void {
  let stop = () => {};
  const next = (passed: number) => {
    stop = after(seconds * 1_000, () => {
      work(passed);
      next(passed + seconds);
    });
  };
  next(seconds);
  return () => stop();
}

function onTime(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
