/** Runs work one after the other. Work that can wait runs when the conversation is quiet. */
export class WorkQueue {
  private readonly isQuiet: () => boolean;
  private readonly failed: (thrown: unknown) => void;
  /** Settles when the work that was queued last has ended. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly waiting: (() => Promise<void>)[] = [];

  /** `failed` is called with errors of work passed to `between`. */
  constructor(isQuiet: () => boolean, failed: (thrown: unknown) => void) {
    this.isQuiet = isQuiet;
    this.failed = failed;
  }

  /** Runs `work` after all work that was passed before. Settles as `work` does. */
  inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = this.last.then(work);
    this.last = done.catch(() => {});
    return done;
  }

  /** Runs `work` as soon as it is quiet. */
  between(work: () => Promise<void>): void {
    this.waiting.push(work);
    this.catchUp();
  }

  /** Called when the conversation may have become quiet: runs waiting work. */
  catchUp(): void {
    if (this.waiting.length === 0) return;
    this.inTurn(() => this.serve()).catch(this.failed);
  }

  private async serve(): Promise<void> {
    while (this.isQuiet()) {
      const work = this.waiting.shift();
      if (!work) return;
      await work();
    }
  }
}
