/** Bytes: joined, compared, and as numbers and texts. */

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

/** Compares in a time that depends on the lengths only. */
export function areEqual(a: Bytes, b: Bytes): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] as number) ^ (b[at] ?? 0);
  return difference === 0;
}

/** UTF-8. */
export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Throws for what is not UTF-8. */
export function textOf(bytes: Bytes): string {
  return decoder.decode(bytes);
}

/** A label that separates the uses of a key, with the zero byte after it. */
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

/** Writes a safe integer as 8 bytes at a place, faster than by a bigint. */
export function putCount(bytes: Bytes, at: number, count: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(at, Math.floor(count / 2 ** 32));
  view.setUint32(at + 4, count % 2 ** 32);
}

/** The unsigned number of 8 bytes at a place. */
export function uint64At(bytes: Bytes, at = 0): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at);
}

export function hex(bytes: Bytes): string {
  return Array.from(bytes, (value) => value.toString(16).padStart(2, "0")).join("");
}

/** Base64 for URLs, without padding (RFC 4648, section 5). */
export function base64url(bytes: Bytes): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of a text in base64url, or undefined for what is not exactly what `base64url` returns. */
export function fromBase64url(text: string): Bytes | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return base64url(bytes) === text ? bytes : undefined;
}
