import { fstatSync, readSync } from "node:fs";
import type { SessionHeader, StoredEvent } from "@scorel/kernel";
import { Ledger, type Problem } from "@scorel/kernel/store";
import type { LogHeader } from "./contract.ts";
import { Envelope } from "./envelope.ts";
import { isCounted, readHeader } from "./header.ts";
import { LineSums } from "./line-sums.ts";
import type { LogFile } from "./log-file.ts";
import { decode, hasSum, isBlank, isSound, NEWLINE, numberOf, type Salvaged, salvage } from "./record-bytes.ts";
import { RowFinder } from "./row-finder.ts";

const CHUNK = 2 ** 20;
const FIRST_CHUNK = 2 ** 16;
const MANY_BYTES = 2 ** 18;

/** The result of reading a log, which may be damaged. */
export interface Scan extends LogHeader {
  /** Bytes at the end that are not a complete record. */
  torn?: { offset: number; length: number };
  /** The last record is complete, but its newline is missing. */
  unterminated: boolean;
  bytes: number;
  lines: number;
}

/** The place of a record in the file. */
export interface Place {
  /** The line number, from 1. */
  line: number;
  /** The byte offset of the record. */
  offset: number;
}

/** Where to continue a scan, and what is known about the log before that place. */
export interface Resumed {
  header: SessionHeader;
  problems: readonly Problem[];
  offset: number;
  lines: number;
  /** The number of the last record before that place, if known. */
  lastNumber?: number;
}

/**
 * Reads a log line by line. Lines in the form that Scorel writes are recognized by their bytes. Other lines are parsed, and complete
 * records are salvaged from damaged lines.
 */
export class Scanner {
  private readonly file: LogFile;
  private readonly fd: number;
  private readonly onRecord: ((place: Place) => void) | undefined;
  private readonly envelope = new Envelope();
  private readonly finder: RowFinder;
  private scan!: Scan;
  private line = 1;
  /** The bytes of the file from offset `at` on. */
  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;
  private sums: LineSums | undefined;
  private readonly ends: number[] = [];
  /** Bytes were lost since the last complete record. A gap in the numbers after them is the same loss, and not reported again. */
  private lost = false;
  /** The header is damaged, so the first undamaged record tells whether records are numbered. */
  private guessed = false;

  constructor(file: LogFile, fd: number, onRecord?: (place: Place) => void) {
    this.file = file;
    this.fd = fd;
    this.onRecord = onRecord;
    this.finder = new RowFinder(file);
  }

  run(resumed?: Resumed): Scan {
    if (resumed) this.resume(resumed);
    let buffer = Buffer.allocUnsafeSlow(FIRST_CHUNK);
    for (let used = 0, filled = 0; ; ) {
      const read = readSync(this.fd, buffer, filled, buffer.length - filled, this.at + filled);
      this.buffer = buffer.subarray(0, filled + read);
      this.finder.look(this.buffer, this.at);
      used = this.takeLines(used, filled);
      if (read === 0) return this.finish(used);
      filled += read;
      if (filled < buffer.length) continue;
      // The buffer is full. The unread rest moves to its front; for a line longer than the buffer, a larger one is made.
      if (used === 0 || buffer.length < CHUNK) buffer = Buffer.allocUnsafeSlow(Math.max(CHUNK, buffer.length * 2));
      this.buffer.copy(buffer, 0, used);
      this.advance(used);
      filled -= used;
      used = 0;
    }
  }

  /** Moves on by some bytes. After the first megabyte, makes room for the estimated number of rows of the file. */
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

  /** Whether a record must have a right checksum. From the first record with a right checksum on, all are checked. */
  private mustBeSound(bytes: Buffer, from: number, to: number): boolean {
    const { file } = this;
    if (file.checkedFrom <= file.ledger.size) return true;
    if (!hasSum(bytes, from, to)) return false;
    if (isSound(bytes, from, to)) file.checkedFrom = file.ledger.size;
    return true;
  }

  /** Reads the complete lines from `start` on, and returns where they end. There is no newline before `from`. */
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

  /** Whether all of these lines are undamaged, checked at once. Only done for many bytes, for which it is faster. */
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

  /** Adds a record in the form that Scorel writes, without parsing it. Returns false if the record has another form. */
  private takePlain(from: number, to: number): boolean {
    const { envelope, buffer, file, finder } = this;
    const { ledger } = file;
    if (!envelope.read(buffer, from, to)) return false;
    if (finder.rowOf(envelope.idHash, buffer, envelope.idFrom, envelope.idTo) !== Ledger.NO_ROW) return false;
    if (envelope.seq <= ledger.lastSeq) return false;
    if (file.counted) this.count(buffer, from, to, { line: this.line, offset: this.at + from });
    ledger.addRow(envelope.idHash, envelope.seq, finder.typeIndex(envelope), finder.parentRow(envelope));
    this.placed(this.at + from, to - from);
    return true;
  }

  /** Reports missing records before this one, by its number. */
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

  private takeDamaged(line: Buffer, place: Place, salvaged: Salvaged): void {
    this.scan.problems.push({ ...place, reason: reasonOf(line, salvaged), lost: salvaged.lost > 0 });
    if (salvaged.lost > 0) this.lost = true;
    this.takeSalvaged(line, place, salvaged);
  }

  private takeSalvaged(line: Buffer, place: Place, { records }: Salvaged): void {
    for (const { from, to } of records)
      this.takeRecord(line.subarray(from, to), { line: place.line, offset: place.offset + from });
  }

  /** Reads the bytes after the last newline. Complete records in them count; what follows the last one is torn. */
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
    const reason = `torn: the last ${torn.length} bytes are not a whole record`;
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
      problems.push({ ...place, reason: "shape: the record is not an event", lost: true });
      this.lost = true;
      return;
    }
    const id = Buffer.from(event.id);
    if (this.finder.rowOf(Ledger.hash(event.id), id, 0, id.length) !== Ledger.NO_ROW) {
      problems.push({ ...place, reason: `duplicate: the id ${event.id} is in the log already`, lost: false });
      return;
    }
    this.reportOrder(event, place);
    if (this.file.counted) this.count(record, 0, record.length, place);
    const { ledger } = this.file;
    const parent = event.parentId ?? null;
    const parentId = Buffer.from(parent ?? "");
    const row =
      parent === null ? Ledger.NO_PARENT : this.finder.rowOf(Ledger.hash(parent), parentId, 0, parentId.length);
    const lost = parent !== null && row === Ledger.NO_ROW;
    ledger.addRow(Ledger.hash(event.id), event.seq, ledger.typeIndex(event.type), lost ? Ledger.LOST_PARENT : row);
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

function isEvent(value: unknown): value is StoredEvent {
  const event = value as Partial<StoredEvent> | null | undefined;
  return typeof event?.id === "string" && typeof event.type === "string" && Number.isSafeInteger(event.seq);
}
