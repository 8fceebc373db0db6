/** The most messages, and milliseconds, for which one key is used. */
const MAX_KEY_MESSAGES = 2 ** 20;
export const MAX_KEY_MS = 15 * 60_000;

/** How long the keys of the two directions of a channel have been used. */
export class KeyUse {
  private readonly now: () => number;
  private readonly most: number;
  private sent = 0;
  private received = 0;
  private since: number;

  /** `now`: milliseconds of a monotonic clock. `most`: the most messages for a key. */
  constructor(now: () => number, most = MAX_KEY_MESSAGES) {
    this.now = now;
    this.most = most;
    this.since = now();
  }

  /** Counts a message to send. Returns whether it has to be the last one of its key. */
  isLastSent(): boolean {
    return ++this.sent >= this.most || this.now() - this.since >= MAX_KEY_MS;
  }

  /** Counts a received message. Throws if the other end should have changed the key before. */
  countReceived(): void {
    if (++this.received > this.most) throw new Error("a key was used for too long");
  }

  /** Starts counting for a new sending key. */
  renewSending(): void {
    this.sent = 0;
    this.since = this.now();
  }

  /** Starts counting for a new receiving key. */
  renewReceiving(): void {
    this.received = 0;
  }
}
