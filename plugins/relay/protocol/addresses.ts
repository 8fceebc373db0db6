/** The addresses of a host's relays, as the host sends them in its handshake message. */

import { concat, textOf, uint16, utf8 } from "./bytes.ts";
import type { Bytes } from "./primitives.ts";

/** The most relays of one owner that a host or a device knows. */
export const MAX_ADDRESSES = 8;
/** Bytes of the longest address. */
export const MAX_ADDRESS_BYTES = 500;
/** The payload is padded to a multiple of this many bytes, so that its length says little. */
const PADDED_BYTES = 256;
export const MAX_PAYLOAD_BYTES = padded(1 + MAX_ADDRESSES * (2 + MAX_ADDRESS_BYTES));

/** Encodes addresses as a padded payload. */
export function addressesPayload(addresses: readonly string[]): Bytes {
  const each = addresses.map((address) => utf8(address)).flatMap((bytes) => [uint16(bytes.length), bytes]);
  const bytes = concat(Uint8Array.of(addresses.length), ...each);
  return concat(bytes, new Uint8Array(padded(bytes.length) - bytes.length));
}

/** Reads the addresses from a payload; an empty one has none. Throws an error for an invalid payload. */
export function addressesIn(payload: Bytes): string[] {
  const count = payload[0] ?? 0;
  if (count > MAX_ADDRESSES) throw new Error("it names too many relays");
  const addresses: string[] = [];
  let at = 1;
  for (let n = 0; n < count; n++) {
    const length = ((payload[at] ?? 0) << 8) | (payload[at + 1] ?? 0);
    const end = at + 2 + length;
    if (length === 0 || length > MAX_ADDRESS_BYTES || end > payload.length)
      throw new Error("an address of a relay has the wrong length");
    addresses.push(textOf(payload.subarray(at + 2, end)));
    at = end;
  }
  if (payload.subarray(at).some((byte) => byte !== 0)) throw new Error("something follows the addresses of relays");
  return addresses;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / PADDED_BYTES) * PADDED_BYTES;
}
