/**
 * The cryptographic functions that the protocol needs. Browsers implement them by WebCrypto, Node.js by node:crypto; the same tests run
 * over both.
 */

/** Bytes that WebCrypto accepts: not in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;
/** A value, or a promise of it: node:crypto is synchronous, WebCrypto is not. */
export type Soon<T> = T | Promise<T>;

/** Calls `use` with a value, at once if it is not a promise: a promise costs more than encrypting a short message. */
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
  /** Makes an Ed25519 key (RFC 8032), either new or from a seed of 32 bytes. */
  signingKey(seed?: Bytes): Soon<SigningKey>;
  /** Returns false for a wrong signature, and for an invalid public key. */
  verify(publicKey: Bytes, signature: Bytes, data: Bytes): Soon<boolean>;
  /** Makes an X25519 key (RFC 7748), either new or from a scalar of 32 bytes. */
  agreementKey(scalar?: Bytes): Soon<AgreementKey>;
}

export type HmacHash = "SHA-256" | "SHA-512";

export interface SigningKey {
  readonly publicKey: Bytes;
  sign(data: Bytes): Soon<Bytes>;
}

export interface AgreementKey {
  readonly publicKey: Bytes;
  /** Computes the shared secret of 32 bytes. Throws for public keys of low order, with which everybody would know the secret. */
  agree(publicKey: Bytes): Soon<Bytes>;
}

/** AES-256-GCM with a tag of 16 bytes after the ciphertext. A nonce (12 bytes) must never be used twice to encrypt. */
export interface Cipher {
  seal(nonce: Bytes, associated: Bytes, plaintext: Bytes): Soon<Bytes>;
  /** Decrypts. Throws if anything differs from what was encrypted. */
  open(nonce: Bytes, associated: Bytes, sealed: Bytes): Soon<Bytes>;
}

export const TAG_BYTES = 16;
export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
