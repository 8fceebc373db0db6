/** The identity of a host or a client: an Ed25519 key for signing and an X25519 key for key agreement. Its id is the hash of both. */

import { base32 } from "./base32.ts";
import { base64url, byte, concat, label, uint16, uint64, utf8 } from "./bytes.ts";
import { type AgreementKey, type Bytes, KEY_BYTES, type Primitives, type SigningKey, type Soon } from "./primitives.ts";

const ID_LABEL = label("scorel id 1");
const HELLO_LABEL = label("scorel hello 1");
const FINGERPRINT_BYTES = 10;

/** Both public keys of a peer. */
export interface PublicKeys {
  readonly signing: Bytes;
  readonly agreement: Bytes;
}

export interface Identity {
  readonly signing: SigningKey;
  readonly agreement: AgreementKey;
  readonly publicKeys: PublicKeys;
  /** 32 bytes. */
  readonly id: Bytes;
}

/** The role of a peer for the time of its connection. */
export const roles = { host: 1, client: 2, guest: 3 } as const;
export type Role = keyof typeof roles;

/** What a peer signs when it connects to a relay. */
export interface HelloFacts {
  role: "host" | "client";
  /** Random bytes from the relay, used once. */
  nonce: Bytes;
  generation: bigint;
  /** Host of the relay's address in lower case, with the port unless it is the default. */
  authority: string;
  publicKeys: PublicKeys;
}

/** Makes a new identity. */
export async function createIdentity(primitives: Primitives): Promise<Identity> {
  const make = async () => identityOf(primitives, await primitives.signingKey(), await primitives.agreementKey());
  return fitForCommands(make, async (identity) => identity);
}

/** Makes keys until their id does not start with a hyphen, as one in 64 does: a command would take it for an option. */
export async function fitForCommands<K>(make: () => Promise<K>, identify: (keys: K) => Promise<Identity>): Promise<K> {
  for (;;) {
    const keys = await make();
    if (!idText((await identify(keys)).id).startsWith("-")) return keys;
  }
}

/** The identity that consists of these keys. */
export async function identityOf(
  primitives: Primitives,
  signing: SigningKey,
  agreement: AgreementKey,
): Promise<Identity> {
  const publicKeys = { signing: signing.publicKey, agreement: agreement.publicKey };
  return { signing, agreement, publicKeys, id: await idOf(primitives, publicKeys) };
}

/** The id of public keys: SHA-256 of a label and both keys. */
export function idOf(primitives: Primitives, { signing, agreement }: PublicKeys): Soon<Bytes> {
  return primitives.sha256(concat(ID_LABEL, signing, agreement));
}

/** The fingerprint that people compare: the first 80 bits of an id, such as `7Q2M-K9FV-0CXE-TR4A`. */
export function fingerprint(id: Bytes): string {
  return base32(id.subarray(0, FINGERPRINT_BYTES)).replaceAll(/.{4}(?=.)/g, "$&-");
}

/** An id in base64url, as it is stored and logged. */
export function idText(id: Bytes): string {
  return base64url(id);
}

/** Both keys in one sequence of bytes: first the signing key, then the agreement key. */
export function joinKeys({ signing, agreement }: PublicKeys): Bytes {
  return concat(signing, agreement);
}

/** Reads the two keys that `joinKeys` has written, at an offset. */
export function keysAt(bytes: Bytes, at: number): PublicKeys {
  const middle = at + KEY_BYTES;
  return { signing: bytes.slice(at, middle), agreement: bytes.slice(middle, middle + KEY_BYTES) };
}

/** The `authority` of a relay's address, such as `relay.example` or `127.0.0.1:7800`. */
export function authorityOf(address: string): string {
  return new URL(address).host.toLowerCase();
}

/** The bytes that a peer signs. */
export function helloText({ role, nonce, generation, authority, publicKeys }: HelloFacts): Bytes {
  const name = utf8(authority);
  const facts = [byte(roles[role]), nonce, uint64(generation), uint16(name.length), name];
  return concat(HELLO_LABEL, ...facts, joinKeys(publicKeys));
}

export async function signHello(identity: Identity, facts: Omit<HelloFacts, "publicKeys">): Promise<Bytes> {
  return identity.signing.sign(helloText({ ...facts, publicKeys: identity.publicKeys }));
}

/** Whether the signature was made with the signing key in `facts`. */
export async function verifyHello(primitives: Primitives, facts: HelloFacts, signature: Bytes): Promise<boolean> {
  return primitives.verify(facts.publicKeys.signing, signature, helloText(facts));
}
