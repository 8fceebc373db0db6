import type { Environment } from "../environment.ts";
import { redaction } from "../environment.ts";
import type { Failure } from "./failure.ts";

const baseMs = 1_000;
const longestMs = 60_000;
/** Random share of the delay, so that many clients do not retry at the same moment. */
const jitter = 0.25;
const longestReason = 300;

/**
 * The retries of one turn. Announces each wait, ends it when the signal aborts, and starts counting again after a good
 * reply.
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

  /** Waits for the planned attempt. Returns false when none is planned or the turn was cancelled meanwhile. */
  async wait(): Promise<boolean> {
    const { planned, signal } = this;
    this.planned = undefined;
    if (!planned || signal.aborted) return false;
    const { ctx, clock } = this.env;
    const attempt = ++this.made;
    const delayMs = this.delay(attempt, planned.retryAfterMs);
    const reason = redaction(ctx).text(planned.reason).slice(0, longestReason);
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
