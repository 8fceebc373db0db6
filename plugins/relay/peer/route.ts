import type { CloseReason } from "../protocol/frames.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { RouteEnd } from "../protocol/secure-channel.ts";

/** Receives what arrives over a route. */
export interface RouteUser {
  data(bytes: Bytes): void;
  /** The route has ended, because of the other end, the relay, or a lost connection to the relay. */
  closed(reason: CloseReason | "lost", thrown?: Error): void;
}

/** Bytes that are queued at most before the route's user starts to listen. */
const MAX_EARLY = 256 * 1024;

/** Number of messages after which those that are sent are forgotten. */
const LOOK_EVERY = 64;

/** The part of a connection to a relay that a route uses. */
export interface RouteWire {
  /** Bytes of all routes that were given to the connection, and how many of them it has sent. */
  readonly given: number;
  readonly sent: number;
  data(route: bigint, bytes: Bytes): void;
  close(route: bigint, reason: CloseReason): void;
}

/** One end of a route, over a connection to a relay. */
export class PeerRoute implements RouteEnd {
  readonly id: bigint;
  private readonly wire: RouteWire;
  private user: RouteUser | undefined;
  private early: Bytes[] = [];
  private earlyBytes = 0;
  /** The messages of this route that the connection may not have sent yet. One is sent when `sent` of the connection reaches its `end`. */
  private waiting: { end: number; bytes: number }[] = [];
  private waitingBytes = 0;
  private end: { reason: CloseReason | "lost"; thrown: Error | undefined } | undefined;

  constructor(id: bigint, wire: RouteWire) {
    this.id = id;
    this.wire = wire;
  }

  /** Bytes of this route that wait to be sent. Those of others are not counted: one device that reads slowly must not hold up the rest. */
  get unsent(): number {
    const { sent } = this.wire;
    const count = this.waiting.findIndex(({ end }) => end > sent);
    for (const { bytes } of this.waiting.splice(0, count < 0 ? this.waiting.length : count)) this.waitingBytes -= bytes;
    return this.waitingBytes;
  }

  /** Starts to listen. Messages that have arrived before are delivered at once. */
  use(user: RouteUser): void {
    this.user = user;
    for (const bytes of this.early.splice(0)) user.data(bytes);
    if (this.end) user.closed(this.end.reason, this.end.thrown);
  }

  send(bytes: Bytes): void {
    if (this.end) return;
    this.wire.data(this.id, bytes);
    this.waiting.push({ end: this.wire.given, bytes: bytes.length });
    this.waitingBytes += bytes.length;
    if (this.waiting.length % LOOK_EVERY === 0) void this.unsent;
  }

  close(reason: CloseReason): void {
    if (this.end) return;
    this.end = { reason, thrown: undefined };
    this.wire.close(this.id, reason);
  }

  /** Receives the payload of a DATA frame. */
  receive(bytes: Bytes): void {
    if (this.end) return;
    if (this.user) this.user.data(bytes);
    else {
      this.earlyBytes += bytes.length;
      if (this.earlyBytes > MAX_EARLY) this.close("limit");
      // Copied, since the caller may reuse the memory of the message.
      else this.early.push(bytes.slice());
    }
  }

  ended(reason: CloseReason | "lost", thrown?: Error): void {
    if (this.end) return;
    this.end = { reason, thrown };
    this.user?.closed(reason, thrown);
  }
}
