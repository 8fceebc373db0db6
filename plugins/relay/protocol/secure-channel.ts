/**
 * The encrypted channel between a client and a host over a route of a relay: a Noise KK handshake, then encrypted messages. Either exactly
 * what was sent arrives, in order, or the channel fails for good.
 */

import type { Channel, ChannelHandlers } from "@scorel/host/client";
import { errors } from "../errors.ts";
import { MAX_PAYLOAD_BYTES } from "./addresses.ts";
import { concat, label, putCount, uint64 } from "./bytes.ts";
import type { SecureChannelOptions } from "./channel-options.ts";
import type { CloseReason } from "./frames.ts";
import { idOf } from "./identity.ts";
import { InTurn } from "./in-turn.ts";
import { type CipherState, type Ciphers, KkHandshake } from "./noise-kk.ts";
import { type Bytes, KEY_BYTES, type Soon, TAG_BYTES, whenThere } from "./primitives.ts";
import { Packer, type Unpacked, Unpacker } from "./segments.ts";

export type { RouteEnd, SecureChannelOptions } from "./channel-options.ts";

const CHANNEL_LABEL = label("scorel channel 1");
const HANDSHAKE_BYTES = KEY_BYTES + TAG_BYTES;
/** The most messages, and milliseconds, for which one key is used. */
const MAX_KEY_MESSAGES = 2 ** 20;
export const MAX_KEY_MS = 15 * 60_000;
/** Bytes of the longest text sent to a host, and to a client. */
export const MAX_TEXT = { host: 16 * 1024 * 1024, client: 64 * 1024 * 1024 } as const;

const COUNT_BYTES = 8;
/** Number of each direction in the authenticated data of a message. */
const directions = { host: 1, client: 2 } as const;

export class SecureChannel implements Channel {
  readonly maxMessage: number;
  private readonly options: SecureChannelOptions;
  private readonly packer = new Packer();
  private readonly unpacker: Unpacker;
  private handshake: KkHandshake | undefined;
  private ciphers: Ciphers | undefined;
  /** Processes messages one after the other. */
  private readonly receiving = new InTurn();
  /** Authenticated data of each message, without its count. */
  private readonly associated: Record<keyof typeof directions, Bytes>;
  private isSending = false;
  private handlers: ChannelHandlers | undefined;
  private early: string[] = [];
  private end: { reason: string | undefined } | undefined;
  private isClosing = false;
  private keyMessages = { sent: 0, received: 0 };
  private keySince: number;

  constructor(options: SecureChannelOptions) {
    this.options = options;
    this.maxMessage = MAX_TEXT[options.role];
    this.unpacker = new Unpacker(this.maxMessage);
    this.keySince = options.now();
    const route = uint64(options.route.id);
    this.associated = {
      host: concat(route, Uint8Array.of(directions.host), new Uint8Array(COUNT_BYTES)),
      client: concat(route, Uint8Array.of(directions.client), new Uint8Array(COUNT_BYTES)),
    };
    this.receiving.run(() => this.guarded(() => this.begin()));
  }

  get unsent(): number {
    return this.packer.bytes + (this.options.route.unsent ?? 0);
  }

  send(message: string): void {
    if (this.end || this.isClosing) return;
    this.packer.add(message);
    this.flush();
  }

  close(): void {
    if (this.end || this.isClosing) return;
    this.isClosing = true;
    this.packer.end();
    // Before the handshake is done, nothing can be sent; the route is closed all the same.
    if (this.ciphers) this.flush();
    else this.finish("done");
  }

  open(handlers: ChannelHandlers): void {
    this.handlers = handlers;
    for (const text of this.early.splice(0)) handlers.message(text);
    if (this.end) handlers.closed(this.end.reason);
  }

  /** Receives the payload of a DATA frame. The caller must not change the bytes afterwards. */
  receive(bytes: Bytes): void {
    if (this.end) return;
    this.receiving.run(() => this.guarded(() => this.take(bytes)));
  }

  /** The route has ended, or the connection to the relay. Messages that have arrived are still delivered. */
  ended(reason: string): void {
    this.receiving.run(() => this.finish(undefined, reason));
  }

  private async begin(): Promise<void> {
    const { primitives, role, identity, peer, route } = this.options;
    const ids = [identity.id, await idOf(primitives, peer)];
    const [client, host] = (role === "client" ? ids : ids.reverse()) as [Bytes, Bytes];
    this.handshake = await KkHandshake.begin({
      primitives,
      isInitiator: role === "client",
      prologue: concat(CHANNEL_LABEL, uint64(route.id), client, host),
      own: identity.agreement,
      other: peer.agreement,
    });
    if (role === "client") this.transmit(await this.handshake.write());
  }

