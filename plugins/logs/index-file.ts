import * as fs from "node:fs";
import { crc32 } from "node:zlib";
import type { LedgerImage, LogImage, Problem, SessionHeader } from "@scorel/kernel";
import { replaceFile } from "@scorel/kit/files/private";
import type { LogFile } from "./log-file.ts";
import { openToRead } from "./open-file.ts";
import { isSound, namedSum } from "./record-bytes.ts";

const INDEX_VERSION = 2;
/** Columns begin at a multiple of the widest number. */
const ALIGNED = 8;
const SUM_LENGTH = 4;
/** Rows that may be added before the columns have to be copied. */
const SLACK = 4096;

/** Which bytes of which file an index speaks of, and the last record among them. */
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
  /** The number that the last record bears, where records are counted. */
  lastNumber: number;
  types: readonly string[];
  lastSeq: number;
  image: Omit<LogImage, "flags">;
}
/** A log as its index tells it. */
export interface Indexed {
  facts: Facts;
  image: LogImage;
}

type Column = Float64Array | Uint32Array | Int32Array | Uint8Array;
/** In the order of the file: the wider ones first, so that each is aligned. */
interface Columns extends LedgerImage {
  offsets: Float64Array;
  lengths: Uint32Array;
  flags: Uint8Array;
}

/** Writes everything that is known of a log beside it: whole, or not at all. Throws what the system says. */
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

/** Reads an index and fills the file's ledger from it; undefined when anything about it is in doubt. */
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
    // Missing, cut short, of another kind: the log itself is read.
    return undefined;
  }
}

/** Whether the log still begins with the bytes that were indexed, as far as that can be told without reading them. */
function isOf({ version, size, ino, mtimeMs, last }: Facts, fd: number): boolean {
  const stat = fs.fstatSync(fd);
  if (version !== INDEX_VERSION || stat.ino !== ino || stat.size < size) return false;
  if (stat.size === size && stat.mtimeMs !== mtimeMs) return false;
  const record = Buffer.alloc(last.length);
  fs.readSync(fd, record, 0, last.length, last.offset);
  return isSound(record) && namedSum(record, 0, last.length) === last.sum;
}

/** Whether an index file is whole; throws what the system says when it cannot be read. */
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

/** A column with room for more rows; the table of slots has its own. */
function widenedBytes(column: Column, rows: number, slots: Int32Array): Buffer {
  if (column === slots) return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  const width = column.BYTES_PER_ELEMENT;
  const bytes = Buffer.alloc(roomFor(rows) * width);
  bytes.set(new Uint8Array(column.buffer, column.byteOffset, rows * width));
  return bytes;
}

/** A multiple of eight, so that every column is aligned. */
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

/** Writes the parts and the sum of all of them behind. */
function replace(path: string, parts: readonly Buffer[]): void {
  const sum = Buffer.alloc(SUM_LENGTH);
  sum.writeUInt32LE(parts.reduce((crc, part) => crc32(part, crc), 0));
  replaceFile(path, Buffer.concat([...parts, sum]));
}
