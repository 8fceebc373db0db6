import { messageOf } from "@scorel/kit/values/coded-error";
import type { Store } from "./store.ts";

const BACKGROUND_SYNC_MS = 100;

/** Turns "written" into "synced": one fdatasync in flight covers all earlier bytes, others follow soon. */
export class Syncer {
  private readonly store: Store;
  private readonly onStatus: (error?: string) => void;
  private dirty = false;
  private failed = false;
  private running: Promise<void> | undefined;
  private following: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(store: Store, onStatus: (error?: string) => void) {
    this.store = store;
    this.onStatus = onStatus;
  }

  /** Bytes were written; without an explicit `synced()` they follow within 100 ms. */
  touch(): void {
    this.dirty = true;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // The status event has told of a failure; the next append or sync tries again.
      this.synced().catch(() => {});
    }, BACKGROUND_SYNC_MS).unref();
  }

  /** Resolves when everything written until now is on disk; rejects with STORE_SYNC. */
  synced(): Promise<void> {
    if (!this.running) return this.dirty ? this.start() : Promise.resolve();
    if (!this.dirty) return this.running;
    this.following ??= this.running
      .catch(() => {})
      .then(() => {
        this.following = undefined;
        return this.start();
      });
    handled(this.following);
    return this.following;
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.synced();
  }

  private start(): Promise<void> {
    this.dirty = false;
    this.running = this.store.sync().then(
      () => this.settle(),
      (thrown) => {
        this.dirty = true;
        this.settle(thrown);
        throw thrown;
      },
    );
    handled(this.running);
    return this.running;
  }

  private settle(thrown?: unknown): void {
    this.running = undefined;
    const failed = thrown !== undefined;
    if (failed || this.failed) this.onStatus(failed ? messageOf(thrown) : undefined);
    this.failed = failed;
  }
}

/** Whoever waits hears of a failure, and everyone by the status event: that nobody waits is no error. */
function handled(promise: Promise<void>): void {
  promise.catch(() => {});
}
