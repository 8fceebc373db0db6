import type { ByteRange } from "../contract.ts";
import type { TextFile } from "./text-file.ts";

/** Finds a text in a file. A line break in the text matches LF and CRLF. */
export interface Finder {
  /** The first positions, including overlapping ones, ascending. A text such as `,` may occur in a file millions of times. */
  first(most: number, text: string): ByteRange[];
  /** The text in the file's encoding, with the line breaks used at this position. */
  written(text: string, at: ByteRange): Buffer;
}

/** Searches without the CRs of CRLFs; positions refer to the original file. */
export function createFinder(file: TextFile): Finder {
  const { bytes, encoding, crlf } = file;
  const { plain, returns } = crlf ? withoutReturns(bytes) : { plain: bytes, returns: [] };
  const original = (at: number) => at + countBelow(returns, at);
  return {
    first(most, text) {
      const wanted = Buffer.from(crlf ? toLf(text) : text, encoding);
      const places: ByteRange[] = [];
      if (wanted.length === 0 || !isWritable(text, encoding)) return places;
      for (let at = plain.indexOf(wanted); at >= 0 && places.length < most; at = plain.indexOf(wanted, at + 1))
        places.push([original(at), original(at + wanted.length)]);
      return places;
    },
    written(text, [from, to]) {
      const lf = crlf && usesCrlf(bytes, from, to) ? toLf(text).replaceAll("\n", "\r\n") : text;
      return Buffer.from(lf, encoding);
    },
  };
}

/** The first character that the encoding cannot represent. */
export function unwritable(text: string, encoding: TextFile["encoding"]): string | undefined {
  return encoding === "latin1" ? /[^\0-\xff]/u.exec(text)?.[0] : undefined;
}

/** Drops positions that overlap an earlier one. */
export function withoutOverlaps(places: readonly ByteRange[]): ByteRange[] {
  let end = 0;
  return places.filter(([from, to]) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}

function isWritable(text: string, encoding: TextFile["encoding"]): boolean {
  return unwritable(text, encoding) === undefined;
}

function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Whether to write CRLF: as the line breaks inside the range are; without any, as the first one of the file. */
function usesCrlf(bytes: Buffer, from: number, to: number): boolean {
  const inside = bytes.indexOf(10, from);
  const at = inside >= 0 && inside < to ? inside : bytes.indexOf(10);
  return at > 0 && bytes[at - 1] === 13;
}

/** The bytes without CRs before LFs, and the positions (in the result) where they were. */
function withoutReturns(bytes: Buffer): { plain: Buffer; returns: number[] } {
  const returns: number[] = [];
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf("\r\n"); at >= 0; at = bytes.indexOf("\r\n", at + 2)) {
    parts.push(bytes.subarray(start, at));
    returns.push(at - returns.length);
    start = at + 1;
  }
  return { plain: Buffer.concat([...parts, bytes.subarray(start)]), returns };
}

function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
