import type { Client, Delivered } from "@scorel/host/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import { untilAborted } from "@scorel/kit/values/abort";

/** Longest wait of one call, in seconds. Many clients give up after 60 s, and the answer itself takes time, too. */
export const MOST_WAIT = 45;
/** Seconds between two progress messages of a waiting call. Clients that get them may wait longer. */
const SIGN = 10;

/** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
export type After = (ms: number, work: () => void) => () => void;

/** A call of a tool. `signal` cancels it, `tell` reports its progress. */
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

/**
 * Waits until a task has ended or asks a question, or the time is over. Meanwhile reports which tools are running, and that the wait goes
 * on.
 */
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

/** Calls `work` every `seconds` seconds, with the seconds that have passed. Returns a function that stops this. */
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
