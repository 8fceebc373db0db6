/**
 * The encrypted channel between a client and a host over a route of a relay: a Noise KK handshake, then encrypted messages. Either exactly
 * what was sent arrives, in order, or the channel fails for good.
 */

import type { Channel, ChannelHandlers } from "@scorel/host/client";
import { errors } from "../errors.ts";
import { MAX_PAYLOAD_BYTES } from "./addresses.ts";
import { AssociatedData } from "./associated-data.ts";
import { concat, label, uint64 } from "./bytes.ts";
import type { SecureChannelOptions } from "./channel-options.ts";
import { Flow } from "./flow.ts";
import type { CloseReason } from "./frames.ts";
import { idOf } from "./identity.ts";
import { InTurn } from "./in-turn.ts";
import { KeyUse } from "./key-use.ts";
import { type CipherState, type Ciphers, KkHandshake } from "./noise-kk.ts";
import { type Bytes, KEY_BYTES, type Soon, TAG_BYTES, whenThere } from "./primitives.ts";
import { Packer, type Unpacked, Unpacker } from "./segments.ts";

export type { RouteEnd, SecureChannelOptions } from "./channel-options.ts";

const CHANNEL_LABEL = label("scorel channel 2");
const HANDSHAKE_BYTES = KEY_BYTES + TAG_BYTES;
/** Bytes of the longest text sent to a host, and to a client. */
export const MAX_TEXT = { host: 16 * 1024 * 1024, client: 64 * 1024 * 1024 } as const;
/** The most bytes that may wait behind the text that is being sent. With more, the peer counts as one that does not read. */
const TOO_MUCH_UNSENT = 32 * 1024 * 1024;
/** Milliseconds for the rest of what was sent before a channel is closed. */
const CLOSE_MS = 5_000;

export class SecureChannel implements Channel {
  readonly maxMessage: number;
  received = 0;
  private readonly options: SecureChannelOptions;
  private readonly packer = new Packer();
  private readonly unpacker: Unpacker;
  private readonly flow = new Flow();
  private handshake: KkHandshake | undefined;
  private ciphers: Ciphers | undefined;
  /** Processes messages one after the other. */
  private readonly receiving = new InTurn();
  private readonly associated: AssociatedData;
  private isSending = false;
  private handlers: ChannelHandlers | undefined;
  private early: string[] = [];
  private end: { reason: string | undefined } | undefined;
  private isClosing = false;
  private closing: ReturnType<typeof setTimeout> | undefined;
  private readonly keys: KeyUse;

  constructor(options: SecureChannelOptions) {
    this.options = options;
    this.maxMessage = MAX_TEXT[options.role];
    this.unpacker = new Unpacker(this.maxMessage);
    this.keys = new KeyUse(() => options.now(), options.maxKeyMessages);
    this.associated = new AssociatedData(options.route.id);
    this.receiving.run(() => this.guarded(() => this.begin()));
  }

  get unsent(): number {
    return this.packer.bytes + (this.options.route.unsent ?? 0);
  }

  send(message: string): void {
    if (this.end || this.isClosing) return;
    const { behind } = this.packer;
    if (behind > TOO_MUCH_UNSENT) this.finish("limit", `it does not read, and ${behind} bytes wait for it`);
    else {
      this.packer.add(message);
      this.flush();
    }
  }

  /** Closes the channel after its waiting texts are sent. Drops those that a peer does not read in time. */
  close(): void {
    if (this.end || this.isClosing) return;
    this.isClosing = true;
    this.packer.end();
    // Before the handshake is done, nothing can be sent; the route is closed all the same.
    if (this.ciphers) this.flush();
    else this.finish("done");
  }

  /** Ends the channel at once, because the other end has lost its rights. */
  cut(): void {
    this.finish("done");
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
    this.received += bytes.length;
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
    this.keys.renewSending();
    if (role === "client") this.options.opened?.();
    this.flush();
  }

  private unseal(receiving: CipherState, bytes: Bytes): Soon<void> {
    this.keys.countReceived();
    const isFirst = receiving.count === 0;
    const associated = this.associated.of(this.options.role, receiving.count);
    return whenThere(receiving.decryptWithAd(associated, bytes), (message) => {
      const unpacked = this.unpacker.unpack(message);
      // A client's handshake may be an earlier one that somebody replays. Only its first message proves who it is.
      if (isFirst && this.options.role === "host") this.options.opened?.();
      this.measure(bytes.length, unpacked.received);
      if (!unpacked.isRekeyed) return this.tellAll(unpacked);
      this.keys.renewReceiving();
      return receiving.rekey().then(() => this.tellAll(unpacked));
    });
  }

  /** Acknowledges what was received, and goes on sending after an acknowledgement. */
  private measure(bytes: number, arrived: number | undefined): void {
    const received = this.flow.received(bytes);
    if (received !== undefined) this.packer.acknowledge(received);
    if (arrived !== undefined) this.flow.arrived(arrived);
    if (received !== undefined || arrived !== undefined) this.flush();
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
    while (this.canSend && !this.end) {
      const working = this.seal(sending);
      if (working) return working.then(() => this.sealAll(sending));
    }
    this.isSending = false;
    if (this.isClosing && this.packer.isEmpty) this.finish("done");
    else if (this.isClosing) this.finishLater();
  }

  private finishLater(): void {
    this.closing ??= setTimeout(() => this.finish("done"), CLOSE_MS);
    (this.closing as { unref?(): void }).unref?.();
  }

  private get canSend(): boolean {
    return this.packer.acknowledges || (!this.flow.isFull && !this.packer.isEmpty);
  }

  private seal(sending: CipherState): Soon<void> {
    const isRekey = this.keys.isLastSent();
    const message = this.packer.next(isRekey, this.flow);
    const associated = this.associated.of(this.options.role === "host" ? "client" : "host", sending.count);
    return whenThere(sending.encryptWithAd(associated, message), (sealed) => {
      this.flow.sent(sealed.length);
      this.transmit(sealed);
      if (!isRekey) return;
      this.keys.renewSending();
      return sending.rekey();
    });
  }

  private transmit(bytes: Bytes): void {
    if (!this.end) this.options.route.send(bytes);
  }

  private tell(text: string): void {
    if (this.end || this.isClosing) return;
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
    clearTimeout(this.closing);
    this.end = { reason };
    this.ciphers = undefined;
    this.handshake = undefined;
    if (close) this.options.route.close(close);
    this.options.ended?.();
    this.handlers?.closed(reason);
  }
}
