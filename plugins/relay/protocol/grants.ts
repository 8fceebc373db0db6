/**
 * Records that a host signs: a grant lets a client reach it, a revocation ends that. Everybody can check the signature of such a record.
 */

import { areEqual, concat, label, uint64, uint64At } from "./bytes.ts";
import { type Identity, idOf, joinKeys, keysAt, type PublicKeys } from "./identity.ts";
import { type Bytes, KEY_BYTES, type Primitives, SIGNATURE_BYTES } from "./primitives.ts";

const GRANT_LABEL = label("scorel grant 1");
const REVOCATION_LABEL = label("scorel revoke 1");
const KEYS_BYTES = 2 * KEY_BYTES;
const ID_BYTES = 32;
const NUMBER_BYTES = 8;

export const GRANT_BYTES = GRANT_LABEL.length + KEYS_BYTES + ID_BYTES + 2 * NUMBER_BYTES + SIGNATURE_BYTES;
/** Offset of the time at which a grant expires. */
const NOT_AFTER = GRANT_BYTES - SIGNATURE_BYTES - NUMBER_BYTES;
export const REVOCATION_BYTES = REVOCATION_LABEL.length + KEYS_BYTES + ID_BYTES + NUMBER_BYTES + SIGNATURE_BYTES;
/** Seconds for which a new grant is valid. */
const GRANT_SECONDS = 365 * 24 * 60 * 60;
/** The longest validity of a grant that relays accept, in seconds. After this time, they can forget a revocation. */
export const MAX_GRANT_SECONDS = 400 * 24 * 60 * 60;

/** Allows a client to open routes to a host. */
export interface Grant {
  host: PublicKeys;
  hostId: Bytes;
  clientId: Bytes;
  /** Grows with each grant of this host. */
  serial: bigint;
  /** Expiry time in seconds since 1970. */
  notAfter: bigint;
}

/** Ends all grants of a host for a client up to this serial number. */
export type Revocation = Omit<Grant, "notAfter">;

/** Signs a grant that expires at `notAfter`, in seconds since 1970. */
export async function signGrant(
  host: Identity,
  { clientId, serial, notAfter }: Pick<Grant, "clientId" | "serial" | "notAfter">,
): Promise<Bytes> {
  return signed(host, concat(GRANT_LABEL, joinKeys(host.publicKeys), clientId, uint64(serial), uint64(notAfter)));
}

/** Signs a grant with the usual validity. `now` is in milliseconds since 1970. */
export function grantFrom(
  host: Identity,
  { clientId, serial }: Pick<Grant, "clientId" | "serial">,
  now: number,
): Promise<Bytes> {
  const notAfter = BigInt(Math.floor(now / 1_000) + GRANT_SECONDS);
  return signGrant(host, { clientId, serial, notAfter });
}

/** Signs a revocation of all grants for a client up to this serial number. */
export async function signRevocation(
  host: Identity,
  { clientId, serial }: Pick<Revocation, "clientId" | "serial">,
): Promise<Bytes> {
  return signed(host, concat(REVOCATION_LABEL, joinKeys(host.publicKeys), clientId, uint64(serial)));
}

/** Reads a grant. Undefined if the bytes are not a grant, or not signed by the host that they name. Does not check the expiry time. */
export async function readGrant(primitives: Primitives, bytes: Bytes): Promise<Grant | undefined> {
  if (bytes.length !== GRANT_BYTES) return undefined;
  const revocation = await readRecord(primitives, bytes, GRANT_LABEL);
  return revocation && { ...revocation, notAfter: notAfterOf(bytes) };
}

/** Expiry time of a grant in seconds since 1970. Does not check its signature. */
export function notAfterOf(grant: Bytes): bigint {
  return uint64At(grant, NOT_AFTER);
}

/** Reads a revocation. Undefined if the bytes are not a revocation, or not signed by the host that they name. */
export async function readRevocation(primitives: Primitives, bytes: Bytes): Promise<Revocation | undefined> {
  return bytes.length === REVOCATION_BYTES ? readRecord(primitives, bytes, REVOCATION_LABEL) : undefined;
}

/** Whether a grant has not expired, and is not valid for longer than allowed. `now` is in milliseconds since 1970. */
export function isInTime({ notAfter }: Grant, now: number): boolean {
  const seconds = BigInt(Math.floor(now / 1000));
  return seconds <= notAfter && notAfter <= seconds + BigInt(MAX_GRANT_SECONDS);
}

async function signed(host: Identity, text: Bytes): Promise<Bytes> {
  return concat(text, await host.signing.sign(text));
}

/** Reads the fields with which both kinds of records begin. */
async function readRecord(primitives: Primitives, bytes: Bytes, begins: Bytes): Promise<Revocation | undefined> {
  const end = bytes.length - SIGNATURE_BYTES;
  if (!areEqual(bytes.subarray(0, begins.length), begins)) return undefined;
  const host = keysAt(bytes, begins.length);
  if (!(await primitives.verify(host.signing, bytes.subarray(end), bytes.subarray(0, end)))) return undefined;
  const client = begins.length + KEYS_BYTES;
  return {
    host,
    hostId: await idOf(primitives, host),
    clientId: bytes.slice(client, client + ID_BYTES),
    serial: uint64At(bytes, client + ID_BYTES),
  };
}
