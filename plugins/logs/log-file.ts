import * as fs from "node:fs";
import { codeOf, type EventId, messageOf, type StoredEvent } from "@scorel/kernel";
import { Ledger, type Problem } from "@scorel/kernel/store";
import { openToRead } from "@scorel/kit/files/open";
import { rememberRecord } from "@scorel/kit/session/event-text";
import { freeze } from "@scorel/kit/values/freeze";
import { Recent } from "./recent.ts";
import { BEFORE_ID, decode, isSound, NEWLINE, recordIn, START } from "./record-bytes.ts";

/** The weight limit of the event cache, which holds at most twice as much: enough for the largest contexts with images. */
const KEPT_BYTES = 24 * 2 ** 20;
/** The estimated memory of a parsed event in addition to its text and its JSON, in bytes. */
const EVENT_BYTES = 1_000;
/** The number of last appended events that stay in memory whatever their size, since they are needed next. */
const KEPT_APPENDED = 256;
/** The factor by which full arrays grow. */
const GROWTH = 1.5;
const BLOCK = 2 ** 16;
const CHUNK = 2 ** 20;

/** The file of a log: knows the place of each record and reads events on demand. */
export class LogFile {
  readonly path: string;
  readonly ledger = new Ledger((row) => this.read(row));
  offsets: Float64Array = new Float64Array(64);
  lengths: Uint32Array = new Uint32Array(64);
  /** The first row with a checksum; all later rows have one, too. */
  checkedFrom = 0;
  /** Whether records are numbered. */
  counted = false;
  /** The highest record number; undefined while unknown, when a scan began in the middle. */
  lastNumber: number | undefined = 0;
  /** The length of all complete records, in bytes. */
  size = 0;
  /** The open file, if this process writes it; otherwise the file is opened for each read. */
  fd: number | undefined;
  onDamage: (problem: Problem) => void = () => {};
  /** The number of rows whose places are known. */
  count = 0;
  private window: Buffer = Buffer.alloc(0);
  private windowAt = 0;
  private readonly recent = new Recent<StoredEvent>(KEPT_BYTES);
  private readonly appended: StoredEvent[] = [];
  private readonly appendedRows = new Float64Array(KEPT_APPENDED).fill(-1);
  private readonly damaged = new Set<number>();

  constructor(path: string) {
    this.path = path;
    this.ledger.hasId = (row, id) => this.hasId(row, id);
  }

  /** Whether every record has a checksum. */
  get checked(): boolean {
    return this.checkedFrom === 0;
  }

  /** Whether a damaged record was found after the log was opened. */
  get spoiled(): boolean {
    return this.damaged.size > 0;
  }

  /** Adds the place of the record of the next row. */
  place(offset: number, length: number, event?: StoredEvent): void {
    const row = this.count++;
    if (row === this.offsets.length) this.reserve(Math.ceil(row * GROWTH));
    this.offsets[row] = offset;
    this.lengths[row] = length;
    this.size = Math.max(this.size, offset + length);
    if (!event) return;
    this.appended[row % KEPT_APPENDED] = event;
    this.appendedRows[row % KEPT_APPENDED] = row;
  }

  /** Makes room for a number of rows. */
  reserve(rows: number): void {
    if (rows <= this.offsets.length) return;
    const { offsets, lengths } = this;
    this.offsets = new Float64Array(rows);
    this.lengths = new Uint32Array(rows);
    this.offsets.set(offsets);
    this.lengths.set(lengths);
  }

  /** Sets the places of rows from an index. Only allowed while there are none. */
  restore(offsets: Float64Array, lengths: Uint32Array, rows: number): void {
    this.offsets = offsets;
    this.lengths = lengths;
    this.count = rows;
  }

  /** The event of a row. If its record is damaged now, that is reported once, and the result is undefined. */
  read(row: number): StoredEvent | undefined {
    const known = this.atHand(row);
    if (known || this.damaged.has(row)) return known;
    const event = this.decoded(row);
    if (event) this.recent.set(row, event, EVENT_BYTES + 2 * (this.lengths[row] as number));
    return event;
  }

  /** Compares ids at their usual place in the bytes, so that a search does not parse records. */
  private hasId(row: number, id: EventId): boolean {
    const known = this.atHand(row);
    if (!known && row < this.count && !this.damaged.has(row)) {
      const { ledger } = this;
      const type = ledger.types[ledger.type[row] as number] as string;
      const start = START.length + Buffer.byteLength(type) + BEFORE_ID;
      if (this.textAt(row, start, id.length + 1) === `${id}"`) return true;
    }
    return (known ?? this.ledger.read(row))?.id === id || this.damaged.has(row);
  }

