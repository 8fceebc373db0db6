import { crc32 } from "node:zlib";

/** The byte that ends a line. */
export const NEWLINE = 10;
const RETURN = 13;
const CLOSING = 0x7d;
/** The text before the checksum at the end of a line. */
export const CRC_START = ',"crc":"';
const CRC_BYTES = Buffer.from(CRC_START);
/** `,"crc":"xxxxxxxx"}` */
export const SUFFIX_LENGTH = CRC_START.length + 10;

/** The text before the number of a record, in logs of format 2. */
const NUMBER_START = ',"nth":';
const NUMBER_BYTES = Buffer.from(NUMBER_START);

/** The start of every event. No content block begins like this, which limits how often a damaged record is checked. */
export const START = '{"type":"';
/** The number of bytes between an event's type and its id. */
export const BEFORE_ID = '","id":"'.length;
const RECORD = /^\{"type":"[^"]*","id":"[^"]*","parentId":/;
const RECORD_LENGTH = 512;

/** Encodes a record as a line of the log, with its number `nth`, if given, and a checksum of everything before it. */
export function encodeLine(record: string, nth?: number): string {
  const json = nth === undefined ? record : `${record.slice(0, -1)}${NUMBER_START}${nth}}`;
  return `${json.slice(0, -1)}${CRC_START}${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}

/** Parses a line without its checksum and, if records are numbered, its number; undefined if it is not JSON. */
export function decode(line: Buffer, counted = false): unknown {
  try {
    const value = JSON.parse(line.toString("utf8"));
    if (typeof value !== "object" || value === null) return value;
    delete value.crc;
    if (counted) delete value.nth;
    return value;
  } catch {
    return undefined;
  }
}

/** The JSON of the record in a line with a checksum, without the checksum and the record number that were added to it. */
export function recordIn(line: Buffer, counted: boolean): string {
  const text = line.toString("utf8");
  const nth = counted ? numberOf(line, 0, line.length) : undefined;
  const added = SUFFIX_LENGTH + (nth === undefined ? 0 : NUMBER_START.length + String(nth).length);
  return `${text.slice(0, -added)}}`;
}

/** Whether the checksum in a line is right. Works on the bytes, which stay unchanged. */
export function isSound(bytes: Buffer, from = 0, to = bytes.length): boolean {
  const named = namedSum(bytes, from, to);
  if (Number.isNaN(named)) return false;
  // The checksum covers the record with a closing brace, in whose place the suffix begins.
  const start = to - SUFFIX_LENGTH;
  const comma = bytes[start] as number;
  bytes[start] = CLOSING;
  const sum = crc32(bytes.subarray(from, start + 1));
  bytes[start] = comma;
  return sum === named;
}

/** The checksum in a line; NaN if there is none. */
export function namedSum(bytes: Buffer, from: number, to: number): number {
  const start = to - SUFFIX_LENGTH;
  if (start <= from || bytes[to - 2] !== 0x22 || bytes[to - 1] !== CLOSING) return Number.NaN;
  for (let at = 0; at < CRC_START.length; at++) if (bytes[start + at] !== CRC_BYTES[at]) return Number.NaN;
  return hexIn(bytes, start + CRC_START.length);
}

/** Whether a line ends in a checksum, right or wrong. */
export function hasSum(bytes: Buffer, from = 0, to = bytes.length): boolean {
  return !Number.isNaN(namedSum(bytes, from, to));
}

/** The number of an undamaged record; undefined if it has none. */
export function numberOf(bytes: Buffer, from: number, to: number): number | undefined {
  const end = to - SUFFIX_LENGTH;
  let at = end;
  let nth = 0;
  for (let place = 1; at > from && isDigit(bytes[at - 1] as number); place *= 10)
    nth += ((bytes[--at] as number) - 0x30) * place;
  const start = at - NUMBER_START.length;
  if (at === end || start <= from) return undefined;
  for (let n = 0; n < NUMBER_START.length; n++) if (bytes[start + n] !== NUMBER_BYTES[n]) return undefined;
  return nth;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Parses eight lower-case hex digits; NaN if they are not. */
function hexIn(bytes: Buffer, from: number): number {
  let value = 0;
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30;
    else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + byte - 0x57;
    else return Number.NaN;
  }
  return value;
}

/** The readable parts of a damaged line. */
export interface Salvaged {
  /** The complete records in it, as byte ranges. */
  records: { from: number; to: number }[];
  /** The number of other bytes, without blank ones. */
  lost: number;
}

/** Finds complete records in a damaged line: two on one line, a record before a CR, or one after zeroed bytes. */
export function salvage(line: Buffer): Salvaged {
  const records: Salvaged["records"] = [];
  let from = 0;
  for (let at = line.indexOf(CRC_START); at >= 0; at = line.indexOf(CRC_START, at + 1)) {
    const to = at + SUFFIX_LENGTH;
    const start = soundStart(line, from, to);
    if (start === undefined) continue;
    records.push({ from: start, to });
    from = to;
  }
  const kept = records.reduce((sum, record) => sum + record.to - record.from, 0);
  const blank = line.filter((byte) => byte === 0 || byte === RETURN).length;
  const lost = line.length - kept - (records.length > 0 || isBlank(line) ? blank : 0);
  return { records, lost };
}

/** The start, at or after `from`, of an undamaged record that ends at `end`. */
function soundStart(line: Buffer, from: number, end: number): number | undefined {
  if (end > line.length) return undefined;
  for (let start = line.indexOf(START, from); start >= 0 && start < end; start = line.indexOf(START, start + 1))
    if (RECORD.test(line.toString("latin1", start, start + RECORD_LENGTH)) && isSound(line, start, end)) return start;
  return undefined;
}

export function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === RETURN);
}
export function endsInReturn(line: Buffer): boolean {
  return line.at(-1) === RETURN;
}