  private take(bytes: Bytes): Soon<void> {
    if (this.end) return;
    return this.ciphers ? this.unseal(this.ciphers.receiving, bytes) : this.shake(bytes);
  }

  private async shake(bytes: Bytes): Promise<void> {
    const handshake = this.handshake as KkHandshake;
    const { role, tells, told } = this.options;
    const longest = HANDSHAKE_BYTES + (role === "client" ? MAX_PAYLOAD_BYTES : 0);
    if (bytes.length < HANDSHAKE_BYTES || bytes.length > longest) throw new Error("the handshake has the wrong length");
    const payload = await handshake.read(bytes);
    if (role === "host") this.transmit(await handshake.write(tells));
    else told?.(payload);
    this.ciphers = await handshake.split();
    this.keySince = this.options.now();
    if (role === "client") this.options.opened?.();
    this.flush();
  }

  private unseal(receiving: CipherState, bytes: Bytes): Soon<void> {
    if (++this.keyMessages.received > this.maxKeyMessages) throw new Error("a key was used for too long");
    const isFirst = receiving.count === 0;
    const associated = this.associatedOf(this.options.role, receiving);
    return whenThere(receiving.decryptWithAd(associated, bytes), (message) => {
      const unpacked = this.unpacker.unpack(message);
      // A client's handshake may be an earlier one that somebody replays. Only its first message proves who it is.
      if (isFirst && this.options.role === "host") this.options.opened?.();
      if (!unpacked.isRekeyed) return this.tellAll(unpacked);
      this.keyMessages.received = 0;
      return receiving.rekey().then(() => this.tellAll(unpacked));
    });
  }

  private tellAll({ texts, isEnd }: Unpacked): void {
    for (const text of texts) this.tell(text);
    if (isEnd) this.finish("done");
  }

  /** Sends the waiting strings, unless sending is in progress. Strings that are added meanwhile go into the next message. */
  private flush(): void {
    if (this.isSending || !this.ciphers || this.end) return;
    const { sending } = this.ciphers;
    this.isSending = true;
    // Deferred, so that strings that are sent in one go share a message.
    queueMicrotask(() => void this.guarded(() => this.sealAll(sending)));
  }

  private sealAll(sending: CipherState): Soon<void> {
    while (!this.packer.isEmpty && !this.end) {
      const working = this.seal(sending);
      if (working) return working.then(() => this.sealAll(sending));
    }
    this.isSending = false;
    if (this.isClosing) this.finish("done");
  }

  private seal(sending: CipherState): Soon<void> {
    const isRekey = this.isKeyOld();
    const associated = this.associatedOf(this.options.role === "host" ? "client" : "host", sending);
    return whenThere(sending.encryptWithAd(associated, this.packer.next(isRekey)), (sealed) => {
      this.transmit(sealed);
      if (!isRekey) return;
      this.keyMessages.sent = 0;
      this.keySince = this.options.now();
      return sending.rekey();
    });
  }

  /** Whether the next message has to be the last one of its key. */
  private isKeyOld(): boolean {
    const count = ++this.keyMessages.sent;
    return count >= this.maxKeyMessages || this.options.now() - this.keySince >= MAX_KEY_MS;
  }

  private get maxKeyMessages(): number {
    return this.options.maxKeyMessages ?? MAX_KEY_MESSAGES;
  }

  private associatedOf(to: keyof typeof directions, { count }: CipherState): Bytes {
    const associated = this.associated[to];
    putCount(associated, associated.length - COUNT_BYTES, count);
    return associated;
  }

  private transmit(bytes: Bytes): void {
    if (!this.end) this.options.route.send(bytes);
  }

  private tell(text: string): void {
    if (this.end) return;
    if (this.handlers) this.handlers.message(text);
    else this.early.push(text);
  }

  /** Runs `work`. Its first failure closes the channel for good. */
  private guarded(work: () => Soon<void>): Soon<void> {
    try {
      return work()?.catch((thrown) => this.failed(thrown));
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  private failed(thrown: unknown): void {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    this.finish("failed", errors.RELAY_CHANNEL({ problem }).message);
  }

  /** Ends the channel. `close` is the reason sent to the other end; undefined if the route has already ended. */
  private finish(close: CloseReason | undefined, reason?: string): void {
    if (this.end) return;
    this.end = { reason };
    this.ciphers = undefined;
    this.handshake = undefined;
    if (close) this.options.route.close(close);
    this.options.ended?.();
    this.handlers?.closed(reason);
  }
}
