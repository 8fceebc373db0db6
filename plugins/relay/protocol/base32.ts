/** Crockford's base32: digits and letters without I, L, O and U. Tolerates common typing mistakes. */

import type { Bytes } from "./primitives.ts";

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Encodes bytes, five bits per digit. The number of bits must be a multiple of five. */
export function base32(bytes: Bytes): string {
  let digits = "";
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      digits += DIGITS[(value >> bits) & 31];
    }
  }
  return digits;
}

/** Normalizes typed digits: I and L become 1, O becomes 0, hyphens and spaces are removed. Undefined for other characters. */
export function typedBase32(text: string): string | undefined {
  const digits = text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll(/[IL]/g, "1").replaceAll("O", "0");
  return [...digits].every((digit) => DIGITS.includes(digit)) ? digits : undefined;
}
