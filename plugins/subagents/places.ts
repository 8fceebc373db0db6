import { onAbort } from "@scorel/kit/values/abort";

/** Lets at most so many calls work at a time; the others begin in the order in which they came. */
export class Places {
  readonly limit: number;
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(limit: number) {
    this.limit = limit;
    this.free = limit;
  }

  /** Resolves with a function that gives the place back. Rejects with the signal's reason when it aborts before that. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    return () => this.giveBack();
  }

  /** Returns a function that gives the place back; undefined if there is none free. */
  takeFree(): (() => void) | undefined {
    if (this.free === 0) return undefined;
    this.free--;
    return () => this.giveBack();
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
