import type { TransientDefinition, TransientOf, Transients } from "@scorel/kernel";
import { z } from "zod";
import { type Environment, redaction } from "../environment.ts";
import type { Failure } from "./failure.ts";

const baseMs = 1_000;
/** A retry never waits longer. If the server asks for a longer wait, there is no retry. */
export const longestMs = 60_000;
/** Random share of the delay, so that many sessions do not retry at the same moment. */
const jitter = 0.25;
const longestReason = 300;

/**
 * The retries of one turn. Announces each wait, ends it when the signal aborts, and counts from 1 again after a successful reply.
 */
export class Retries {
  private readonly env: Environment;
  private readonly signal: AbortSignal;
  private made = 0;
  private planned: Failure | undefined;

  constructor(env: Environment, signal: AbortSignal) {
    this.env = env;
    this.signal = signal;
  }

  /** True when the failed reply will be tried again. */
  get pending(): boolean {
    return this.planned !== undefined && !this.signal.aborted;
  }

  /** Plans another attempt. Returns false when the failure is final or the attempts are used up. */
  plan(failure: Failure): boolean {
    if (this.signal.aborted || !failure.retryable || this.made >= this.env.ctx.config.retries) return false;
    this.planned = failure;
    return true;
  }

  succeeded(): void {
    this.made = 0;
  }

  /** Waits for the planned attempt. Returns false if none is planned, or if the turn was cancelled in the meantime. */
  async wait(): Promise<boolean> {
    const { planned, signal } = this;
    this.planned = undefined;
    if (!planned || signal.aborted) return false;
    const { ctx, clock } = this.env;
    const attempt = ++this.made;
    const delayMs = this.delay(attempt, planned.retryAfterMs);
    const reason = shortened(redaction(ctx).text(planned.reason));
    ctx.session.emit("retry_start", { attempt, of: ctx.config.retries, delayMs, reason });
    await clock.wait(delayMs, signal);
    ctx.session.emit("retry_end", { attempt, cancelled: signal.aborted });
    return !signal.aborted;
  }

  /** About 1, 2, 4 … seconds; longer when the server asks for it, one minute at most. In milliseconds. */
  private delay(attempt: number, retryAfterMs = 0): number {
    const chance = 1 + jitter * (2 * this.env.clock.random() - 1);
    return Math.round(Math.min(longestMs, Math.max(retryAfterMs, baseMs * 2 ** (attempt - 1) * chance)));
  }
}

function shortened(reason: string): string {
  return reason.length > longestReason ? `${reason.slice(0, longestReason)}…` : reason;
}

const attemptNumber = z.number().int().positive();

/** Transient event `retry_start`: a retry begins with its wait. */
export const retryStart: TransientDefinition<Transients["retry_start"]> = {
  transient: true,
  inFlight: { work: "retry" },
  schema: z.strictObject({ attempt: attemptNumber, of: attemptNumber, delayMs: z.number().min(0), reason: z.string() }),
  convertToDisplay: ({ attempt, of, delayMs, reason }: TransientOf<"retry_start">) => ({
    display: "notice",
    level: "warning",
    text: `Trying again in ${(delayMs / 1_000).toFixed(1)} s (${attempt} of ${of}): ${reason}`,
  }),
};

/** Transient event `retry_end`: the wait is over. */
export const retryEnd: TransientDefinition<Transients["retry_end"]> = {
  transient: true,
  inFlight: { work: "retry", effect: "end" },
  schema: z.strictObject({ attempt: attemptNumber, cancelled: z.boolean() }),
  convertToDisplay: () => ({ display: "hidden" }),
};
