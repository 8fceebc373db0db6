import { Transform, type TransformCallback } from "node:stream";

/** Bytes that may come before the greeting. */
const MAX_BEFORE = 1024 * 1024;

/** Passes on the data after a line that is exactly the given word, and drops the data before it. */
export class AfterGreeting extends Transform {
  private readonly line: Buffer;
  private readonly greeted: () => void;
  private before: Buffer | undefined = Buffer.from("\n");
  private dropped = 0;

  constructor(word: string, greeted: () => void) {
    super();
    this.line = Buffer.from(`\n${word}\n`);
    this.greeted = greeted;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.before) {
      done(null, chunk);
      return;
    }
    const held = Buffer.concat([this.before, chunk]);
    const at = held.indexOf(this.line);
    if (at >= 0) {
      this.before = undefined;
      this.greeted();
      done(null, held.subarray(at + this.line.length));
      return;
    }
    this.dropped += chunk.length;
    this.before = held.subarray(-this.line.length);
    done(this.dropped > MAX_BEFORE ? new Error("it printed more than 1 MB before that") : null);
  }
}
