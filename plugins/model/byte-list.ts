/** Bytes that grow at their end, without being copied each time. */
export class ByteList {
  private room = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** A view that stays as it is, whatever becomes of the list. */
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

  /** Leaves out what was added after the first `length` bytes. */
  cut(length: number): void {
    this.room = Buffer.from(this.room.subarray(0, length));
    this.used = length;
  }
}
