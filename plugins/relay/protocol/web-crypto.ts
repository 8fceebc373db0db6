/** The primitives by WebCrypto, as in browsers and Node.js. */

import { fromBase64url } from "./bytes.ts";
import { pkcs8 } from "./pkcs8.ts";
import type { AgreementKey, Bytes, Cipher, HmacHash, Primitives, SigningKey } from "./primitives.ts";

const GCM = "AES-GCM";
const ED25519 = "Ed25519";
const X25519 = "X25519";

/** A private key that scripts cannot read, with its public key. A browser keeps it in IndexedDB. */
export interface WebKey {
  privateKey: CryptoKey;
  publicKey: Bytes;
}

/** Undefined in pages loaded over http from another computer. */
const subtle = globalThis.crypto.subtle;

export const webCrypto: Primitives = {
  random: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
  sha256: (data) => digest("SHA-256", data),
  sha512: (data) => digest("SHA-512", data),
  hmac: async (hash: HmacHash, key, data) => {
    const imported = await subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
    return new Uint8Array(await subtle.sign("HMAC", imported, data));
  },
  cipher,
  signingKey: async (seed) => webSigningKey(await webKey(ED25519, seed)),
  verify: async (publicKey, signature, data) => {
    try {
      const key = await subtle.importKey("raw", publicKey, ED25519, false, ["verify"]);
      return await subtle.verify(ED25519, key, signature, data);
    } catch {
      // The bytes are not a public key.
      return false;
    }
  },
  agreementKey: async (scalar) => webAgreementKey(await webKey(X25519, scalar)),
};

/** Makes a signing key from a stored key. */
export function webSigningKey({ privateKey, publicKey }: WebKey): SigningKey {
  return { publicKey, sign: async (data) => new Uint8Array(await subtle.sign(ED25519, privateKey, data)) };
}

/** Makes an agreement key from a stored key. */
export function webAgreementKey({ privateKey, publicKey }: WebKey): AgreementKey {
  return {
    publicKey,
    agree: async (other) => {
      const key = await subtle.importKey("raw", other, X25519, false, []);
      return new Uint8Array(await subtle.deriveBits({ name: X25519, public: key }, privateKey, 256));
    },
  };
}

/** Makes a key whose private half cannot be read, either new or from 32 secret bytes. */
export async function webKey(algorithm: typeof ED25519 | typeof X25519, secret?: Bytes): Promise<WebKey> {
  const uses: KeyUsage[] = algorithm === ED25519 ? ["sign"] : ["deriveBits"];
  if (secret) {
    const format = pkcs8(algorithm, secret);
    const readable = await subtle.importKey("pkcs8", format, algorithm, true, uses);
    const { x = "" } = await subtle.exportKey("jwk", readable);
    const privateKey = await subtle.importKey("pkcs8", format, algorithm, false, uses);
    return { privateKey, publicKey: fromBase64url(x) as Bytes };
  }
  const made = algorithm === ED25519 ? [...uses, "verify" as const] : uses;
  const pair = (await subtle.generateKey(algorithm, false, made)) as CryptoKeyPair;
  return { privateKey: pair.privateKey, publicKey: new Uint8Array(await subtle.exportKey("raw", pair.publicKey)) };
}

async function cipher(bytes: Bytes): Promise<Cipher> {
  const key = await subtle.importKey("raw", bytes, GCM, false, ["encrypt", "decrypt"]);
  const by = (iv: Bytes, additionalData: Bytes) => ({ name: GCM, iv, additionalData });
  return {
    seal: async (nonce, associated, text) => new Uint8Array(await subtle.encrypt(by(nonce, associated), key, text)),
    open: async (nonce, associated, sealed) => new Uint8Array(await subtle.decrypt(by(nonce, associated), key, sealed)),
  };
}

async function digest(hash: HmacHash, data: Bytes): Promise<Bytes> {
  return new Uint8Array(await subtle.digest(hash, data));
}
