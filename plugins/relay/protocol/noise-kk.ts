/**
 * Noise_KK_25519_AESGCM_SHA256, by the Noise Protocol Framework, revision 34. Names are those of its section 5. Ends that know each
 * other's static keys make two ciphers, one for each direction, by two messages:
 *
 *     -> s
 *     <- s
 *     ...
 *     -> e, es, ss
 *     <- e, ee, se
 *
 * Fields are `#private` here, and `private` elsewhere: an object with keys that is printed or serialized must not show them.
 */

import { concat, putCount, utf8 } from "./bytes.ts";
import { type AgreementKey, type Bytes, type Cipher, KEY_BYTES, type Primitives, type Soon } from "./primitives.ts";

const PROTOCOL = "Noise_KK_25519_AESGCM_SHA256";
const NONCE_BYTES = 12;
const NONE: Bytes = new Uint8Array(0);
const MAX_NONCE = concat(new Uint8Array(4), new Uint8Array(8).fill(0xff));

export interface KkOptions {
  primitives: Primitives;
  isInitiator: boolean;
  prologue: Bytes;
  own: AgreementKey;
  /** Static public key of the other end. */
  other: Bytes;
  /** Only for test vectors; by default, each handshake uses a new key. */
  ephemeral?: AgreementKey;
}

/** The result of the handshake. */
export interface Ciphers {
  sending: CipherState;
  receiving: CipherState;
  /** Equal at both ends, and different for each handshake. */
  handshakeHash: Bytes;
}

/** Encrypts or decrypts the messages of one direction, in order. */
export class CipherState {
  readonly #primitives: Primitives;
  #cipher: Cipher;
  /** Reused for each message: ciphers copy it before they return. */
  readonly #nonce: Bytes = new Uint8Array(NONCE_BYTES);
  #count = 0;

  constructor(primitives: Primitives, cipher: Cipher) {
    this.#primitives = primitives;
    this.#cipher = cipher;
  }

  /** Number of the next message. */
  get count(): number {
    return this.#count;
  }

  encryptWithAd(associated: Bytes, plaintext: Bytes): Soon<Bytes> {
    return this.#cipher.seal(this.#nextNonce(), associated, plaintext);
  }

  /** Decrypts the next message. Throws for any other; the state must not be used after that. */
  decryptWithAd(associated: Bytes, sealed: Bytes): Soon<Bytes> {
    return this.#cipher.open(this.#nextNonce(), associated, sealed);
  }

  /** REKEY of section 4.2: derives a key from which the earlier one cannot be computed. The count of messages continues. */
  async rekey(): Promise<void> {
    const sealed = await this.#cipher.seal(MAX_NONCE, NONE, new Uint8Array(KEY_BYTES));
    this.#cipher = await this.#primitives.cipher(sealed.slice(0, KEY_BYTES));
  }

  #nextNonce(): Bytes {
    // Far below Noise's last nonce, which is reserved for REKEY.
    if (this.#count >= Number.MAX_SAFE_INTEGER) throw new Error("no numbers are left for messages");
    putCount(this.#nonce, NONCE_BYTES - 8, this.#count++);
    return this.#nonce;
  }
}

/** One end of a handshake. It must not be used after a method has thrown. */
export class KkHandshake {
  readonly #options: KkOptions;
  readonly #symmetric: SymmetricState;
  #ephemeral: AgreementKey | undefined;
  #otherEphemeral: Bytes = NONE;

  private constructor(options: KkOptions, symmetric: SymmetricState) {
    this.#options = options;
    this.#symmetric = symmetric;
  }

  static async begin(options: KkOptions): Promise<KkHandshake> {
    const { primitives, isInitiator, own, other, prologue } = options;
    const symmetric = await SymmetricState.begin(primitives);
    await symmetric.mixHash(prologue);
    const statics = isInitiator ? [own.publicKey, other] : [other, own.publicKey];
    for (const key of statics) await symmetric.mixHash(key);
    return new KkHandshake(options, symmetric);
  }

