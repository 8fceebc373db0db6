/** A growing byte list that doubles its buffer instead of copying on each addition. */
export class ByteList {
  private room = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** The present bytes as a view. Later additions and cuts do not change it. */
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

  /** Removes everything after the first `length` bytes. */
  cut(length: number): void {
    this.room = Buffer.from(this.room.subarray(0, length));
    this.used = length;
  }
}
