import { crc32 } from "node:zlib";
import { CRC_START, NEWLINE, namedSum, SUFFIX_LENGTH } from "./record-bytes.ts";

const BYTE = 256;
/** The polynomial of CRC-32, with reversed bits. */
const POLYNOMIAL = 0xedb88320;

/**
 * A function of a 32-bit number that is the XOR of one value for each of its bytes (and a constant), as a table of these values.
 * Appending bytes changes a CRC by such a function.
 */
type Additive = Int32Array;

function additive(of: (value: number) => number): Additive {
  const zero = of(0);
  const table = new Int32Array(4 * BYTE);
  for (let byte = 0; byte < 4; byte++)
    for (let value = 0; value < BYTE; value++) table[byte * BYTE + value] = of(value << (8 * byte)) ^ zero;
  // The constant is added once: every value of the first byte includes it.
  for (let value = 0; value < BYTE; value++) table[value] = (table[value] as number) ^ zero;
  return table;
}

function apply(table: Additive, value: number): number {
  return (
    (table[value & 255] as number) ^
    (table[256 + ((value >>> 8) & 255)] as number) ^
    (table[512 + ((value >>> 16) & 255)] as number) ^
    (table[768 + (value >>> 24)] as number)
  );
}

/**
 * Checks many lines with a single checksum over all their bytes. The checksum at the end of each line gives the expected checksum
 * of that line, and these give the expected checksum of all lines. This is several times faster than checking each line. Damage
 * that goes unnoticed is as unlikely as with separate checksums.
 */
export class LineSums {
  /** At index n: the checksum of bytes after 2^n zero bytes are appended. */
  private readonly followed: Additive[] = [additive(followedByZero)];
  /** Maps the checksum in a line to the checksum of the whole line with its newline. */
  private readonly line = additive((named) => this.lineSum(named));

  /** Whether every line between `from` and `to` is undamaged. `to` follows a newline. Sets `ends` to the ends of the lines. */
  match(bytes: Buffer, from: number, to: number, ends: number[]): boolean {
    let sum = 0;
    ends.length = 0;
    for (let start = from; start < to; ) {
      const end = bytes.indexOf(NEWLINE, start);
      ends.push(end);
      const named = namedSum(bytes, start, end);
      if (Number.isNaN(named)) return false;
      sum = this.followedBy(sum, end + 1 - start) ^ apply(this.line, named);
      start = end + 1;
    }
    return crc32(bytes.subarray(from, to)) === sum >>> 0;
  }

  private followedBy(sum: number, bytes: number): number {
    let result = sum;
    for (let power = 0, rest = bytes; rest > 0; power++, rest >>>= 1)
      if (rest & 1) result = apply(this.zeroes(power), result);
    return result;
  }

  private zeroes(power: number): Additive {
    const known = this.followed[power];
    if (known) return known;
    const half = this.zeroes(power - 1);
    const made = additive((sum) => apply(half, apply(half, sum)));
    this.followed[power] = made;
    return made;
  }

  /** The checksum in a line covers the record with its closing brace; in the line, the checksum replaces that brace. */
  private lineSum(named: number): number {
    const hex = (named >>> 0).toString(16).padStart(8, "0");
    return this.followedBy(named ^ crc32("}"), SUFFIX_LENGTH) ^ crc32(`${CRC_START}${hex}"}\n`);
  }
}

function followedByZero(sum: number): number {
  let result = sum;
  for (let bit = 0; bit < 8; bit++) result = result & 1 ? (result >>> 1) ^ POLYNOMIAL : result >>> 1;
  return result;
}
