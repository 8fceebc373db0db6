import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { codeOf, errors, messageOf } from "./errors.ts";
import type { Problem } from "./store.ts";
import type { SessionHeader, StoredEvent } from "./types.ts";

const NEWLINE = 10;
const RETURN = 13;
const CRC_START = ',"crc":"';
/** `,"crc":"xxxxxxxx"}` */
const SUFFIX_LENGTH = CRC_START.length + 10;

const START = '{"type":';
/** How every event begins: content blocks do not, so that a large damaged record is not summed up once for each. */
const RECORD = /^\{"type":"[^"]*","id":"[^"]*","parentId":/;
const RECORD_LENGTH = 512;

/** A log as its bytes tell it, whether or not they are sound. */
export interface Scan {
  header: SessionHeader;
  events: StoredEvent[];
  /** Where each event stands, in the order of `events`. */
  places: { line: number; offset: number }[];
  problems: Problem[];
  /** Bytes after the last newline that are no whole record. */
  torn?: { offset: number; length: number };
  /** The last record is whole but its newline is missing. */
  unterminated: boolean;
  bytes: number;
}

/** One record as a line of the log, its checksum over the bytes before it included. */
export function encodeLine(json: string): string {
  return `${json.slice(0, -1)}${CRC_START}${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}

/** Reads a log without changing it. Throws STORE_READ, and STORE_HEADER when its first line is no header. */
export function scanLog(path: string): Scan {
  return scanBytes(path, readLog(path));
}

/** A log's bytes; throws STORE_READ. */
export function readLog(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw errors.STORE_READ({ path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  }
}

/** The same for bytes that were read already; `path` is for messages. */
export function scanBytes(path: string, bytes: Buffer): Scan {
  const headerEnd = bytes.indexOf(NEWLINE);
  const first = headerEnd < 0 ? bytes : bytes.subarray(0, headerEnd);
  const returned = first.at(-1) === RETURN;
  const header = readHeader(path, returned ? first.subarray(0, -1) : first);
  const scan: Scan = { header, events: [], places: [], problems: [], unterminated: false, bytes: bytes.length };
  const checked = header.checksum === "crc32";
  if (!checked) scan.problems.push({ line: 1, offset: 0, reason: "unchecked: the log has no checksums", lost: false });
  if (returned) scan.problems.push({ line: 1, offset: 0, reason: "a carriage return ends the line", lost: false });
  const ids = new Set<string>();
  let line = 2;
  for (let offset = headerEnd < 0 ? bytes.length : headerEnd + 1; offset < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, offset);
    if (end < 0) readTail(scan, ids, bytes.subarray(offset), { line, offset }, checked);
    else readLine(scan, ids, bytes.subarray(offset, end), { line, offset }, checked);
    offset = end < 0 ? bytes.length : end + 1;
  }
  return scan;
}

function readHeader(path: string, line: Buffer): SessionHeader {
  if (line.length === 0) throw errors.STORE_HEADER({ path, reason: "it is empty" });
  const parsed = parse(line) as SessionHeader | undefined;
  if (typeof parsed?.sessionId !== "string" || typeof parsed.version !== "number")
    throw errors.STORE_HEADER({ path, reason: "its first line is no session header" });
  if (parsed.checksum === "crc32" && !isSound(line))
    throw errors.STORE_HEADER({ path, reason: "its header fails its checksum" });
  delete (parsed as { crc?: string }).crc;
  return parsed;
}

type Place = { line: number; offset: number };

function readLine(scan: Scan, ids: Set<string>, line: Buffer, place: Place, checked: boolean): void {
  if (!checked || isSound(line)) {
    takeRecord(scan, ids, line, place);
    return;
  }
  const salvaged = salvage(line);
  scan.problems.push({ ...place, reason: reasonOf(line, salvaged), lost: salvaged.lost > 0 });
  for (const record of salvaged.records)
    takeRecord(scan, ids, record.bytes, { line: place.line, offset: place.offset + record.start });
}

function reasonOf(line: Buffer, { records, lost }: Salvaged): string {
  if (isEmpty(line)) return "empty line";
  if (lost > 0) return `damaged: the checksum does not match (${lost} bytes)`;
  return records.length > 1
    ? `damaged: ${records.length} records on one line`
    : "damaged: blank bytes around the record";
}

function readTail(scan: Scan, ids: Set<string>, tail: Buffer, place: Place, checked: boolean): void {
  if (checked ? isSound(tail) : parse(tail) !== undefined) {
    scan.unterminated = true;
    takeRecord(scan, ids, tail, place);
    return;
  }
  scan.torn = { offset: place.offset, length: tail.length };
  scan.problems.push({ ...place, reason: `torn: the last ${tail.length} bytes are no whole record`, lost: true });
}

function takeRecord(scan: Scan, ids: Set<string>, record: Buffer, place: Place): void {
  const event = parse(record) as (StoredEvent & { crc?: string }) | undefined;
  if (!isEvent(event)) {
    scan.problems.push({ ...place, reason: "shape: the record is no event", lost: true });
    return;
  }
  if (ids.has(event.id)) {
    scan.problems.push({
      ...place,
      reason: `duplicate: the id ${event.id} is in the log already`,
      lost: false,
    });
    return;
  }
  const last = scan.events.at(-1);
  if (last && event.seq <= last.seq)
    scan.problems.push({ ...place, reason: `order: seq ${event.seq} follows ${last.seq}`, lost: false });
  delete event.crc;
  ids.add(event.id);
  scan.events.push(event);
  scan.places.push(place);
}

/** Whether a line's bytes carry the checksum of what stands before it. Never re-serialises. */
function isSound(line: Buffer): boolean {
  const start = line.length - SUFFIX_LENGTH;
  if (start < 1) return false;
  const suffix = line.toString("latin1", start);
  if (!suffix.startsWith(CRC_START) || !suffix.endsWith('"}')) return false;
  const crc = crc32("}", crc32(line.subarray(0, start)));
  return suffix.slice(CRC_START.length, -2) === crc.toString(16).padStart(8, "0");
}

interface Salvaged {
  records: { bytes: Buffer; start: number }[];
  /** Bytes that belong to none of them and are not blank. */
  lost: number;
}

/** Finds whole records inside a damaged line: two on one line, a record before a CR, one after zeroed bytes. */
function salvage(line: Buffer): Salvaged {
  const records: Salvaged["records"] = [];
  let from = 0;
  for (let at = line.indexOf(CRC_START); at >= 0; at = line.indexOf(CRC_START, at + 1)) {
    const end = at + SUFFIX_LENGTH;
    const start = soundStart(line, from, end);
    if (start === undefined) continue;
    records.push({ bytes: line.subarray(start, end), start });
    from = end;
  }
  const kept = records.reduce((sum, record) => sum + record.bytes.length, 0);
  const blank = line.filter((byte) => byte === 0 || byte === RETURN).length;
  const lost = line.length - kept - (records.length > 0 || isEmpty(line) ? blank : 0);
  return { records, lost };
}

/** Where a sound record that ends at `end` begins, at or after `from`. */
function soundStart(line: Buffer, from: number, end: number): number | undefined {
  for (let start = line.indexOf(START, from); start >= 0 && start < end; start = line.indexOf(START, start + 1))
    if (RECORD.test(line.toString("latin1", start, start + RECORD_LENGTH)) && isSound(line.subarray(start, end)))
      return start;
  return undefined;
}

function isEmpty(line: Buffer): boolean {
  return line.every((byte) => byte === RETURN);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is StoredEvent {
  const event = value as Partial<StoredEvent> | null | undefined;
  return typeof event?.id === "string" && typeof event.type === "string" && Number.isSafeInteger(event.seq);
}