  /** A few bytes of a record as text; undefined if they cannot be read. */
  private textAt(row: number, from: number, length: number): string | undefined {
    if (from + length > (this.lengths[row] as number)) return undefined;
    try {
      return this.bytes((this.offsets[row] as number) + from, length).toString("latin1");
    } catch {
      // Reading the whole record will report the error.
      return undefined;
    }
  }

  private atHand(row: number): StoredEvent | undefined {
    if (this.appendedRows[row % KEPT_APPENDED] === row) return this.appended[row % KEPT_APPENDED];
    return this.recent.get(row);
  }

  /** A part of the file, shorter at the end of the file. The next call may overwrite the buffer. */
  bytes(offset: number, length: number): Buffer {
    const from = offset - this.windowAt;
    if (from >= 0 && from + length <= this.window.length) return this.window.subarray(from, from + length);
    if (length > BLOCK) return this.load(Buffer.allocUnsafe(length), offset);
    const start = offset - (offset % BLOCK);
    const block = Buffer.allocUnsafeSlow(2 * BLOCK);
    this.keep(this.load(block, start).subarray(0, Math.max(0, this.size - start)), start);
    return this.window.subarray(offset - start, offset - start + length);
  }

  /** Caches bytes of the file, so that they need not be read again. */
  keep(bytes: Buffer, at: number): void {
    this.window = bytes;
    this.windowAt = at;
  }

  /** Calls `work` with the open file. Throws file system errors. */
  opened<T>(work: (fd: number) => T): T {
    if (this.fd !== undefined) return work(this.fd);
    const fd = openToRead(this.path);
    try {
      return work(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The number of the line that begins at an offset, from 1. */
  lineAt(offset: number): number {
    let line = 1;
    this.eachChunk(0, 1, (chunk, at) => {
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && at + end < offset; end = chunk.indexOf(NEWLINE, end + 1))
        line++;
    });
    return line;
  }

  /** Calls `work` with chunks from an offset to `size`. Each chunk begins with the last `overlap - 1` bytes of the previous one. */
  eachChunk(from: number, overlap: number, work: (chunk: Buffer, at: number) => void): void {
    const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK, this.size - from));
    this.opened((fd) => {
      for (let at = from; at < this.size; at += buffer.length - overlap + 1) {
        const read = fs.readSync(fd, buffer, 0, Math.min(buffer.length, this.size - at), at);
        work(buffer.subarray(0, read), at);
        if (at + read >= this.size || read < overlap) return;
      }
    });
  }

  private decoded(row: number): StoredEvent | undefined {
    const offset = this.offsets[row] as number;
    try {
      const line = this.bytes(offset, this.lengths[row] as number);
      const event = line.length === this.lengths[row] ? this.parsed(line, row) : undefined;
      if (event) return event;
      this.markDamaged(row, "damaged: the checksum does not match any more");
    } catch (thrown) {
      this.markDamaged(row, `unreadable: ${codeOf(thrown, messageOf(thrown))}`);
    }
    return undefined;
  }

  /** The event in a line, with the JSON that it was stored as; undefined if the line is damaged. */
  private parsed(line: Buffer, row: number): StoredEvent | undefined {
    if (row < this.checkedFrom) return freeze(decode(line, this.counted) as StoredEvent | undefined);
    if (!isSound(line)) return undefined;
    const json = recordIn(line, this.counted);
    const event: StoredEvent = freeze(JSON.parse(json));
    rememberRecord(event, json);
    return event;
  }

  private markDamaged(row: number, reason: string): void {
    this.damaged.add(row);
    const offset = this.offsets[row] as number;
    this.onDamage({ line: this.lineOf(offset), offset, reason, lost: true });
  }

  private lineOf(offset: number): number {
    try {
      return this.lineAt(offset);
    } catch {
      // The file cannot be read at all; the offset in the report tells the place.
      return 0;
    }
  }

  private load(buffer: Buffer, offset: number): Buffer {
    return this.opened((fd) => buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, offset)));
  }

  /** The row whose record contains an offset, or is the last one before it. */
  rowAt(offset: number): number {
    let low = 0;
    let high = this.count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.offsets[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
