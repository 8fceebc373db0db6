import type { Broadcast } from "./broadcast.ts";
import type { AnyEvent } from "./types.ts";

/** Publishes events in the order they were numbered, though some must wait for the disk first. */
export class Announcer {
  private readonly broadcast: Broadcast;
  private readonly waiting: { event: AnyEvent; ready: Promise<unknown> | undefined }[] = [];
  private running: Promise<void> | undefined;

  constructor(broadcast: Broadcast) {
    this.broadcast = broadcast;
  }

  /** Publishes at once, or once `ready` has settled and everything before has been published. */
  announce(event: AnyEvent, ready?: Promise<unknown>): void {
    if (ready || this.running) {
      this.waiting.push({ event, ready });
      this.running ??= this.publishWaiting();
    } else this.broadcast.publish(event);
  }

  /** Resolves when all announced so far has been heard by every subscriber. */
  async drained(): Promise<void> {
    do {
      await this.running;
      await this.broadcast.drained();
    } while (this.running);
  }

  private async publishWaiting(): Promise<void> {
    let settled: Promise<unknown> | undefined;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      // A failed sync is told by its own status event and by the append's rejection. Many wait for the same one.
      if (next.ready !== settled) await next.ready?.catch(() => {});
      settled = next.ready ?? settled;
      this.broadcast.publish(next.event);
    }
    this.running = undefined;
  }
}
