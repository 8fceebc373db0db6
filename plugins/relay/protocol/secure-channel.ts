/**
 * The encrypted channel between a client and a host over a route of a relay: Noise KK, then sealed messages. What arrives is exactly
 * what was sent, in its order, or the channel has failed, for good.
 */

import type { Channel, ChannelHandlers } from "@scorel/host/client";
import { errors } from "../errors.ts";
import { byte, concat, label, uint64 } from "./bytes.ts";
import type { CloseReason } from "./frames.ts";
import { type Identity, idOf, type PublicKeys } from "./identity.ts";
import { type CipherState, type Ciphers, KkHandshake } from "./noise-kk.ts";
import { type Bytes, KEY_BYTES, type Primitives, TAG_BYTES } from "./primitives.ts";
import { Packer, Unpacker } from "./segments.ts";

const CHANNEL_LABEL = label("scorel channel 1");
const HANDSHAKE_BYTES = KEY_BYTES + TAG_BYTES;
/** Messages and milliseconds of one key. */
export const MAX_KEY_MESSAGES = 2 ** 20;
export const MAX_KEY_MS = 15 * 60_000;
/** Bytes of the longest text to a host, and to a client. */
export const MAX_TEXT = { host: 16 * 1024 * 1024, client: 64 * 1024 * 1024 } as const;

/** The way to the other end: DATA and CLOSE frames of one route. */
export interface RouteEnd {
  readonly id: bigint;
  /** Bytes that were sent and wait, if it is known. */
  readonly unsent?: number;
  send(bytes: Bytes): void;
  close(reason: CloseReason): void;
}

export interface SecureChannelOptions {
  primitives: Primitives;
  /** Which end this is: a client begins, a host answers. */
  role: "client" | "host";
  identity: Identity;
  /** The keys of the other end, as pairing has stored them. */
  peer: PublicKeys;
  route: RouteEnd;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** The other end has proved who it is: to a client by its handshake, to a host by its first message. */
  opened?(): void;
  /** The channel has ended, for whatever reason, before its user is told. */
  ended?(): void;
  /** Messages of one key; only tests have fewer. */
  maxKeyMessages?: number;
}

/** Direction of messages in what is authenticated. */
const directions = { host: byte(1), client: byte(2) } as const;

export class SecureChannel implements Channel {
  readonly maxMessage: number;
  readonly #options: SecureChannelOptions;
  readonly #packer = new Packer();
  readonly #unpacker: Unpacker;
  #handshake: KkHandshake | undefined;
  #ciphers: Ciphers | undefined;
  /** Messages are taken one after the other: this is the last one. */
  #receiving: Promise<void>;
  #isSending = false;
  #handlers: ChannelHandlers | undefined;
  #early: string[] = [];
  #end: { reason: string | undefined } | undefined;
  #isClosing = false;
  #keyMessages = { sent: 0, received: 0 };
  #keySince: number;

  constructor(options: SecureChannelOptions) {
    this.#options = options;
    this.maxMessage = MAX_TEXT[options.role];
    this.#unpacker = new Unpacker(this.maxMessage);
    this.#keySince = options.now();
    this.#receiving = this.#guarded(() => this.#begin());
  }

  get unsent(): number {
    return this.#packer.bytes + (this.#options.route.unsent ?? 0);
  }

