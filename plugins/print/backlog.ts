import type { Delivered } from "@scorel/host/contract";

/** Shows events one after the other, however slowly the output is read, without delaying the caller of `take`. */
export class Backlog {
  private readonly show: (delivered: Delivered) => Promise<void> | undefined;
  private waiting: Delivered[] = [];
  private working: Promise<void> | undefined;

  /** `show` returns a promise only if it has to be waited for, since a reply may have tens of thousands of deltas. */
  constructor(show: (delivered: Delivered) => Promise<void> | undefined) {
    this.show = show;
  }

  take(delivered: Delivered): void {
    if (this.working) {
      this.waiting.push(delivered);
      return;
    }
    const shown = this.show(delivered);
    if (!shown) return;
    this.working = this.workOff(shown);
    // `done` reports the error.
    this.working.catch(() => {});
  }

  /** Resolves when all events taken so far were shown. Rejects if one could not be shown. */
  async done(): Promise<void> {
    await this.working;
  }

  private async workOff(first: Promise<void>): Promise<void> {
    await first;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      for (const delivered of batch) await this.show(delivered);
    }
    this.working = undefined;
  }
}
