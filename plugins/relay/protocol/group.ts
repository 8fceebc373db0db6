/** The group in which CPace computes. */

import { concat } from "./bytes.ts";
import type { Bytes, Primitives } from "./primitives.ts";

/** A group of prime order, with the names of the CPace draft. `Point` is the internal form of an element. */
export interface Group<Point> {
  /** Domain separation identifier. */
  readonly dsi: string;
  sampleScalar(primitives: Primitives): bigint;
  /** Maps 64 bytes to an element, uniformly. */
  deriveElement(bytes: Bytes): Point;
  /** Encodes scalar times point. */
  multiply(scalar: bigint, point: Point): Bytes;
  /** Encodes scalar times the encoded element. Undefined if the bytes are not an element, or the result is the identity (`G.I`). */
  multiplyVerified(scalar: bigint, encoded: Bytes): Bytes | undefined;
}

/** ristretto255 (RFC 9496) as section 8.3 of the draft uses it. The library is loaded at the first pairing. */
export async function ristretto255(): Promise<Group<unknown>> {
  const { ristretto255, ristretto255_hasher } = await import("@noble/curves/ed25519.js");
  const { Point } = ristretto255;
  type Element = InstanceType<typeof Point>;
  const group: Group<Element> = {
    dsi: "CPaceRistretto255",
    sampleScalar: (primitives) => {
      const bytes = primitives.random(32);
      // 252 bits, as the draft recommends: less than the order of the group.
      bytes[31] = (bytes[31] as number) & 0x0f;
      return littleEndian(bytes);
    },
    deriveElement: (bytes) => ristretto255_hasher.deriveToCurve?.(bytes) as Element,
    multiply: (scalar, point) => concat(point.multiply(scalar).toBytes() as Bytes),
    multiplyVerified: (scalar, encoded) => {
      const point = decoded(encoded);
      const product = point?.multiply(scalar);
      return product === undefined || product.is0() ? undefined : (product.toBytes() as Bytes);
    },
  };
  function decoded(encoded: Bytes): Element | undefined {
    try {
      return Point.fromBytes(encoded);
    } catch {
      return undefined;
    }
  }
  return group as Group<unknown>;
}

export function littleEndian(bytes: Bytes): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
