import type { Delivered } from "@scorel/host/contract";

/** Shows events one after the other, however slowly the output is read, without making whoever brings them wait. */
export class Backlog {
  private readonly show: (delivered: Delivered) => Promise<void> | undefined;
  private waiting: Delivered[] = [];
  private working: Promise<void> | undefined;

  /** `show` returns a promise only if there is something to wait for, since a reply may have tens of thousands of deltas. */
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
    // Whoever waits for the end is told.
    this.working.catch(() => {});
  }

  /** Resolves when everything was shown that was taken so far. Rejects if something could not be shown. */
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