  send(message: string): void {
    if (this.#end || this.#isClosing) return;
    this.#packer.add(message);
    this.#flush();
  }

  close(): void {
    if (this.#end || this.#isClosing) return;
    this.#isClosing = true;
    this.#packer.end();
    // Without ciphers nothing can be said; the route is closed all the same.
    if (this.#ciphers) this.#flush();
    else this.#finish("done");
  }

  open(handlers: ChannelHandlers): void {
    this.#handlers = handlers;
    for (const text of this.#early.splice(0)) handlers.message(text);
    if (this.#end) handlers.closed(this.#end.reason);
  }

  /** The payload of a DATA frame of the route. It must not be changed afterwards. */
  receive(bytes: Bytes): void {
    if (this.#end) return;
    this.#receiving = this.#receiving.then(() => this.#guarded(() => this.#take(bytes)));
  }

  /** The route has ended, or the connection to the relay. What has arrived is still told. */
  ended(reason: string): void {
    void this.#receiving.then(() => this.#finish(undefined, reason));
  }

  async #begin(): Promise<void> {
    const { primitives, role, identity, peer, route } = this.#options;
    const ids = [identity.id, await idOf(primitives, peer)];
    const [client, host] = (role === "client" ? ids : ids.reverse()) as [Bytes, Bytes];
    this.#handshake = await KkHandshake.begin({
      primitives,
      isInitiator: role === "client",
      prologue: concat(CHANNEL_LABEL, uint64(route.id), client, host),
      own: identity.agreement,
      other: peer.agreement,
    });
    if (role === "client") this.#transmit(await this.#handshake.write());
  }

  async #take(bytes: Bytes): Promise<void> {
    if (this.#end) return;
    if (this.#ciphers) return this.#open(this.#ciphers.receiving, bytes);
    const handshake = this.#handshake as KkHandshake;
    if (bytes.length !== HANDSHAKE_BYTES) throw new Error("the handshake has the wrong length");
    await handshake.read(bytes);
    if (this.#options.role === "host") this.#transmit(await handshake.write());
    this.#ciphers = await handshake.split();
    this.#keySince = this.#options.now();
    if (this.#options.role === "client") this.#options.opened?.();
    this.#flush();
  }

  async #open(receiving: CipherState, bytes: Bytes): Promise<void> {
    if (++this.#keyMessages.received > this.#maxKeyMessages) throw new Error("a key was used for too long");
    const associated = this.#associated(this.#options.role, receiving);
    const isFirst = receiving.count === 0;
    const { texts, isRekeyed, isEnd } = this.#unpacker.unpack(await receiving.decryptWithAd(associated, bytes));
    // The handshake of a client can be an earlier one that somebody repeats.
    if (isFirst && this.#options.role === "host") this.#options.opened?.();
    if (isRekeyed) {
      await receiving.rekey();
      this.#keyMessages.received = 0;
    }
    for (const text of texts) this.#tell(text);
    if (isEnd) this.#finish("done");
  }

  /** Sends what waits, unless that is going on. What is added meanwhile goes into the next message. */
  #flush(): void {
    if (this.#isSending || !this.#ciphers || this.#end) return;
    const { sending } = this.#ciphers;
    this.#isSending = true;
    void this.#guarded(async () => {
      // Texts that are sent in one go share a message.
      await undefined;
      while (!this.#packer.isEmpty && !this.#end) await this.#seal(sending);
      this.#isSending = false;
      if (this.#isClosing) this.#finish("done");
    });
  }

  async #seal(sending: CipherState): Promise<void> {
    const isRekey = this.#isKeyOld();
    const associated = this.#associated(this.#options.role === "host" ? "client" : "host", sending);
    const sealed = await sending.encryptWithAd(associated, this.#packer.next(isRekey));
    this.#transmit(sealed);
    if (!isRekey) return;
    await sending.rekey();
    this.#keyMessages.sent = 0;
    this.#keySince = this.#options.now();
  }

  /** Whether the next message is the last one of its key. */
  #isKeyOld(): boolean {
    const count = ++this.#keyMessages.sent;
    return count >= this.#maxKeyMessages || this.#options.now() - this.#keySince >= MAX_KEY_MS;
  }

  get #maxKeyMessages(): number {
    return this.#options.maxKeyMessages ?? MAX_KEY_MESSAGES;
  }

  #associated(to: keyof typeof directions, { count }: CipherState): Bytes {
    return concat(uint64(this.#options.route.id), directions[to], uint64(BigInt(count)));
  }

  #transmit(bytes: Bytes): void {
    if (!this.#end) this.#options.route.send(bytes);
  }

  #tell(text: string): void {
    if (this.#end) return;
    if (this.#handlers) this.#handlers.message(text);
    else this.#early.push(text);
  }

  /** The first failure closes the channel for good. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      this.#finish("failed", errors.RELAY_CHANNEL({ problem }).message);
    }
  }

  /** `close` is what the other end is told; undefined if the route has ended already. */
  #finish(close: CloseReason | undefined, reason?: string): void {
    if (this.#end) return;
    this.#end = { reason };
    this.#ciphers = undefined;
    this.#handshake = undefined;
    if (close) this.#options.route.close(close);
    this.#options.ended?.();
    this.#handlers?.closed(reason);
  }
}
