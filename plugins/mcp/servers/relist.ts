import type { Surroundings } from "./surroundings.ts";

/** Milliseconds between the message that a list has changed and the request for the new one. */
const RELIST_MS = 200;
/** How often a request that has failed is repeated, and after how many milliseconds at first. The delay doubles each time. */
const MOST_REPEATS = 5;
const REPEAT_MS = 1_000;
/** After how many requests in a row the delay doubles each time, up to a limit, and after how many milliseconds without one it is short again. */
const MOST_SOON = 5;
const LONGEST_MS = 30_000;
const QUIET_MS = 60_000;

/**
 * Requests what a server offers again when it has changed: after a delay that grows, since a server may report changes endlessly, and once at
 * a time, since the older of two answers could come last.
 */
export class Relist {
  private readonly clock: Pick<Surroundings, "after" | "now">;
  private readonly request: () => Promise<boolean>;
  private cancel: (() => void) | undefined;
  private isAsking = false;
  private isOutdated = false;
  private isClosed = false;
  private failures = 0;
  /** How many requests have followed each other, and when the last one was made. */
  private streak = 0;
  private askedAt = Number.NEGATIVE_INFINITY;

  /** `request` resolves with whether it has got an answer, or needs none. */
  constructor(clock: Relist["clock"], request: Relist["request"]) {
    this.clock = clock;
    this.request = request;
  }

  /** The server has reported a change. */
  soon(): void {
    if (this.isAsking) {
      this.isOutdated = true;
      return;
    }
    if (this.failures > 0) {
      // The delay of a repetition may be long.
      this.cancel?.();
      this.cancel = undefined;
      this.failures = 0;
    }
    if (this.clock.now() - this.askedAt >= QUIET_MS) this.streak = 0;
    this.schedule(Math.min(LONGEST_MS, RELIST_MS * 2 ** Math.max(0, this.streak - MOST_SOON)));
  }

  close(): void {
    this.isClosed = true;
    this.cancel?.();
  }

  private schedule(ms: number): void {
    if (this.isClosed) return;
    this.cancel ??= this.clock.after(ms, () => {
      this.cancel = undefined;
      void this.ask();
    });
  }

  private async ask(): Promise<void> {
    this.isAsking = true;
    this.isOutdated = false;
    this.streak++;
    this.askedAt = this.clock.now();
    const isAnswered = await this.request();
    this.isAsking = false;
    this.failures = isAnswered ? 0 : this.failures + 1;
    if (this.isOutdated) this.soon();
    else if (!isAnswered && this.failures <= MOST_REPEATS) this.schedule(REPEAT_MS * 2 ** (this.failures - 1));
  }
}
