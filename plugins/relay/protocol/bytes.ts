/** Functions for bytes: joining, comparing, and converting to and from numbers and strings. */

import type { Bytes } from "./primitives.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function concat(...parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Compares in a time that depends only on the lengths, not on the contents. */
export function areEqual(a: Bytes, b: Bytes): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] as number) ^ (b[at] ?? 0);
  return difference === 0;
}

/** Encodes a string as UTF-8. */
export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Decodes UTF-8. Throws for anything else. */
export function textOf(bytes: Bytes): string {
  return decoder.decode(bytes);
}

/** A label that separates the uses of a key, followed by a zero byte. */
export function label(text: string): Bytes {
  return utf8(`${text}\0`);
}

export function byte(value: number): Bytes {
  return Uint8Array.of(value);
}

export function uint16(value: number): Bytes {
  return Uint8Array.of(value >> 8, value & 0xff);
}

export function uint64(value: bigint): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** Writes a safe integer as 8 bytes at an offset. Faster than with a bigint. */
export function putCount(bytes: Bytes, at: number, count: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(at, Math.floor(count / 2 ** 32));
  view.setUint32(at + 4, count % 2 ** 32);
}

/** Reads the unsigned number in the 8 bytes at an offset. */
export function uint64At(bytes: Bytes, at = 0): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at);
}

export function hex(bytes: Bytes): string {
  return Array.from(bytes, (value) => value.toString(16).padStart(2, "0")).join("");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** The value of each base64url character, by its character code; 64 for all others. */
const VALUES = new Uint8Array(128).fill(64).map((none, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code));
  return value < 0 ? none : value;
});

/** Base64 for URLs, without padding (RFC 4648, section 5). */
export function base64url(bytes: Bytes): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a, b = 0, c = 0] = [bytes[at] as number, bytes[at + 1], bytes[at + 2]];
    const digits = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
    for (const digit of digits.slice(0, bytes.length - at + 1)) text += DIGITS[digit];
  }
  return text;
}

/** Decodes base64url. Undefined unless the text is exactly what `base64url` would return. */
export function fromBase64url(text: string): Bytes | undefined {
  const left = text.length % 4;
  if (left === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [bits, count] = [0, 0];
  for (let at = 0, to = 0; at < text.length; at++) {
    const value = VALUES[text.charCodeAt(at)] ?? 64;
    if (value === 64) return undefined;
    bits = ((bits & 255) << 6) | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[to++] = bits >> count;
  }
  // The last digit may have bits that belong to no byte. They must be zero.
  return (bits & ((1 << count) - 1)) === 0 ? bytes : undefined;
}
