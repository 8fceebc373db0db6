import { Ledger } from "@scorel/kernel/store";
import { START } from "./record-bytes.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const ID = Buffer.from('","id":"');
const PARENT = Buffer.from('","parentId":');
const NULL = Buffer.from('null,"seq":');
const SEQ = Buffer.from('","seq":');
const OPENING = Buffer.from(START);
const SAFE_DIGITS = 15;

/** The positions of the first fields of a record. Found in its bytes, without parsing or copying. */
export class Envelope {
  typeFrom = 0;
  typeTo = 0;
  idFrom = 0;
  idTo = 0;
  idHash = 0;
  /** -1 when the parent is null. */
  parentFrom = 0;
  parentTo = 0;
  seq = 0;

  /** Reads the record that begins at `from`. Returns false if its fields are not in the order in which Scorel writes them. */
  read(bytes: Buffer, from: number, to: number): boolean {
    if (!stands(OPENING, bytes, from)) return false;
    this.typeFrom = from + OPENING.length;
    this.typeTo = endOfText(bytes, this.typeFrom, to);
    if (!stands(ID, bytes, this.typeTo)) return false;
    this.idFrom = this.typeTo + ID.length;
    this.idTo = endOfText(bytes, this.idFrom, to);
    if (!stands(PARENT, bytes, this.idTo)) return false;
    this.idHash = Ledger.hashOfBytes(bytes, this.idFrom, this.idTo);
    return this.readRest(bytes, this.idTo + PARENT.length, to);
  }

  private readRest(bytes: Buffer, at: number, to: number): boolean {
    if (stands(NULL, bytes, at)) {
      this.parentFrom = -1;
      return this.readSeq(bytes, at + NULL.length, to);
    }
    if (bytes[at] !== QUOTE) return false;
    this.parentFrom = at + 1;
    this.parentTo = endOfText(bytes, at + 1, to);
    return stands(SEQ, bytes, this.parentTo) && this.readSeq(bytes, this.parentTo + SEQ.length, to);
  }

  private readSeq(bytes: Buffer, from: number, to: number): boolean {
    let seq = 0;
    let at = from;
    for (; at < to && at - from <= SAFE_DIGITS; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      seq = seq * 10 + digit;
    }
    this.seq = seq;
    return at > from && at - from <= SAFE_DIGITS && bytes[at] === COMMA;
  }
}

/** The position of the quote that ends a string; `to` if there is none, or the string has an escape or non-ASCII character. */
function endOfText(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte >= 0x80) return to;
  }
  return to;
}

function stands(text: Buffer, bytes: Buffer, at: number): boolean {
  for (let n = 0; n < text.length; n++) if (bytes[at + n] !== text[n]) return false;
  return true;
}
