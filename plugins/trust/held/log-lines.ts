import * as fs from "node:fs";

const PIECE_BYTES = 2 ** 20;
const NEWLINE = 10;

/** Yields the lines of a file that begin with `start`. Needs little memory even for a file that is longer than a string may be. */
export function* linesBeginning(start: string, path: string): Generator<string> {
  const line = new Line(Buffer.from(start));
  for (const piece of piecesOf(path)) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      line.add(piece.subarray(from, end));
      yield* line.take();
      from = end + 1;
    }
    line.add(piece.subarray(from));
  }
  yield* line.take();
}

/** Yields the bytes of a file. Each piece is valid until the next one is asked for. */
function* piecesOf(path: string): Generator<Buffer> {
  const fd = fs.openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    for (let size = fs.readSync(fd, buffer); size > 0; size = fs.readSync(fd, buffer)) yield buffer.subarray(0, size);
  } finally {
    fs.closeSync(fd);
  }
}

/** Collects the parts of a line, and drops them as soon as it is clear that the line does not begin as wanted. */
class Line {
  private readonly start: Buffer;
  private parts: Buffer[] = [];
  private length = 0;
  private isOther = false;

  constructor(start: Buffer) {
    this.start = start;
  }

  add(part: Buffer): void {
    if (this.isOther) return;
    const expected = this.start.subarray(this.length, this.length + part.length);
    this.isOther = !part.subarray(0, expected.length).equals(expected);
    if (this.isOther) return;
    this.parts.push(Buffer.from(part));
    this.length += part.length;
  }

  /** Returns the line, unless it is another one, and begins a new line. */
  take(): string[] {
    const isWanted = !this.isOther && this.length >= this.start.length;
    const lines = isWanted ? [Buffer.concat(this.parts).toString("utf8")] : [];
    this.parts = [];
    this.length = 0;
    this.isOther = false;
    return lines;
  }
}
