/**
 * CPACE-RISTR255-SHA512: a password-authenticated key exchange by draft-irtf-cfrg-cpace-21, with initiator and responder, and with the key
 * confirmation of its section 10.4. A run reveals nothing about the password, to an eavesdropper or to the other end, except whether one
 * guess was right.
 */

import { concat, utf8 } from "./bytes.ts";
import type { Group } from "./group.ts";
import type { Bytes, Primitives } from "./primitives.ts";

/** `s_in_bytes` of SHA-512: the size of its input block. */
const HASH_BLOCK = 128;
const NONE: Bytes = new Uint8Array(0);
export const SHARE_BYTES = 32;
export const CONFIRMATION_BYTES = 64;

export interface CpaceOptions {
  primitives: Primitives;
  group: Group<unknown>;
  /** `PRS`: the password. */
  password: Bytes;
  /** `CI`: the channel identifier. */
  channel: Bytes;
  sid: Bytes;
  isInitiator: boolean;
  /** `ADa` or `ADb` of this end, and the one of the other end. */
  associated?: { own: Bytes; other: Bytes };
  /** Only for test vectors; by default, each run uses a new one. */
  scalar?: bigint;
}

/** The result, equal at both ends if they had the same password. */
export interface CpaceResult {
  /** `ISK`: 64 bytes, secret. */
  key: Bytes;
  /** `sid_output`: identifies this run. 64 bytes, not secret. */
  run: Bytes;
  /** Sent by each end to show that it has the key. */
  ownConfirmation: Bytes;
  otherConfirmation: Bytes;
}

export interface CpaceEnd {
  /** `Ya` or `Yb`: the share that this end sends. */
  share: Bytes;
  /** Takes the share of the other end. Undefined if it is not an element of the group, or is the identity. */
  finish(share: Bytes): Promise<CpaceResult | undefined>;
}

/** Starts one end of a run. */
export async function beginCpace(options: CpaceOptions): Promise<CpaceEnd> {
  const { primitives, group, isInitiator, associated = { own: NONE, other: NONE } } = options;
  const scalar = options.scalar ?? group.sampleScalar(primitives);
  const share = group.multiply(scalar, await generator(options));
  const finish = async (other: Bytes): Promise<CpaceResult | undefined> => {
    const secret = group.multiplyVerified(scalar, other);
    if (!secret) return undefined;
    const ownMessage = lengthValues(share, associated.own);
    const otherMessage = lengthValues(other, associated.other);
    const transcript = isInitiator ? concat(ownMessage, otherMessage) : concat(otherMessage, ownMessage);
    const key = await primitives.sha512(
      concat(lengthValues(utf8(`${group.dsi}_ISK`), options.sid, secret), transcript),
    );
    const confirm = await confirmations(options, key);
    return {
      key,
      run: await primitives.sha512(concat(utf8("CPaceSidOutput"), transcript)),
      ownConfirmation: await confirm(ownMessage),
      otherConfirmation: await confirm(otherMessage),
    };
  };
  return { share, finish };
}

/** `calculate_generator` of section 8.3. */
async function generator({ primitives, group, password, channel, sid }: CpaceOptions): Promise<unknown> {
  return group.deriveElement(await primitives.sha512(generatorString(group.dsi, password, channel, sid)));
}

/** `generator_string` of section 8.1: DSI and password fill the first block of the hash. */
export function generatorString(dsi: string, password: Bytes, channel: Bytes, sid: Bytes): Bytes {
  const name = utf8(dsi);
  const padding = Math.max(0, HASH_BLOCK - lengthValues(password).length - lengthValues(name).length - 1);
  return lengthValues(name, password, new Uint8Array(padding), channel, sid);
}

/** `mac_key` and `MAC` of section 10.4. */
async function confirmations(
  { primitives, sid }: CpaceOptions,
  key: Bytes,
): Promise<(message: Bytes) => Promise<Bytes>> {
  const macKey = await primitives.sha512(concat(utf8("CPaceMac"), sid, key));
  return async (message) => primitives.hmac("SHA-512", macKey, message);
}

/** `lv_cat` of the draft's appendix A: each part after its length as LEB128. */
export function lengthValues(...parts: Bytes[]): Bytes {
  return concat(...parts.flatMap((part) => [leb128(part.length), part]));
}

function leb128(value: number): Bytes {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
