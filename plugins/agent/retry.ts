import type { Environment } from "./environment.ts";
import { redaction } from "./environment.ts";
import type { Failure } from "./failure.ts";

const baseMs = 1_000;
const longestMs = 60_000;
/** Share of the delay that chance adds or takes, so that many clients do not come back at once. */
const jitter = 0.25;
const longestReason = 300;

/**
 * The retries of one turn. A failed reply is planned for another attempt, the wait is told and can be ended
 * by the turn's signal at any moment, and each good reply starts the count anew.
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

  /** Whether the reply that has just failed will be tried again. */
  get pending(): boolean {
    return this.planned !== undefined && !this.signal.aborted;
  }

  /** Plans another attempt; false when the failure is final or the attempts are used up. */
  plan(failure: Failure): boolean {
    if (this.signal.aborted || !failure.retryable || this.made >= this.env.ctx.config.retries) return false;
    this.planned = failure;
    return true;
  }

  succeeded(): void {
    this.made = 0;
  }

  /** Waits for the planned attempt; false when none is planned or the turn was ended meanwhile. */
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

  /** About 1 s, 2 s, 4 s …; longer when the server asks for it, never longer than a minute. */
  private delay(attempt: number, retryAfterMs = 0): number {
    const chance = 1 + jitter * (2 * this.env.clock.random() - 1);
    return Math.round(Math.min(longestMs, Math.max(retryAfterMs, baseMs * 2 ** (attempt - 1) * chance)));
  }
}
