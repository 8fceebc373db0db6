/** A part of the output. Offsets count UTF-8 bytes from the start of all output, and lie between characters. */
export interface Page {
  text: string;
  offset: number;
  next: number;
}

/** The last part of a stream, up to a limit, addressed by offsets that never change. */
export class Transcript {
  private readonly most: number;
  private bytes = Buffer.alloc(1024);
  private length = 0;
  /** How many bytes were dropped from the start. */
  private dropped = 0;

  /** `most` is how many bytes are kept at least; at most twice as many are held. */
  constructor(most: number) {
    this.most = most;
  }

  /** The offset of the next text. */
  get end(): number {
    return this.dropped + this.length;
  }

  write(text: string): void {
    const all = Buffer.from(text);
    let from = Math.max(0, all.length - this.most);
    while (continues(all[from])) from++;
    // The new text fills the limit, so everything before it is dropped.
    if (from > 0) this.forget(this.length);
    this.dropped += from;
    this.makeRoom(all.length - from);
    this.length += all.copy(this.bytes, this.length, from);
  }

  /** Text from an offset, or from the start of what is kept; at most `limit` bytes, which must be 4 or more. */
  from(offset: number, limit: number): Page {
    const begin = this.boundary(Math.min(Math.max(offset - this.dropped, 0), this.length));
    const end = this.boundary(Math.min(begin + limit, this.length));
    return { text: this.bytes.toString("utf8", begin, end), offset: this.dropped + begin, next: this.dropped + end };
  }

  /** The last `limit` bytes at most, and nothing before `offset`. */
  last(offset: number, limit: number): Page {
    const room = this.length - limit;
    const from = this.dropped + (room > 0 ? this.boundary(room + 3) : 0);
    return this.from(Math.max(offset, from), limit);
  }

  private makeRoom(more: number): void {
    if (this.length + more > 2 * this.most) this.forget(this.length + more - this.most);
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.alloc(Math.min(2 * this.most, Math.max(2 * this.bytes.length, this.length + more)));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Drops bytes from the start, including the rest of a character that would be cut. */
  private forget(count: number): void {
    let from = Math.min(count, this.length);
    while (from < this.length && continues(this.bytes[from])) from++;
    this.bytes.copyWithin(0, from, this.length);
    this.length -= from;
    this.dropped += from;
  }

  /** The start of the character at this index. */
  private boundary(at: number): number {
    let place = at;
    while (place > 0 && place < this.length && continues(this.bytes[place])) place--;
    return place;
  }
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
