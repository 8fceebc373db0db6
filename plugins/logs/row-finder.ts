import { Ledger } from "@scorel/kernel/store";
import type { Envelope } from "./envelope.ts";
import type { LogFile } from "./log-file.ts";
import { BEFORE_ID, START } from "./record-bytes.ts";

const QUOTE = 0x22;

/** Finds the rows of ids and types in the bytes of a log. Compares bytes, so that no record is parsed. */
export class RowFinder {
  private readonly file: LogFile;
  /** The part of the file that is in memory. It begins at the offset `chunkAt`. */
  private chunk: Buffer = Buffer.alloc(0);
  private chunkAt = 0;
  private lastType = -1;
  private lastTypeBytes: Buffer = Buffer.alloc(0);
  private readonly sought: { bytes: Buffer; from: number; to: number } = { bytes: this.chunk, from: 0, to: 0 };
  private readonly isSought = (row: number) => this.hasSoughtId(row);

  constructor(file: LogFile) {
    this.file = file;
  }

  /** Sets the part of the file that the scan has reached. */
  look(chunk: Buffer, at: number): void {
    this.chunk = chunk;
    this.chunkAt = at;
  }

  /** The type of a record in the chunk, as an index into the ledger's types. */
  typeIndex({ typeFrom, typeTo }: Envelope): number {
    const last = this.lastTypeBytes;
    if (typeTo - typeFrom === last.length && sameBytes(last, 0, this.chunk, typeFrom, typeTo)) return this.lastType;
    this.lastTypeBytes = Buffer.from(this.chunk.subarray(typeFrom, typeTo));
    this.lastType = this.file.ledger.typeIndex(this.lastTypeBytes.toString("latin1"));
    return this.lastType;
  }

  /** The row of the parent of a record in the chunk, or NO_PARENT or LOST_PARENT. */
  parentRow({ parentFrom: from, parentTo: to }: Envelope): number {
    if (from < 0) return Ledger.NO_PARENT;
    const last = this.file.ledger.size - 1;
    if (last >= 0 && this.isAt(last, this.chunk, from, to)) return last;
    const row = this.rowOf(Ledger.hashOfBytes(this.chunk, from, to), this.chunk, from, to);
    return row === Ledger.NO_ROW ? Ledger.LOST_PARENT : row;
  }

  /** The row with the id in `bytes` from `from` to `to`, which has this hash; NO_ROW if there is none. */
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

  /** Whether a row's record is in the chunk and has this id at the usual place. */
  private isAt(row: number, bytes: Buffer, from: number, to: number): boolean {
    const { file, chunk } = this;
    const offset = (file.offsets[row] as number) - this.chunkAt;
    const type = file.ledger.types[file.ledger.type[row] as number] as string;
    const at = offset + START.length + type.length + BEFORE_ID;
    return offset >= 0 && chunk[at + to - from] === QUOTE && sameBytes(chunk, at, bytes, from, to);
  }
}

/** Whether `other` contains `bytes` from `from` to `to` at index `at`. */
function sameBytes(other: Buffer, at: number, bytes: Buffer, from: number, to: number): boolean {
  for (let n = from; n < to; n++) if (other[at + n - from] !== bytes[n]) return false;
  return true;
}
