import type { AnyEvent } from "../types.ts";
import type { Broadcast } from "./broadcast.ts";

/** Publishes events in seq order, even if some of them have to be synced to disk first. */
export class Announcer {
  private readonly broadcast: Broadcast;
  private readonly waiting: { event: AnyEvent; ready: Promise<unknown> | undefined }[] = [];
  private running: Promise<void> | undefined;

  constructor(broadcast: Broadcast) {
    this.broadcast = broadcast;
  }

  /** Publishes the event immediately, or after `ready` has settled and all earlier events have been published. */
  announce(event: AnyEvent, ready?: Promise<unknown>): void {
    if (ready || this.running) {
      this.waiting.push({ event, ready });
      this.running ??= this.publishWaiting();
    } else this.broadcast.publish(event);
  }

  /** Resolves when every subscriber has processed all events announced so far. */
  async drained(): Promise<void> {
    do {
      await this.running;
      await this.broadcast.drained();
    } while (this.running);
  }

  private async publishWaiting(): Promise<void> {
    let settled: Promise<unknown> | undefined;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      // A failed sync is reported by a `storage_status` event and rejects the append. Events of one batch share a promise.
      if (next.ready !== settled) await next.ready?.catch(() => {});
      settled = next.ready ?? settled;
      this.broadcast.publish(next.event);
    }
    this.running = undefined;
  }
}
