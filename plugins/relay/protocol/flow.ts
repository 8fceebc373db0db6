/**
 * Flow control of one channel: how much the sender may have on its way. A relay holds a limited amount for each connection and ends the
 * routes of one that reads more slowly than the other end sends, such as a phone that opens a session with large pictures.
 */

/** Bytes that may be on their way. Less than what a relay holds for a connection, and enough for a fast line over a long distance. */
const WINDOW_BYTES = 1024 * 1024;
/** Bytes after which the receiver acknowledges what it has received. */
const ACKNOWLEDGED_BYTES = 256 * 1024;

export class Flow {
  private sentBytes = 0;
  private arrivedBytes = 0;
  private receivedBytes = 0;
  private acknowledgedBytes = 0;

  /** Whether nothing more should be sent until the other end has acknowledged some of it. */
  get isFull(): boolean {
    return this.sentBytes - this.arrivedBytes >= WINDOW_BYTES;
  }

  sent(bytes: number): void {
    this.sentBytes += bytes;
  }

  /** The other end has acknowledged that so many bytes have arrived there. */
  arrived(count: number): void {
    if (count < this.arrivedBytes || count > this.sentBytes) throw new Error("what was not sent is acknowledged");
    this.arrivedBytes = count;
  }

  /** Counts received bytes. Returns how many to acknowledge; undefined if it is too early for that. */
  received(bytes: number): number | undefined {
    this.receivedBytes += bytes;
    if (this.receivedBytes - this.acknowledgedBytes < ACKNOWLEDGED_BYTES) return undefined;
    this.acknowledgedBytes = this.receivedBytes;
    return this.receivedBytes;
  }
}
