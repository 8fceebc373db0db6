import type { ByteRange } from "../contract.ts";
import { countLines, type TextFile } from "./text-file.ts";

/** Where a Read starts: a 1-based line, and bytes into it. */
export interface Offset {
  line: number;
  byte: number;
}
/** The part of a file that a Read shows. */
export interface Selection {
  range: ByteRange;
  first: number;
  last: number;
  total: number;
  /** The shown part of an overlong line: its bytes within the line, and the line's length. */
  part?: { from: number; to: number; of: number };
  /** Where to continue; absent at the end of the file. */
  next?: Offset;
}

/**
 * Selects whole lines from `offset` that fit, at most `limit`; for an overlong line, the part that fits. Undefined after the
 * end.
 */
export function select(file: TextFile, offset: Offset, limit: number, budget: number): Selection | undefined {
  const start = startOf(file.bytes, offset.line);
  if (start < 0 || start >= file.bytes.length) return undefined;
  const total = countLines(file.bytes);
  if (offset.byte > 0 || cost(file, start, lineEnd(file.bytes, start)) > budget)
    return selectPart(file, offset, start, total, budget);
  return selectLines(file, offset.line, start, total, limit, budget);
}

function selectLines(
  file: TextFile,
  first: number,
  start: number,
  total: number,
  limit: number,
  budget: number,
): Selection {
  let last = first - 1;
  let end = start;
  for (let left = budget; end < file.bytes.length && last - first + 1 < limit; last++) {
    const next = lineEnd(file.bytes, end);
    left -= cost(file, end, next) + `${last + 1}\t`.length;
    if (left < 0 && last >= first) break;
    end = next;
  }
  const more = end < file.bytes.length;
  return { range: [start, end], first, last, total, ...(more && { next: { line: last + 1, byte: 0 } }) };
}

function selectPart(
  file: TextFile,
  { line, byte }: Offset,
  start: number,
  total: number,
  budget: number,
): Selection | undefined {
  const end = lineEnd(file.bytes, start);
  if (start + byte >= end) return undefined;
  const from = boundary(file, start + byte);
  const width = file.encoding === "latin1" ? Math.ceil(budget / 2) : budget;
  const to = end - from <= width ? end : boundary(file, from + width);
  const next =
    to < end ? { line, byte: to - start } : end < file.bytes.length ? { line: line + 1, byte: 0 } : undefined;
  const part = { from: from - start, to: to - start, of: end - start };
  return { range: [from, to], first: line, last: line, total, part, ...(next && { next }) };
}

function startOf(bytes: Buffer, line: number): number {
  let at = 0;
  for (let current = 1; current < line; current++) {
    at = bytes.indexOf(10, at) + 1;
    if (at === 0) return -1;
  }
  return at;
}

function lineEnd(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(10, start);
  return end < 0 ? bytes.length : end + 1;
}

/** The UTF-8 size of a range; for Latin-1, the largest possible one. */
function cost(file: TextFile, from: number, to: number): number {
  return (to - from) * (file.encoding === "latin1" ? 2 : 1);
}

/** The start of the character that contains a byte. */
function boundary({ bytes, encoding }: TextFile, at: number): number {
  let start = Math.min(at, bytes.length);
  while (encoding === "utf8" && start > 0 && start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80)
    start--;
  return start;
}
