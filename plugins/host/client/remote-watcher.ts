import type { Client, SessionChange } from "../contract.ts";

type Listener = Parameters<Client["watchSessions"]>[0];

/** Passes changes of sessions to a listener, one after the other. */
export class RemoteWatcher {
  readonly capacity: number | undefined;
  private readonly listener: Listener;
  private readonly failed: (thrown: unknown) => void;
  private queue: { changes: SessionChange[]; done: () => void }[] = [];
  private isWorking = false;
  private ended = false;

  constructor(listener: Listener, capacity: number | undefined, failed: (thrown: unknown) => void) {
    this.listener = listener;
    this.capacity = capacity;
    this.failed = failed;
  }

  /** Queues changes. `done` is called when the listener has processed them, or when the watcher has ended. */
  take(changes: SessionChange[], done: () => void): void {
    if (this.ended) {
      done();
      return;
    }
    this.queue.push({ changes, done });
    if (!this.isWorking) void this.work();
  }

  end(): void {
    this.ended = true;
    for (const { done } of this.queue.splice(0)) done();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      for (const change of next.changes) {
        if (this.ended) break;
        try {
          await this.listener(change);
        } catch (thrown) {
          this.failed(thrown);
        }
      }
      next.done();
    }
    this.isWorking = false;
  }
}
