import { onAbort } from "@scorel/kit/values/abort";

/** Limits the number of calls that work at the same time. Others wait, in the order in which they came. */
export class Places {
  readonly limit: number;
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(limit: number) {
    this.limit = limit;
    this.free = limit;
  }

  /** Waits for a place. Resolves with a function that releases it. Rejects with the signal's reason if the signal aborts first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    return this.release();
  }

  /** Takes a place, and returns a function that releases it; undefined if none is free. */
  takeFree(): (() => void) | undefined {
    if (this.free === 0) return undefined;
    this.free--;
    return this.release();
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        ignore();
        resolve();
      };
      this.waiting.add(begin);
      const ignore = onAbort(signal, () => {
        if (this.waiting.delete(begin)) reject(signal.reason);
      });
    });
  }

  /** A function that releases a place, once. */
  private release(): () => void {
    let isReleased = false;
    return () => {
      if (!isReleased) this.giveBack();
      isReleased = true;
    };
  }

  private giveBack(): void {
    const [next] = this.waiting;
    if (!next) {
      this.free++;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
