import { hashOfBytes, LOST_PARENT, NO_PARENT, NO_ROW } from "@scorel/kernel";
import type { Envelope } from "./envelope.ts";
import type { LogFile } from "./log-file.ts";
import { BEFORE_ID, START } from "./record-bytes.ts";

const QUOTE = 0x22;

/** Finds the rows of ids and types that stand in the bytes of a log, comparing bytes so that no record has to be parsed. */
export class RowFinder {
  private readonly file: LogFile;
  /** The part of the file that is in memory, and the offset at which it begins. */
  private chunk: Buffer = Buffer.alloc(0);
  private chunkAt = 0;
  private lastType = -1;
  private lastTypeBytes: Buffer = Buffer.alloc(0);
  private readonly sought: { bytes: Buffer; from: number; to: number } = { bytes: this.chunk, from: 0, to: 0 };
  private readonly isSought = (row: number) => this.hasSoughtId(row);

  constructor(file: LogFile) {
    this.file = file;
  }

  /** The scan has come to this part of the file. */
  look(chunk: Buffer, at: number): void {
    this.chunk = chunk;
    this.chunkAt = at;
  }

  /** The type of the record whose envelope was read from the chunk, as an index into the ledger's types. */
  typeIndex({ typeFrom, typeTo }: Envelope): number {
    const last = this.lastTypeBytes;
    if (typeTo - typeFrom === last.length && sameBytes(last, 0, this.chunk, typeFrom, typeTo)) return this.lastType;
    this.lastTypeBytes = Buffer.from(this.chunk.subarray(typeFrom, typeTo));
    this.lastType = this.file.ledger.typeIndex(this.lastTypeBytes.toString("latin1"));
    return this.lastType;
  }

  /** The row of the parent that an envelope of the chunk names, NO_PARENT or LOST_PARENT. */
  parentRow({ parentFrom: from, parentTo: to }: Envelope): number {
    if (from < 0) return NO_PARENT;
    const last = this.file.ledger.size - 1;
    if (last >= 0 && this.isAt(last, this.chunk, from, to)) return last;
    const row = this.rowOf(hashOfBytes(this.chunk, from, to), this.chunk, from, to);
    return row === NO_ROW ? LOST_PARENT : row;
  }

  /** The row whose id has this hash and stands between `from` and `to` of `bytes`, else NO_ROW. */
  rowOf(hash: number, bytes: Buffer, from: number, to: number): number {
    this.sought.bytes = bytes;
    this.sought.from = from;
    this.sought.to = to;
    return this.file.ledger.find(hash, this.isSought);
  }

  private hasSoughtId(row: number): boolean {
    const { bytes, from, to } = this.sought;
    return this.isAt(row, bytes, from, to) || this.file.read(row)?.id === bytes.toString("utf8", from, to);
  }

  /** Whether a row's record is in the chunk and has this id where our writer puts it. */
  private isAt(row: number, bytes: Buffer, from: number, to: number): boolean {
    const { file, chunk } = this;
    const offset = (file.offsets[row] as number) - this.chunkAt;
    const type = file.ledger.types[file.ledger.type[row] as number] as string;
    const at = offset + START.length + type.length + BEFORE_ID;
    return offset >= 0 && chunk[at + to - from] === QUOTE && sameBytes(chunk, at, bytes, from, to);
  }
}

/** Whether `from` to `to` of `bytes` stands in `other` at `at`. */
function sameBytes(other: Buffer, at: number, bytes: Buffer, from: number, to: number): boolean {
  for (let n = from; n < to; n++) if (other[at + n - from] !== bytes[n]) return false;
  return true;
}
