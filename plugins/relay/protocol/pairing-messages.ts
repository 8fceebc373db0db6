/** The messages of pairing, and the keys that encrypt them. */

import { errors } from "../errors.ts";
import { areEqual, byte, concat, label, textOf, utf8 } from "./bytes.ts";
import { CONFIRMATION_BYTES, type CpaceResult, SHARE_BYTES } from "./cpace.ts";
import { GRANT_BYTES } from "./grants.ts";
import { type Identity, idOf, joinKeys, keysAt, type PublicKeys } from "./identity.ts";
import { type Bytes, KEY_BYTES, type Primitives, SIGNATURE_BYTES, TAG_BYTES } from "./primitives.ts";

const IDENTITY_LABEL = label("scorel pair identity 1");
const KEYS_BYTES = 2 * KEY_BYTES;
const MAX_NAME = 64;
const MAX_SCOPES = 32;
const MAX_SCOPE = 32;
const NONE: Bytes = new Uint8Array(0);
/** Constant, since each key encrypts only one message. */
const NONCE: Bytes = new Uint8Array(12);

/** Longer messages are refused without being read. */
const MAX_PAIRING_MESSAGE = CONFIRMATION_BYTES + 4096;
const PAIRING_LABEL = label("scorel pair 1");

export { CONFIRMATION_BYTES, SHARE_BYTES };

export type Side = "guest" | "host";
const sideBytes = { guest: 1, host: 2 } as const;

/** The other computer, once its identity is proved. */
export interface PairedPeer {
  publicKeys: PublicKeys;
  id: Bytes;
  name: string;
}

/** The message of a host to a guest that its user has accepted. */
export interface Admission {
  name: string;
  /** See `signGrant`. */
  grant: Bytes;
  scopes: readonly string[];
}

/** The cipher for one side's message: HKDF-SHA-256 (RFC 5869) of the run's key, with the run's id as salt. */
async function cipherOf(primitives: Primitives, { key, run }: CpaceResult, side: Side) {
  const hmac = (by: Bytes, data: Bytes) => primitives.hmac("SHA-256", by, data);
  const extracted = await hmac(run, key);
  return primitives.cipher(await hmac(extracted, concat(utf8(`scorel pair seal ${side} 1`), byte(1))));
}

/** Encrypts the identity and the name of one side, and `more` after it. */
export async function sealIdentity(
  primitives: Primitives,
  run: CpaceResult,
  side: Side,
  identity: Identity,
  name: string,
  more: Bytes = NONE,
): Promise<Bytes> {
  const signature = await identity.signing.sign(identityText(side, run, identity.publicKeys));
  const named = utf8(name);
  const text = concat(joinKeys(identity.publicKeys), signature, byte(named.length), named, more);
  return (await cipherOf(primitives, run, side)).seal(NONCE, NONE, text);
}

/** Decrypts what `sealIdentity` has encrypted for the other side, and checks its signature. Also returns what follows the name. */
export async function openIdentity(
  primitives: Primitives,
  run: CpaceResult,
  side: Side,
  sealed: Bytes,
): Promise<{ peer: PairedPeer; more: Bytes }> {
  const text = await opened(primitives, run, side, sealed);
  const signed = KEYS_BYTES + SIGNATURE_BYTES;
  const publicKeys = keysAt(text, 0);
  const signature = text.subarray(KEYS_BYTES, signed);
  if (
    text.length <= signed ||
    !(await primitives.verify(publicKeys.signing, signature, identityText(side, run, publicKeys)))
  )
    throw errors.RELAY_PAIR_MESSAGE({ problem: "its identity is not signed by its key" });
  const end = signed + 1 + (text[signed] as number);
  const name = nameOf(text.subarray(signed + 1, end));
  return { peer: { publicKeys, id: await idOf(primitives, publicKeys), name }, more: text.subarray(end) };
}

async function opened(primitives: Primitives, run: CpaceResult, side: Side, sealed: Bytes): Promise<Bytes> {
  if (sealed.length < TAG_BYTES || sealed.length > MAX_PAIRING_MESSAGE)
    throw errors.RELAY_PAIR_MESSAGE({ problem: "a message has the wrong length" });
  const cipher = await cipherOf(primitives, run, side);
  try {
    return await cipher.open(NONCE, NONE, sealed);
  } catch {
    throw errors.RELAY_PAIR_MESSAGE({ problem: "a message was changed on its way" });
  }
}

/** What each side signs: that its keys took part in this run, on this side. */
function identityText(side: Side, { run }: CpaceResult, publicKeys: PublicKeys): Bytes {
  return concat(IDENTITY_LABEL, byte(sideBytes[side]), run, joinKeys(publicKeys));
}

/** The bytes that follow the host's identity: the grant, then the scopes. */
export function admissionBytes({ grant, scopes }: Admission): Bytes {
  const each = scopes.map((scope) => utf8(scope)).flatMap((scope) => [byte(scope.length), scope]);
  return concat(grant, byte(scopes.length), ...each);
}

/** Reads what `admissionBytes` has written. Throws RELAY_PAIR_MESSAGE for an invalid form. */
export function admissionOf(name: string, more: Bytes): Admission {
  const grant = more.slice(0, GRANT_BYTES);
  const count = more[GRANT_BYTES];
  const scopes: string[] = [];
  let at = GRANT_BYTES + 1;
  for (let n = 0; n < Math.min(count ?? 0, MAX_SCOPES); n++) {
    const length = more[at] ?? 0;
    scopes.push(printable(more.subarray(at + 1, at + 1 + length), MAX_SCOPE));
    at += 1 + length;
  }
  if (count !== scopes.length || at !== more.length)
    throw errors.RELAY_PAIR_MESSAGE({ problem: "its last message has the wrong form" });
  return { name, grant, scopes };
}

/** Checks the name of this computer. Throws RELAY_DEVICE_NAME. */
export function checkName(name: string): void {
  if (printed(utf8(name), MAX_NAME) === undefined) throw errors.RELAY_DEVICE_NAME({ max: MAX_NAME });
}

function nameOf(bytes: Bytes): string {
  return printable(bytes, MAX_NAME);
}

/** Decodes a text of the other computer, like `printed`. Throws RELAY_PAIR_MESSAGE. */
function printable(bytes: Bytes, max: number): string {
  const text = printed(bytes, max);
  if (text !== undefined) return text;
  throw errors.RELAY_PAIR_MESSAGE({ problem: "a name is empty, too long, or has characters that cannot be shown" });
}

/** Decodes one line of text without control characters, of 1 to `max` bytes; undefined for anything else. */
function printed(bytes: Bytes, max: number): string | undefined {
  try {
    const text = textOf(bytes);
    return bytes.length > 0 && bytes.length <= max && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? text : undefined;
  } catch {
    // The bytes are not UTF-8.
    return undefined;
  }
}

/** Whether a message starts with the confirmation of the other end, which shows that it has the same key. */
export function isConfirmed(message: Bytes, run: CpaceResult): boolean {
  return areEqual(message.subarray(0, CONFIRMATION_BYTES), run.otherConfirmation);
}

/** `CI` and `sid` of a run. */
export function runNames(route: Bytes, place: string): { channel: Bytes; sid: Bytes } {
  return { channel: PAIRING_LABEL, sid: concat(route, utf8(place)) };
}
