/** Encodes keys of 32 bytes as PKCS #8 (RFC 8410): a constant prefix, then the key. */

import { concat } from "./bytes.ts";
import type { Bytes } from "./primitives.ts";

const algorithms = { Ed25519: 0x70, X25519: 0x6e };

export function pkcs8(algorithm: keyof typeof algorithms, key: Bytes): Bytes {
  // SEQUENCE { version 0, SEQUENCE { OID 1.3.101.x }, OCTET STRING { OCTET STRING { key } } }
  const beginning = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, algorithms[algorithm], 4, 0x22, 4, 0x20];
  return concat(Uint8Array.from(beginning), key);
}
