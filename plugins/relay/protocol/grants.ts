/** What a host signs for its clients: that they may reach it, and that they may no longer. Whoever has such a record can check it. */

import { areEqual, concat, label, uint64, uint64At } from "./bytes.ts";
import { type Identity, idOf, joinKeys, keysAt, type PublicKeys } from "./identity.ts";
import { type Bytes, KEY_BYTES, type Primitives, SIGNATURE_BYTES } from "./primitives.ts";

const GRANT_LABEL = label("scorel grant 1");
const REVOCATION_LABEL = label("scorel revoke 1");
const KEYS_BYTES = 2 * KEY_BYTES;
const ID_BYTES = 32;
const NUMBER_BYTES = 8;

export const GRANT_BYTES = GRANT_LABEL.length + KEYS_BYTES + ID_BYTES + 2 * NUMBER_BYTES + SIGNATURE_BYTES;
/** Where the time is until which a grant counts. */
const NOT_AFTER = GRANT_BYTES - SIGNATURE_BYTES - NUMBER_BYTES;
export const REVOCATION_BYTES = REVOCATION_LABEL.length + KEYS_BYTES + ID_BYTES + NUMBER_BYTES + SIGNATURE_BYTES;
/** The life of a grant that a host signs. */
const GRANT_SECONDS = 365 * 24 * 60 * 60;
/** The longest life of a grant that relays accept: a revocation can be forgotten after this time. */
export const MAX_GRANT_SECONDS = 400 * 24 * 60 * 60;

/** A client may open routes to a host. */
export interface Grant {
  host: PublicKeys;
  hostId: Bytes;
  clientId: Bytes;
  /** Grows with each grant of this host. */
  serial: bigint;
  /** Seconds since 1970. */
  notAfter: bigint;
}

/** The grants of a host for a client up to this serial count no more. */
export type Revocation = Omit<Grant, "notAfter">;

export async function signGrant(
  host: Identity,
  { clientId, serial, notAfter }: Pick<Grant, "clientId" | "serial" | "notAfter">,
): Promise<Bytes> {
  return signed(host, concat(GRANT_LABEL, joinKeys(host.publicKeys), clientId, uint64(serial), uint64(notAfter)));
}

/** A grant of the usual life. `now` is in milliseconds since 1970. */
export function grantFrom(
  host: Identity,
  { clientId, serial }: Pick<Grant, "clientId" | "serial">,
  now: number,
): Promise<Bytes> {
  const notAfter = BigInt(Math.floor(now / 1_000) + GRANT_SECONDS);
  return signGrant(host, { clientId, serial, notAfter });
}

export async function signRevocation(
  host: Identity,
  { clientId, serial }: Pick<Revocation, "clientId" | "serial">,
): Promise<Bytes> {
  return signed(host, concat(REVOCATION_LABEL, joinKeys(host.publicKeys), clientId, uint64(serial)));
}

/** What a grant says, or undefined for bytes that are not one, or not signed by the host that they name. Says nothing of its time. */
export async function readGrant(primitives: Primitives, bytes: Bytes): Promise<Grant | undefined> {
  if (bytes.length !== GRANT_BYTES) return undefined;
  const revocation = await readRecord(primitives, bytes, GRANT_LABEL);
  return revocation && { ...revocation, notAfter: notAfterOf(bytes) };
}

/** Until when a grant counts, in seconds since 1970, without a look at its signature. */
export function notAfterOf(grant: Bytes): bigint {
  return uint64At(grant, NOT_AFTER);
}

/** What a revocation says, or undefined for bytes that are not one, or not signed by the host that they name. */
export async function readRevocation(primitives: Primitives, bytes: Bytes): Promise<Revocation | undefined> {
  return bytes.length === REVOCATION_BYTES ? readRecord(primitives, bytes, REVOCATION_LABEL) : undefined;
}

/** Whether a grant is in its time, and not longer than allowed. `now` is in milliseconds since 1970. */
export function isInTime({ notAfter }: Grant, now: number): boolean {
  const seconds = BigInt(Math.floor(now / 1000));
  return seconds <= notAfter && notAfter <= seconds + BigInt(MAX_GRANT_SECONDS);
}

async function signed(host: Identity, text: Bytes): Promise<Bytes> {
  return concat(text, await host.signing.sign(text));
}

/** The fields that both records begin with. */
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
