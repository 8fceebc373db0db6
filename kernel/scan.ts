import { fstatSync, readSync } from "node:fs";
import { Envelope } from "./envelope.ts";
import { codeOf, errors, messageOf } from "./errors.ts";
import { hashOf, hashOfBytes, type Ledger, LOST_PARENT, NO_PARENT, NO_ROW } from "./ledger.ts";
import { LineSums } from "./line-sums.ts";
import { LogFile } from "./log-file.ts";
import { isCounted, readHeader, scanHeader } from "./log-header.ts";
import {
  BEFORE_ID,
  decode,
  hasSum,
  isBlank,
  isSound,
  NEWLINE,
  numberOf,
  type Salvaged,
  START,
  salvage,
} from "./record-bytes.ts";
import type { Problem } from "./store.ts";
import type { SessionHeader, StoredEvent } from "./types.ts";

const CHUNK = 2 ** 20;
const FIRST_CHUNK = 2 ** 16;
const MANY_BYTES = 2 ** 18;
const QUOTE = 0x22;

/** A log as its bytes tell it, whether or not they are sound. */
export interface Scan {
  header: SessionHeader;
  problems: Problem[];
  /** Why nothing may be written behind it. */
  readOnly?: string;
  /** Bytes at the end that are no whole record. */
  torn?: { offset: number; length: number };
  /** The last record is whole but its newline is missing. */
  unterminated: boolean;
  bytes: number;
  lines: number;
}

/** A log read whole. */
export interface WholeLog extends Scan {
  events: StoredEvent[];
  /** Where each event stands, in the order of `events`. */
  places: Place[];
}
/** A log whose events are read when they are asked for. */
export interface LogReader extends Scan {
  ledger: Ledger;
  placeOf(row: number): Place;
}
export interface Place {
  /** 1-based line of the file. */
  line: number;
  /** Byte offset of the record. */
  offset: number;
}

/** Reads a log without changing it. Throws STORE_READ, and STORE_HEADER when its first line is no header. */
export function scanLog(path: string): WholeLog {
  return scanRest(path);
}

/** The same for what stands behind `resumed`. */
export function scanRest(path: string, resumed?: Resumed): WholeLog {
  const file = new LogFile(path);
  const places: Place[] = [];
  const scan = scanFile(file, resumed, (place) => places.push(place));
  return { ...scan, events: places.map((_place, row) => file.read(row) as StoredEvent), places };
}

/** The same as `scanLog` for a log of any length. */
export function readLog(path: string): LogReader {
  const file = new LogFile(path);
  const scan = scanFile(file);
  const placeOf = (row: number) => {
    const offset = file.offsets[row] as number;
    return { line: file.lineAt(offset), offset };
  };
  return { ...scan, ledger: file.ledger, placeOf };
}

/** Where a scan goes on, after what is known of the log already. */
export interface Resumed {
  header: SessionHeader;
  problems: readonly Problem[];
  offset: number;
  lines: number;
  /** The number of the last record before it, where that is known. */
  lastNumber?: number;
}

/** Where a scan begins that reads about so many bytes at the end of a file; undefined when the file is hardly longer. */
export function tailOf(file: LogFile, bytes: number): Resumed | undefined {
  const { header, problems } = scanHeader(file.path);
  const offset = file.opened((fd) => lineBehind(fd, fstatSync(fd).size - bytes));
  return offset === undefined ? undefined : { header, problems, offset, lines: 0 };
}

/** Where the first line begins behind an offset, if that is soon. */
function lineBehind(fd: number, from: number): number | undefined {
  if (from <= CHUNK) return undefined;
  const buffer = Buffer.allocUnsafe(CHUNK);
  const end = buffer.subarray(0, readSync(fd, buffer, 0, CHUNK, from)).indexOf(NEWLINE);
  return end < 0 ? undefined : from + end + 1;
}

