import { messageOf } from "@scorel/kit/values/coded-error";
import type { Store } from "../store.ts";

const BACKGROUND_SYNC_MS = 100;

/** Syncs written bytes to disk. At most one fdatasync runs at a time; writes during it are covered by the next one. */
export class Syncer {
  private readonly store: Store;
  private readonly onStatus: (error?: string) => void;
  private dirty = false;
  private failed = false;
  private running: Promise<void> | undefined;
  /** The next sync, while it waits for the running one to end. Meanwhile, nobody else may start one. */
  private following: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(store: Store, onStatus: (error?: string) => void) {
    this.store = store;
    this.onStatus = onStatus;
  }

  /** Called after each write. Syncs within 100 ms, unless `synced()` is called earlier. */
  touch(): void {
    this.dirty = true;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // A failure was reported by a `storage_status` event. The next append or sync tries again.
      this.synced().catch(() => {});
    }, BACKGROUND_SYNC_MS).unref();
  }

  /** Resolves when everything written so far is synced to disk. Rejects with STORE_SYNC. */
  synced(): Promise<void> {
    if (!this.dirty) return this.running ?? Promise.resolve();
    if (this.following) return this.following;
    return this.running ? this.follow(this.running) : this.start();
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.synced();
  }

  private follow(running: Promise<void>): Promise<void> {
    this.following = running
      .catch(() => {})
      .then(() => {
        this.following = undefined;
        return this.start();
      });
    handled(this.following);
    return this.following;
  }

  private start(): Promise<void> {
    this.dirty = false;
    this.running = this.store.sync().then(
      () => this.ended(),
      (thrown) => {
        this.dirty = true;
        this.ended(thrown);
        throw thrown;
      },
    );
    handled(this.running);
    return this.running;
  }

  private ended(thrown?: unknown): void {
    this.running = undefined;
    const failed = thrown !== undefined;
    if (failed || this.failed) this.onStatus(failed ? messageOf(thrown) : undefined);
    this.failed = failed;
  }
}

/** Prevents an unhandled rejection if nobody awaits the promise. The failure is also reported by a `storage_status` event. */
function handled(promise: Promise<void>): void {
  promise.catch(() => {});
}
