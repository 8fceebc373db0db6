/** What the protocol needs of cryptography. WebCrypto does it in browsers, node:crypto in Node; one set of tests runs over both. */

/** Bytes that WebCrypto takes: not of shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;
/** node:crypto answers at once, WebCrypto later. */
export type Soon<T> = T | Promise<T>;

/** Uses a value when it is there, at once if it is: a promise costs more than sealing a short message. */
export function whenThere<T, R>(value: Soon<T>, use: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

export interface Primitives {
  random(length: number): Bytes;
  sha256(data: Bytes): Soon<Bytes>;
  sha512(data: Bytes): Soon<Bytes>;
  hmac(hash: HmacHash, key: Bytes, data: Bytes): Soon<Bytes>;
  /** AES-256-GCM with a key of 32 bytes. */
  cipher(key: Bytes): Soon<Cipher>;
  /** A new Ed25519 key (RFC 8032), or the one of a seed of 32 bytes. */
  signingKey(seed?: Bytes): Soon<SigningKey>;
  /** False for a wrong signature as for a public key that is none. */
  verify(publicKey: Bytes, signature: Bytes, data: Bytes): Soon<boolean>;
  /** A new X25519 key (RFC 7748), or the one of a scalar of 32 bytes. */
  agreementKey(scalar?: Bytes): Soon<AgreementKey>;
}

export type HmacHash = "SHA-256" | "SHA-512";

export interface SigningKey {
  readonly publicKey: Bytes;
  sign(data: Bytes): Soon<Bytes>;
}

export interface AgreementKey {
  readonly publicKey: Bytes;
  /** The shared secret of 32 bytes. Throws for public keys of low order, with which it would be known to everybody. */
  agree(publicKey: Bytes): Soon<Bytes>;
}

/** AES-256-GCM with a tag of 16 bytes after the text. A nonce of 12 bytes must never be used twice to seal. */
export interface Cipher {
  seal(nonce: Bytes, associated: Bytes, plaintext: Bytes): Soon<Bytes>;
  /** Throws when anything differs from what was sealed. */
  open(nonce: Bytes, associated: Bytes, sealed: Bytes): Soon<Bytes>;
}

export const TAG_BYTES = 16;
export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
