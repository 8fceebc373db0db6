import * as fs from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { codeOf, errors, messageOf } from "./errors.ts";
import type { Opened, Problem, Store } from "./store.ts";
import type { SessionHeader, StoredEvent } from "./types.ts";

/** The format this version writes; a log of a newer one is opened for reading only. */
export const LOG_VERSION = 1;

const NEWLINE = 10;
const CRC_START = ',"crc":"';
/** `,"crc":"xxxxxxxx"}` */
const SUFFIX_LENGTH = CRC_START.length + 10;

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

/** Reads a log without changing it. Throws STORE_HEADER when its first line is no header. */
export function scanLog(path: string): Scan {
  return scanBytes(path, fs.readFileSync(path));
}

function scanBytes(path: string, bytes: Buffer): Scan {
  const headerEnd = bytes.indexOf(NEWLINE);
  const header = readHeader(path, headerEnd < 0 ? bytes : bytes.subarray(0, headerEnd));
  const scan: Scan = { header, events: [], places: [], problems: [], unterminated: false, bytes: bytes.length };
  const checked = header.checksum === "crc32";
  if (!checked) scan.problems.push({ line: 1, offset: 0, reason: "unchecked: the log has no checksums", lost: false });
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
  const reason = line.length === 0 ? "empty line" : "damaged: the checksum does not match";
  const salvaged = line.length === 0 ? { records: [], lost: false } : salvage(line);
  scan.problems.push({ ...place, reason, lost: salvaged.lost });
  for (const record of salvaged.records)
    takeRecord(scan, ids, record.bytes, { line: place.line, offset: place.offset + record.start });
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

/** Finds whole records inside a damaged line: two on one line, a record before a CR, one after zeroed bytes. */
function salvage(line: Buffer): { records: { bytes: Buffer; start: number }[]; lost: boolean } {
  const records: { bytes: Buffer; start: number }[] = [];
  let from = 0;
  for (let at = line.indexOf(CRC_START); at >= 0; at = line.indexOf(CRC_START, at + 1)) {
    const end = at + SUFFIX_LENGTH;
    const start = soundStart(line, from, end);
    if (start === undefined) continue;
    records.push({ bytes: line.subarray(start, end), start });
    from = end;
  }
  const kept = records.reduce((sum, record) => sum + record.bytes.length, 0);
  const blank = line.filter((byte) => byte === 0 || byte === 13).length;
  return { records, lost: kept + blank < line.length || records.length === 0 };
}

/** Where a sound record that ends at `end` begins, at or after `from`. */
function soundStart(line: Buffer, from: number, end: number): number | undefined {
  for (
    let start = line.indexOf('{"type":', from);
    start >= 0 && start < end;
    start = line.indexOf('{"type":', start + 1)
  )
    if (isSound(line.subarray(start, end))) return start;
  return undefined;
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

export interface JsonlOptions {
  /** The header of a new log; the file appears with the first append. */
  create?: SessionHeader;
  /** Neither repairs nor appends. */
  readOnly?: boolean;
}

/**
 * A log in one plain file. What `append` has taken survives a killed process; a failed append leaves
 * the file as it was. Opening moves a torn tail beside the log and truncates nothing else.
 */
export function createJsonlStore(path: string, options: JsonlOptions = {}): Store {
  return new JsonlStore(path, options);
}

class JsonlStore implements Store {
  private readonly path: string;
  private readonly options: JsonlOptions;
  private fd: number | undefined;
  /** Bytes known to be whole records. */
  private size = 0;
  private readOnly: string | undefined;
  private directorySynced = true;
  /** Written before the next record: the header of a new log, or a newline that got lost. */
  private pending = "";

  constructor(path: string, options: JsonlOptions) {
    this.path = path;
    this.options = options;
  }

  open(): Opened {
    if (this.options.create) return this.openNew(this.options.create);
    const bytes = fs.readFileSync(this.path);
    const scan = scanBytes(this.path, bytes);
    this.readOnly = this.whyReadOnly(scan);
    this.size = scan.torn?.offset ?? scan.bytes;
    if (this.readOnly === undefined) this.openForAppend(scan, bytes);
    return {
      header: scan.header,
      events: scan.events,
      problems: scan.problems,
      ...(this.readOnly && { readOnly: this.readOnly }),
    };
  }

  append(records: readonly string[]): void {
    if (this.readOnly !== undefined) throw errors.STORE_READ_ONLY({ path: this.path, reason: this.readOnly });
    const bytes = Buffer.from(this.pending + records.map(encodeLine).join(""));
    try {
      this.fd ??= fs.openSync(this.path, "ax", 0o600);
      this.writeAll(this.fd, bytes);
    } catch (thrown) {
      this.cutBack();
      throw errors.STORE_WRITE({ path: this.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
    }
    this.size += bytes.length;
    this.pending = "";
  }

  async sync(): Promise<void> {
    const fd = this.fd;
    if (fd === undefined) return;
    await settled((done) => fs.fdatasync(fd, done), this.path);
    if (this.directorySynced) return;
    await syncDirectory(dirname(this.path));
    this.directorySynced = true;
  }

  async close(): Promise<void> {
    if (this.fd !== undefined) fs.closeSync(this.fd);
    this.fd = undefined;
    this.readOnly = "it is closed";
  }

  private openNew(header: SessionHeader): Opened {
    this.pending = encodeLine(JSON.stringify({ ...header, checksum: "crc32" }));
    this.directorySynced = false;
    return { header: { ...header, checksum: "crc32" }, events: [], problems: [] };
  }

  private openForAppend(scan: Scan, bytes: Buffer): void {
    this.fd = fs.openSync(this.path, "a");
    if (scan.torn) this.setAside(bytes.subarray(scan.torn.offset));
    if (scan.unterminated) this.pending = "\n";
  }

  private whyReadOnly(scan: Scan): string | undefined {
    if (this.options.readOnly) return "it was opened so";
    if (scan.header.version > LOG_VERSION)
      return `its format ${scan.header.version} is newer than this version of Scorel knows (${LOG_VERSION})`;
    return undefined;
  }

  /** Keeps the torn bytes in a file of their own before they are cut off, so that nothing is glued to them. */
  private setAside(torn: Buffer): void {
    const base = this.path.replace(/\.jsonl$/, "");
    let n = 1;
    while (fs.existsSync(`${base}.torn-${n}`)) n++;
    fs.writeFileSync(`${base}.torn-${n}`, torn, { flag: "wx", mode: 0o600, flush: true });
    fs.ftruncateSync(this.fd as number, this.size);
  }

  /** A disk that fills answers with a short count first; only the next write says why. */
  private writeAll(fd: number, bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(fd, bytes, written, bytes.length - written);
  }

  private cutBack(): void {
    if (this.fd === undefined) return;
    try {
      fs.ftruncateSync(this.fd, this.size);
    } catch {
      // The next open finds the torn tail and sets it aside; the append is refused either way.
      this.readOnly = "a failed write could not be undone";
    }
  }
}

function settled(start: (done: (error: Error | null) => void) => void, path: string): Promise<void> {
  return new Promise((resolve, reject) =>
    start((error) =>
      error ? reject(errors.STORE_WRITE({ path, reason: codeOf(error) }, { cause: error })) : resolve(),
    ),
  );
}

/** Makes a new file's name survive a power loss. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await fs.promises.open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
