/** Bytes that grow at their end, without being copied each time. */
export class ByteList {
  private room = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** A view: it changes when the list is cleared and filled again. */
  get bytes(): Buffer {
    return this.room.subarray(0, this.used);
  }

  add(text: string): void {
    const size = Buffer.byteLength(text);
    if (this.used + size > this.room.length) {
      const larger = Buffer.alloc(2 * (this.used + size));
      this.room.copy(larger, 0, 0, this.used);
      this.room = larger;
    }
    this.used += this.room.write(text, this.used);
  }

  clear(): void {
    this.room = Buffer.alloc(0);
    this.used = 0;
  }
}