  /** Returns the message of this end: the first for the initiator, the second for the responder. */
  async write(payload: Bytes = NONE): Promise<Bytes> {
    this.#ephemeral = this.#options.ephemeral ?? (await this.#options.primitives.agreementKey());
    await this.#symmetric.mixHash(this.#ephemeral.publicKey);
    await this.#mixSecrets(this.#options.isInitiator);
    return concat(this.#ephemeral.publicKey, await this.#symmetric.encryptAndHash(payload));
  }

  /** Reads the message of the other end, and returns its payload. Throws if the other end does not have the expected keys. */
  async read(message: Bytes): Promise<Bytes> {
    if (message.length < KEY_BYTES) throw new Error("a message of the handshake is too short");
    this.#otherEphemeral = message.slice(0, KEY_BYTES);
    await this.#symmetric.mixHash(this.#otherEphemeral);
    await this.#mixSecrets(!this.#options.isInitiator);
    return this.#symmetric.decryptAndHash(message.subarray(KEY_BYTES));
  }

  /** Returns the ciphers. Call it after both messages. */
  async split(): Promise<Ciphers> {
    const [first, second] = await this.#symmetric.split();
    const [sending, receiving] = this.#options.isInitiator ? [first, second] : [second, first];
    return { sending, receiving, handshakeHash: this.#symmetric.hash };
  }

  /** Mixes in the secrets of the first message (es, ss) or of the second (ee, se). */
  async #mixSecrets(isFirst: boolean): Promise<void> {
    const { isInitiator, own, other } = this.#options;
    const ephemeral = this.#ephemeral;
    const otherEphemeral = this.#otherEphemeral;
    const secrets = isFirst
      ? [isInitiator ? await ephemeral?.agree(other) : await own.agree(otherEphemeral), await own.agree(other)]
      : [
          await ephemeral?.agree(otherEphemeral),
          isInitiator ? await own.agree(otherEphemeral) : await ephemeral?.agree(other),
        ];
    for (const secret of secrets) await this.#symmetric.mixKey(secret as Bytes);
  }
}

/** SymmetricState of section 5.2. */
class SymmetricState {
  readonly #primitives: Primitives;
  #chainingKey: Bytes;
  #cipher: CipherState | undefined;
  hash: Bytes;

  private constructor(primitives: Primitives, hash: Bytes) {
    this.#primitives = primitives;
    this.#chainingKey = hash;
    this.hash = hash;
  }

  static async begin(primitives: Primitives): Promise<SymmetricState> {
    // Names of at most 32 bytes are padded with zeros instead of hashed.
    const name = utf8(PROTOCOL);
    return new SymmetricState(primitives, concat(name, new Uint8Array(KEY_BYTES - name.length)));
  }

  async mixHash(data: Bytes): Promise<void> {
    this.hash = await this.#primitives.sha256(concat(this.hash, data));
  }

  async mixKey(secret: Bytes): Promise<void> {
    const [chainingKey, key] = await this.#derive(secret);
    this.#chainingKey = chainingKey;
    this.#cipher = await this.#state(key);
  }

  async encryptAndHash(plaintext: Bytes): Promise<Bytes> {
    const sealed = (await this.#cipher?.encryptWithAd(this.hash, plaintext)) as Bytes;
    await this.mixHash(sealed);
    return sealed;
  }

  async decryptAndHash(sealed: Bytes): Promise<Bytes> {
    const plaintext = (await this.#cipher?.decryptWithAd(this.hash, sealed)) as Bytes;
    await this.mixHash(sealed);
    return plaintext;
  }

  async split(): Promise<[CipherState, CipherState]> {
    const [first, second] = await this.#derive(NONE);
    return [await this.#state(first), await this.#state(second)];
  }

  async #state(key: Bytes): Promise<CipherState> {
    return new CipherState(this.#primitives, await this.#primitives.cipher(key));
  }

  /** HKDF of section 4.3 with two outputs. */
  async #derive(secret: Bytes): Promise<[Bytes, Bytes]> {
    const hmac = (key: Bytes, data: Bytes) => this.#primitives.hmac("SHA-256", key, data);
    const extracted = await hmac(this.#chainingKey, secret);
    const first = await hmac(extracted, Uint8Array.of(1));
    return [first, await hmac(extracted, concat(first, Uint8Array.of(2)))];
  }
}
