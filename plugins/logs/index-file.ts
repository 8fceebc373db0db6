import * as fs from "node:fs";
import { crc32 } from "node:zlib";
import type { SessionHeader } from "@scorel/kernel";
import type { LedgerImage, LogImage, Problem } from "@scorel/kernel/store";
import { openToRead } from "@scorel/kit/files/open";
import { replaceFile } from "@scorel/kit/files/private";
import type { LogFile } from "./log-file.ts";
import { isSound, namedSum } from "./record-bytes.ts";

const INDEX_VERSION = 2;
/** Columns begin at a multiple of this, the size of the widest number in bytes. */
const ALIGNED = 8;
const SUM_LENGTH = 4;
/** How many rows can be added before the columns must be copied. */
const SLACK = 4096;

/** Identifies the file that an index was made from, the number of indexed bytes, and the last indexed record. */
interface Proof {
  version: number;
  size: number;
  ino: number;
  mtimeMs: number;
  lines: number;
  last: { offset: number; length: number; sum: number };
}
interface Facts extends Proof {
  header: SessionHeader;
  problems: readonly Problem[];
  rows: number;
  slots: number;
  /** The number of the last record, if records are numbered. */
  lastNumber: number;
  types: readonly string[];
  lastSeq: number;
  image: Omit<LogImage, "flags">;
}
/** The contents of an index. */
export interface Indexed {
  facts: Facts;
  image: LogImage;
}

type Column = Float64Array | Uint32Array | Int32Array | Uint8Array;
/** The columns in the order of the file: wider numbers first, so that each column is aligned. */
interface Columns extends LedgerImage {
  offsets: Float64Array;
  lengths: Uint32Array;
  flags: Uint8Array;
}

/** Writes the index of a log, replacing the old one in one step. Throws file system errors. */
export function writeIndex(
  path: string,
  file: LogFile,
  told: { header: SessionHeader; problems: readonly Problem[]; lines: number },
  { flags, ...image }: LogImage,
): void {
  const { ledger, size, lastNumber = 0 } = file;
  const rows = ledger.size;
  const last = { offset: file.offsets[rows - 1] as number, length: file.lengths[rows - 1] as number };
  const sum = namedSum(file.bytes(last.offset, last.length), 0, last.length);
  const { ino, mtimeMs } = file.opened((fd) => fs.fstatSync(fd));
  const columns: Columns = { ...ledger.image(), offsets: file.offsets, lengths: file.lengths, flags };
  const { types, lastSeq } = ledger;
  const proof: Proof = { version: INDEX_VERSION, size, ino, mtimeMs, lines: told.lines, last: { ...last, sum } };
  const { header, problems } = told;
  const facts: Facts = {
    ...proof,
    header,
    problems,
    rows,
    slots: columns.slots.length,
    lastNumber,
    types,
    lastSeq,
    image,
  };
  replace(path, [headOf(facts), ...listed(columns).map((column) => widenedBytes(column, rows, columns.slots))]);
}

/** Reads an index and fills the file's ledger from it; undefined if the index is missing, damaged or not of this log. */
export function readIndex(path: string, file: LogFile): Indexed | undefined {
  try {
    const bytes = soundBytes(path);
    if (!bytes) return undefined;
    const end = bytes.indexOf(0);
    const facts = JSON.parse(bytes.toString("utf8", 0, end)) as Facts;
    if (!file.opened((fd) => isOf(facts, fd))) return undefined;
    const columns = columnsIn(bytes, aligned(end + 1), facts);
    file.checkedFrom = 0;
    file.lastNumber = facts.lastNumber;
    file.size = facts.size;
    file.restore(columns.offsets, columns.lengths, facts.rows);
    file.ledger.restore(columns, facts);
    return { facts, image: { ...facts.image, flags: columns.flags } };
  } catch {
    // The index is missing, cut off or invalid, so the log itself is read.
    return undefined;
  }
}

/** Whether the log probably still begins with the indexed bytes. Checks only the file's metadata and the last record. */
function isOf({ version, size, ino, mtimeMs, last }: Facts, fd: number): boolean {
  const stat = fs.fstatSync(fd);
  if (version !== INDEX_VERSION || stat.ino !== ino || stat.size < size) return false;
  if (stat.size === size && stat.mtimeMs !== mtimeMs) return false;
  const record = Buffer.alloc(last.length);
  fs.readSync(fd, record, 0, last.length, last.offset);
  return isSound(record) && namedSum(record, 0, last.length) === last.sum;
}

/** Whether an index file is undamaged. Throws file system errors. */
export function isIndexWhole(path: string): boolean {
  return soundBytes(path) !== undefined;
}

function soundBytes(path: string): Buffer | undefined {
  const fd = openToRead(path);
  try {
    const bytes = Buffer.allocUnsafeSlow(fs.fstatSync(fd).size);
    for (let filled = 0; filled < bytes.length; ) {
      const read = fs.readSync(fd, bytes, filled, bytes.length - filled, filled);
      if (read === 0) return undefined;
      filled += read;
    }
    const body = bytes.subarray(0, -SUM_LENGTH);
    return bytes.readUInt32LE(body.length) === crc32(body) ? bytes : undefined;
  } finally {
    fs.closeSync(fd);
  }
}

function columnsIn(bytes: Buffer, from: number, { rows, slots }: Facts): Columns {
  const capacity = roomFor(rows);
  let at = bytes.byteOffset + from;
  const next = (width: number, length: number) => {
    const start = at;
    at += width * length;
    return start;
  };
  const { buffer } = bytes;
  return {
    seq: new Float64Array(buffer, next(8, capacity), capacity),
    offsets: new Float64Array(buffer, next(8, capacity), capacity),
    type: new Uint32Array(buffer, next(4, capacity), capacity),
    parent: new Int32Array(buffer, next(4, capacity), capacity),
    hash: new Int32Array(buffer, next(4, capacity), capacity),
    lengths: new Uint32Array(buffer, next(4, capacity), capacity),
    slots: new Int32Array(buffer, next(4, slots), slots),
    flags: new Uint8Array(buffer, next(1, capacity), capacity),
  };
}

function listed({ seq, offsets, type, parent, hash, lengths, slots, flags }: Columns): Column[] {
  return [seq, offsets, type, parent, hash, lengths, slots, flags];
}

/** The bytes of a column, with room for more rows. The table of slots has free room already. */
function widenedBytes(column: Column, rows: number, slots: Int32Array): Buffer {
  if (column === slots) return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  const width = column.BYTES_PER_ELEMENT;
  const bytes = Buffer.alloc(roomFor(rows) * width);
  bytes.set(new Uint8Array(column.buffer, column.byteOffset, rows * width));
  return bytes;
}

/** How many rows there is room for. A multiple of eight, so that every column is aligned. */
function roomFor(rows: number): number {
  return aligned(rows + Math.max(SLACK, rows >> 6));
}

function headOf(facts: Facts): Buffer {
  const json = Buffer.from(`${JSON.stringify(facts)}\0`);
  const head = Buffer.alloc(aligned(json.length));
  json.copy(head);
  return head;
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNED) * ALIGNED;
}

/** Writes the parts, followed by their checksum. */
function replace(path: string, parts: readonly Buffer[]): void {
  const sum = Buffer.alloc(SUM_LENGTH);
  sum.writeUInt32LE(parts.reduce((crc, part) => crc32(part, crc), 0));
  replaceFile(path, Buffer.concat([...parts, sum]));
}