/** Enters every record of a file in its ledger. Throws STORE_READ and STORE_HEADER. */
export function scanFile(file: LogFile, resumed?: Resumed, onRecord?: (place: Place) => void): Scan {
  try {
    return file.opened((fd) => new Scanner(file, fd, onRecord).run(resumed));
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code.startsWith("STORE_")) throw thrown;
    throw errors.STORE_READ({ path: file.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  }
}

/** Walks a file line by line. A line as our writer writes them is known by its bytes; any other is parsed, or salvaged. */
class Scanner {
  private readonly file: LogFile;
  private readonly fd: number;
  private readonly onRecord: ((place: Place) => void) | undefined;
  private readonly envelope = new Envelope();
  private scan!: Scan;
  private line = 1;
  /** What stands at `at` in the file. */
  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;
  private sums: LineSums | undefined;
  private readonly ends: number[] = [];
  /** Bytes were lost since the last whole record: a gap in the numbers behind it is no other loss. */
  private lost = false;
  /** The header is damaged: the first sound record tells whether records are counted. */
  private guessed = false;
  private lastType = -1;
  private lastTypeBytes: Buffer = Buffer.alloc(0);
  private readonly sought: { bytes: Buffer; from: number; to: number } = { bytes: Buffer.alloc(0), from: 0, to: 0 };
  private readonly isSought = (row: number) => this.hasSoughtId(row);

  constructor(file: LogFile, fd: number, onRecord?: (place: Place) => void) {
    this.file = file;
    this.fd = fd;
    this.onRecord = onRecord;
  }

  run(resumed?: Resumed): Scan {
    if (resumed) this.resume(resumed);
    let buffer = Buffer.allocUnsafeSlow(FIRST_CHUNK);
    for (let used = 0, filled = 0; ; ) {
      const read = readSync(this.fd, buffer, filled, buffer.length - filled, this.at + filled);
      this.buffer = buffer.subarray(0, filled + read);
      used = this.takeLines(used, filled);
      if (read === 0) return this.finish(used);
      filled += read;
      if (filled < buffer.length) continue;
      // Full: what is left of it moves to the front, or a line needs a longer one.
      if (used === 0 || buffer.length < CHUNK) buffer = Buffer.allocUnsafeSlow(Math.max(CHUNK, buffer.length * 2));
      this.buffer.copy(buffer, 0, used);
      this.advance(used);
      filled -= used;
      used = 0;
    }
  }

  /** After the first megabyte: room for as many rows as the file seems to have, at once. */
  private advance(bytes: number): void {
    const { file, at } = this;
    this.at += bytes;
    if (at >= CHUNK || this.at < CHUNK) return;
    const rows = Math.ceil(((file.ledger.size * 1.1) / this.at) * fstatSync(this.fd).size);
    file.ledger.reserve(rows);
    file.reserve(rows);
  }

  private resume({ header, problems, offset, lines, lastNumber }: Resumed): void {
    this.scan = { header, problems: [...problems], unterminated: false, bytes: offset, lines };
    this.at = offset;
    this.line = lines + 1;
    this.file.lastNumber = lastNumber;
    this.begin(header);
  }

  private begin(header: SessionHeader): void {
    this.file.checkedFrom = header.checksum === "crc32" ? 0 : Number.POSITIVE_INFINITY;
    this.file.counted = isCounted(header);
  }

  /** Whether the record in these bytes has to be sound: from the first one with a sound checksum on all are checked. */
  private mustBeSound(bytes: Buffer, from: number, to: number): boolean {
    const { file } = this;
    if (file.checkedFrom <= file.ledger.size) return true;
    if (!hasSum(bytes, from, to)) return false;
    if (isSound(bytes, from, to)) file.checkedFrom = file.ledger.size;
    return true;
  }

  /** Takes the whole lines from `start` on, the first newline sought at `from`; answers where they end. */
  private takeLines(start: number, from: number): number {
    let used = start;
    const end = this.buffer.indexOf(NEWLINE, from);
    if (end < 0) return used;
    if (!this.scan) {
      this.takeHeader(this.buffer.subarray(used, end));
      this.line++;
      used = end + 1;
    }
    const last = this.buffer.lastIndexOf(NEWLINE) + 1;
    const sound = this.areSound(used, last);
    for (let n = 0; used < last; n++, this.line++) {
      const next = sound ? (this.ends[n] as number) : this.buffer.indexOf(NEWLINE, used);
      this.takeLine(used, next, sound);
      used = next + 1;
    }
    return used;
  }

  /** Whether these lines can be known to be sound all at once, which pays where there are many. */
  private areSound(from: number, to: number): boolean {
    if (!this.file.checked || to - from < MANY_BYTES) return false;
    this.sums ??= new LineSums();
    return this.sums.match(this.buffer, from, to, this.ends);
  }

  private finish(used: number): Scan {
    const tail = this.buffer.subarray(used);
    if (!this.scan) this.takeHeader(tail);
    else if (tail.length > 0) this.takeTail(tail, { line: this.line, offset: this.at + used });
    const { scan, file } = this;
    scan.bytes = this.at + this.buffer.length;
    scan.lines = this.line - 1;
    file.size = scan.torn?.offset ?? scan.bytes;
    file.keep(this.buffer.subarray(0, file.size - this.at), this.at);
    return scan;
  }

  private takeHeader(line: Buffer): void {
    const { header, problems, readOnly, guessed } = readHeader(this.file.path, line);
    this.guessed = guessed === true;
    this.scan = { header, problems, ...(readOnly && { readOnly }), unterminated: false, bytes: 0, lines: 1 };
    this.begin(header);
  }

  private takeLine(from: number, to: number, known: boolean): void {
    const checks = known || this.mustBeSound(this.buffer, from, to);
    const sound = known || (checks && isSound(this.buffer, from, to));
    if (this.guessed && sound) {
      this.guessed = false;
      this.file.counted = numberOf(this.buffer, from, to) !== undefined;
    }
    if (sound && this.takePlain(from, to)) return;
    const place = { line: this.line, offset: this.at + from };
    const line = this.buffer.subarray(from, to);
    if (sound || !checks) this.takeRecord(line, place);
    else this.takeDamaged(line, place, salvage(line));
  }

  /** A record as our writer begins them, which needs no parsing. */
  private takePlain(from: number, to: number): boolean {
    const { envelope, buffer, file } = this;
    const { ledger } = file;
    if (!envelope.read(buffer, from, to)) return false;
    if (this.rowOf(envelope.idHash, buffer, envelope.idFrom, envelope.idTo) !== NO_ROW) return false;
    if (envelope.seq <= ledger.lastSeq) return false;
    if (file.counted) this.count(buffer, from, to, { line: this.line, offset: this.at + from });
    ledger.addRow(envelope.idHash, envelope.seq, this.typeIndex(), this.parentRow());
    this.placed(this.at + from, to - from);
    return true;
  }

  /** Notices by its number that records before this one are missing. */
  private count(bytes: Buffer, from: number, to: number, place: Place): void {
    const { file } = this;
    const nth = numberOf(bytes, from, to);
    if (nth === undefined) return;
    const missing = nth - 1 - (file.lastNumber ?? nth - 1);
    if (missing > 0 && !this.lost) {
      const reason = `missing: ${missing === 1 ? "a record" : `${missing} records`} before this one (number ${nth})`;
      this.scan.problems.push({ ...place, reason, lost: true });
    }
    this.lost = false;
    if (file.lastNumber === undefined || nth > file.lastNumber) file.lastNumber = nth;
  }

  private placed(offset: number, length: number): void {
    this.file.place(offset, length);
    this.onRecord?.({ line: this.line, offset });
  }

  private typeIndex(): number {
    const { typeFrom, typeTo } = this.envelope;
    const last = this.lastTypeBytes;
    if (typeTo - typeFrom === last.length && sameBytes(last, 0, this.buffer, typeFrom, typeTo)) return this.lastType;
    this.lastTypeBytes = Buffer.from(this.buffer.subarray(typeFrom, typeTo));
    this.lastType = this.file.ledger.typeIndex(this.lastTypeBytes.toString("latin1"));
    return this.lastType;
  }

  private parentRow(): number {
    const { parentFrom: from, parentTo: to } = this.envelope;
    if (from < 0) return NO_PARENT;
    const last = this.file.ledger.size - 1;
    if (last >= 0 && this.isAt(last, this.buffer, from, to)) return last;
    const row = this.rowOf(hashOfBytes(this.buffer, from, to), this.buffer, from, to);
    return row === NO_ROW ? LOST_PARENT : row;
  }

  private rowOf(hash: number, bytes: Buffer, from: number, to: number): number {
    this.sought.bytes = bytes;
    this.sought.from = from;
    this.sought.to = to;
    return this.file.ledger.find(hash, this.isSought);
  }

  private hasSoughtId(row: number): boolean {
    const { bytes, from, to } = this.sought;
    return this.isAt(row, bytes, from, to) || this.file.read(row)?.id === bytes.toString("utf8", from, to);
  }

  /** Whether an id stands where it would in a plainly written record, if that is still at hand. */
  private isAt(row: number, bytes: Buffer, from: number, to: number): boolean {
    const { file, buffer } = this;
    const offset = (file.offsets[row] as number) - this.at;
    const type = file.ledger.types[file.ledger.type[row] as number] as string;
    const at = offset + START.length + type.length + BEFORE_ID;
    return offset >= 0 && buffer[at + to - from] === QUOTE && sameBytes(buffer, at, bytes, from, to);
  }

  private takeDamaged(line: Buffer, place: Place, salvaged: Salvaged): void {
    this.scan.problems.push({ ...place, reason: reasonOf(line, salvaged), lost: salvaged.lost > 0 });
    if (salvaged.lost > 0) this.lost = true;
    this.takeSalvaged(line, place, salvaged);
  }

  private takeSalvaged(line: Buffer, place: Place, { records }: Salvaged): void {
    for (const { from, to } of records)
      this.takeRecord(line.subarray(from, to), { line: place.line, offset: place.offset + from });
  }

  /** Whole records stay where they are; what follows the last of them is torn. */
  private takeTail(tail: Buffer, place: Place): void {
    const checks = this.mustBeSound(tail, 0, tail.length);
    if (checks ? isSound(tail) : decode(tail) !== undefined) {
      this.scan.unterminated = true;
      this.takeRecord(tail, place);
      return;
    }
    const salvaged = checks ? salvage(tail) : { records: [], lost: tail.length };
    const end = salvaged.records.at(-1)?.to ?? 0;
    if (end > 0) this.takeBeforeTear(tail.subarray(0, end), place);
    if (end === tail.length) return;
    const torn = { offset: place.offset + end, length: tail.length - end };
    const reason = `torn: the last ${torn.length} bytes are no whole record`;
    this.scan.torn = torn;
    this.scan.problems.push({ line: place.line, offset: torn.offset, reason, lost: true });
  }

  private takeBeforeTear(line: Buffer, place: Place): void {
    const salvaged = salvage(line);
    this.scan.unterminated = true;
    if (salvaged.records.length === 1 && salvaged.lost === 0) this.takeSalvaged(line, place, salvaged);
    else this.takeDamaged(line, place, salvaged);
  }

  private takeRecord(record: Buffer, place: Place): void {
    const event = decode(record, this.file.counted) as StoredEvent | undefined;
    const { problems } = this.scan;
    if (!isEvent(event)) {
      problems.push({ ...place, reason: "shape: the record is no event", lost: true });
      this.lost = true;
      return;
    }
    const id = Buffer.from(event.id);
    if (this.rowOf(hashOf(event.id), id, 0, id.length) !== NO_ROW) {
      problems.push({ ...place, reason: `duplicate: the id ${event.id} is in the log already`, lost: false });
      return;
    }
    this.reportOrder(event, place);
    if (this.file.counted) this.count(record, 0, record.length, place);
    const { ledger } = this.file;
    const parent = event.parentId ?? null;
    const parentId = Buffer.from(parent ?? "");
    const row = parent === null ? NO_PARENT : this.rowOf(hashOf(parent), parentId, 0, parentId.length);
    const lost = parent !== null && row === NO_ROW;
    ledger.addRow(hashOf(event.id), event.seq, ledger.typeIndex(event.type), lost ? LOST_PARENT : row);
    this.placed(place.offset, record.length);
  }

  private reportOrder({ seq }: StoredEvent, place: Place): void {
    const { ledger } = this.file;
    const last = ledger.seq[ledger.size - 1];
    if (ledger.size > 0 && last !== undefined && seq <= last)
      this.scan.problems.push({ ...place, reason: `order: seq ${seq} follows ${last}`, lost: false });
  }
}

function reasonOf(line: Buffer, { records, lost }: Salvaged): string {
  if (isBlank(line)) return "empty line";
  if (lost > 0) return `damaged: the checksum does not match (${lost} bytes)`;
  return records.length > 1
    ? `damaged: ${records.length} records on one line`
    : "damaged: blank bytes around the record";
}

/** Whether `from` to `to` of `bytes` stands in `other` at `at`. */
function sameBytes(other: Buffer, at: number, bytes: Buffer, from: number, to: number): boolean {
  for (let n = from; n < to; n++) if (other[at + n - from] !== bytes[n]) return false;
  return true;
}

function isEvent(value: unknown): value is StoredEvent {
  const event = value as Partial<StoredEvent> | null | undefined;
  return typeof event?.id === "string" && typeof event.type === "string" && Number.isSafeInteger(event.seq);
}
