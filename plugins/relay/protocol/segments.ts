/** The content of an encrypted message: segments of strings, padded with zeros to one of a few sizes, so that the length says little. */

import { textOf, uint64, uint64At, utf8 } from "./bytes.ts";
import type { Bytes } from "./primitives.ts";

const HEADER_BYTES = 5;
const COUNT_BYTES = 8;
/** Sizes of messages in bytes. */
export const SIZES = [256, 1024, 4096, 16_384, 32_768] as const;
export const MAX_SIZE = 32_768;

const kinds = { padding: 0, text: 1, part: 2, rekey: 3, end: 4, received: 5 } as const;

const NONE: Bytes = new Uint8Array(0);

interface Segment {
  kind: number;
  bytes: Bytes;
}

/** The content of a message. */
export interface Unpacked {
  texts: string[];
  /** The sender's next message uses a new key. */
  isRekeyed: boolean;
  /** No message follows this one. */
  isEnd: boolean;
  /** Number of bytes that the sender has received. */
  received?: number;
}

/** Splits waiting strings into messages. */
export class Packer {
  private waiting: Bytes[] = [];
  private isEnding = false;
  private received: number | undefined;
  /** Bytes of the first waiting text that have been sent. */
  private sent = 0;
  private byteCount = 0;

  /** Bytes that wait to be sent. */
  get bytes(): number {
    return this.byteCount;
  }

  /** Bytes that wait behind the text that is being sent. */
  get behind(): number {
    const [first] = this.waiting;
    return first ? this.byteCount - (first.length - this.sent) : 0;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && !this.isEnding && !this.acknowledges;
  }

  /** Whether the next message tells the other end how much has been received. */
  get acknowledges(): boolean {
    return this.received !== undefined;
  }

  add(text: string): void {
    const bytes = utf8(text);
    this.waiting.push(bytes);
    this.byteCount += bytes.length;
  }

  /** Tells the other end with the next message that so many bytes were received. */
  acknowledge(received: number): void {
    this.received = received;
  }

  /** Marks the end: nothing is added after it. */
  end(): void {
    this.isEnding = true;
  }

  /** Returns the next message, with as much of the waiting strings as fits; with none of them if the other end cannot receive more now. */
  next(isRekey: boolean, { isFull = false } = {}): Bytes {
    const segments = this.acknowledgement();
    let room = MAX_SIZE - bytesOf(segments) - (isRekey ? HEADER_BYTES : 0);
    let taken = 0;
    for (const text of isFull ? [] : this.waiting) {
      const rest = text.length - this.sent;
      // A part of a string has at least one byte.
      if (room < HEADER_BYTES + Math.min(rest, 1)) break;
      const length = Math.min(rest, room - HEADER_BYTES);
      const isWhole = length === rest;
      const bytes = isWhole && this.sent === 0 ? text : text.subarray(this.sent, this.sent + length);
      segments.push({ kind: isWhole ? kinds.text : kinds.part, bytes });
      room -= HEADER_BYTES + length;
      this.byteCount -= length;
      this.sent = isWhole ? 0 : this.sent + length;
      if (!isWhole) break;
      taken++;
    }
    this.waiting = taken === this.waiting.length ? [] : this.waiting.slice(taken);
    if (isRekey) segments.push({ kind: kinds.rekey, bytes: NONE });
    else if (this.waiting.length === 0 && this.isEnding && room >= HEADER_BYTES) {
      segments.push({ kind: kinds.end, bytes: NONE });
      this.isEnding = false;
    }
    return messageOf(segments);
  }

  private acknowledgement(): Segment[] {
    const { received } = this;
    this.received = undefined;
    return received === undefined ? [] : [{ kind: kinds.received, bytes: uint64(BigInt(received)) }];
  }
}

/** Joins the strings of messages again. It must not be used after a method has thrown. */
export class Unpacker {
  private readonly maxText: number;
  /** Memory for the parts of a text, of which `byteCount` bytes are used. The parts are not kept themselves: they may be very small. */
  private memory = NONE;
  private byteCount = 0;

  /** `maxText`: bytes of the longest string that is accepted. */
  constructor(maxText: number) {
    this.maxText = maxText;
  }

  unpack(message: Bytes): Unpacked {
    if (!(SIZES as readonly number[]).includes(message.length)) throw new Error("a message has the wrong size");
    const view = new DataView(message.buffer, message.byteOffset, message.length);
    const told: Unpacked = { texts: [], isRekeyed: false, isEnd: false };
    let at = 0;
    while (at < message.length && message[at] !== kinds.padding) {
      if (told.isRekeyed || told.isEnd) throw new Error("a segment comes after the last one");
      const begin = at + HEADER_BYTES;
      const end = begin <= message.length ? begin + view.getUint32(at + 1) : Number.POSITIVE_INFINITY;
      if (end > message.length) throw new Error("a segment is longer than its message");
      this.take(message[at] as number, message.subarray(begin, end), told);
      at = end;
    }
    for (; at < message.length; at++) if (message[at] !== 0) throw new Error("the padding has content");
    return told;
  }

  private take(kind: number, bytes: Bytes, told: Unpacked): void {
    if (kind === kinds.text) told.texts.push(this.whole(bytes));
    else if (kind === kinds.part) this.part(bytes);
    else if (kind === kinds.received && bytes.length === COUNT_BYTES) told.received = Number(uint64At(bytes));
    else if (bytes.length > 0) throw new Error("a segment has the wrong form");
    else if (kind === kinds.rekey) told.isRekeyed = true;
    else if (kind === kinds.end && this.byteCount === 0) told.isEnd = true;
    else throw new Error("there is no such segment here");
  }

  private part(bytes: Bytes): void {
    if (bytes.length === 0) throw new Error("a part of a text is empty");
    this.append(bytes);
  }

  private whole(bytes: Bytes): string {
    if (this.byteCount === 0) {
      this.assertFits(bytes.length);
      return textOf(bytes);
    }
    this.append(bytes);
    const text = textOf(this.memory.subarray(0, this.byteCount));
    this.memory = NONE;
    this.byteCount = 0;
    return text;
  }

  private append(bytes: Bytes): void {
    const count = this.byteCount + bytes.length;
    this.assertFits(count);
    if (count > this.memory.length) {
      const larger = new Uint8Array(Math.min(this.maxText, Math.max(2 * this.memory.length, count)));
      larger.set(this.memory.subarray(0, this.byteCount));
      this.memory = larger;
    }
    this.memory.set(bytes, this.byteCount);
    this.byteCount = count;
  }

  private assertFits(count: number): void {
    if (count > this.maxText) throw new Error("a text is too long");
  }
}

/** Joins the segments, and pads them with zeros to the next size. */
function messageOf(segments: readonly Segment[]): Bytes {
  const length = bytesOf(segments);
  const message = new Uint8Array(SIZES.find((each) => each >= length) ?? MAX_SIZE);
  const view = new DataView(message.buffer);
  let at = 0;
  for (const { kind, bytes } of segments) {
    view.setUint8(at, kind);
    view.setUint32(at + 1, bytes.length);
    message.set(bytes, at + HEADER_BYTES);
    at += HEADER_BYTES + bytes.length;
  }
  return message;
}

function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + HEADER_BYTES + bytes.length, 0);
}
