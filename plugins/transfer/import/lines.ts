import type { FileHandle } from "node:fs/promises";
import type { Damage } from "../contract.ts";

const CHUNK = 2 ** 20;
const NEWLINE = 10;
/** Maximum length of a line in bytes. */
export const LONGEST_LINE = 64 * 2 ** 20;

export interface Line {
  /** Line number, from 1. */
  number: number;
  offset: number;
  bytes: Buffer;
}

/** Reads a file line by line. A line that is too long is reported and skipped. */
export async function* linesOf(
  file: Pick<FileHandle, "read">,
  onDamage: (damage: Damage) => void = () => {},
  longest: number = LONGEST_LINE,
): AsyncGenerator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  const line = new Gathered(longest);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) break;
    const read = chunk.subarray(0, bytesRead);
    let from = 0;
    for (let end = read.indexOf(NEWLINE); end >= 0; end = read.indexOf(NEWLINE, from)) {
      const whole = line.end(read.subarray(from, end), onDamage);
      if (whole) yield whole;
      from = end + 1;
    }
    line.add(read.subarray(from));
    at += bytesRead;
  }
  const last = line.end(Buffer.alloc(0), onDamage);
  if (last) yield last;
}

/** Collects one line from chunks. */
class Gathered {
  private parts: Buffer[] = [];
  private length = 0;
  private number = 1;
  private offset = 0;
  private readonly longest: number;

  constructor(longest: number) {
    this.longest = longest;
  }

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.longest) this.parts = [];
    else this.parts.push(Buffer.from(part));
  }

  /** Completes the line; undefined when it is blank or too long. */
  end(part: Buffer, onDamage: (damage: Damage) => void): Line | undefined {
    this.add(part);
    const { number, offset, length } = this;
    const bytes = Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    this.number++;
    this.offset += length + 1;
    if (length > this.longest)
      onDamage({ line: number, offset, reason: `${length} bytes are more than a line may have (${this.longest})` });
    return length > this.longest || isBlank(bytes) ? undefined : { number, offset, bytes };
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
