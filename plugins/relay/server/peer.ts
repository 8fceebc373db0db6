import { messageOf } from "@scorel/kit/values/coded-error";
import { base64url } from "../protocol/bytes.ts";
import {
  decodeFrames,
  type ErrorName,
  encodeFrame,
  errorCodes,
  type Frame,
  type FrameType,
} from "../protocol/frames.ts";
import type { PublicKeys, Role } from "../protocol/identity.ts";
import { errorPayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { SignedHello } from "./bus/messages.ts";
import { Allowance, type RelayLimits } from "./limits.ts";
import { Refusal } from "./refusal.ts";
import type { Route, RouteEnd } from "./routes.ts";

/** A connection that carries binary messages, independent of the WebSocket library. */
export interface Socket {
  /** Bytes that wait to be sent. */
  readonly unsent: number;
  send(message: Bytes): void;
  /** Closes the connection as soon as all messages are sent, or after a short time. */
  close(code: number, reason: string): void;
  pause(): void;
  resume(): void;
}

/** A WebSocket is closed with this code plus the number of the error. */
const CLOSE_BASE = 4_000;
const NONE: Bytes = new Uint8Array(0);

/** Handles the frames of peers. */
export interface FrameHandler {
  frame(peer: Peer, frame: Frame): void | Promise<void>;
  closed(peer: Peer): void;
}

/** A connected host, client or guest. */
export class Peer implements RouteEnd {
  readonly address: string;
  readonly since: number;
  /** Random bytes that the hello has to be signed with; empty after the hello. */
  nonce: Bytes;
  /** Pairing place at which guests find this host, while it pairs. */
  place: string | undefined;
  role: Role | undefined;
  /** Base64url; empty for guests. */
  id = "";
  idBytes: Bytes = NONE;
  keys: PublicKeys | undefined;
  generation = 0n;
  /** The signed hello of a host. Other relays on the bus check it. */
  private signedHello: SignedHello | undefined;
  heardAt: number;
  private readonly socket: Socket;
  private readonly handler: FrameHandler;
  private readonly maxUnsent: number;
  private readonly frames: Allowance;
  private readonly bytes: Allowance;
  // Created when needed, since most connections are idle.
  private lazyRoutes: Map<bigint, Route> | undefined;
  private lazyWatched: Map<string, { serial: bigint }> | undefined;
  /** Frames that wait until an earlier one is done. */
  private waiting: Frame[] = [];
  private isBusy = false;
  private isResting = false;
  private closed = false;

  constructor(
    socket: Socket,
    handler: FrameHandler,
    { address, nonce, now, limits }: { address: string; nonce: Bytes; now: number; limits: RelayLimits },
  ) {
    this.socket = socket;
    this.handler = handler;
    this.maxUnsent = limits.unsent;
    this.address = address;
    this.nonce = nonce;
    this.since = now;
    this.heardAt = now;
    this.frames = new Allowance(limits.frames, now);
    this.bytes = new Allowance(limits.bytes, now);
  }

  get routes(): Map<bigint, Route> {
    this.lazyRoutes ??= new Map();
    return this.lazyRoutes;
  }

  /** Hosts whose presence this client watches, by their ids. */
  get watched(): Map<string, { serial: bigint }> {
    this.lazyWatched ??= new Map();
    return this.lazyWatched;
  }

  /** The peer has said who it is. */
  introduced(role: Role, who?: { id: Bytes; hello: SignedHello["hello"]; authority: string }): void {
    this.role = role;
    const { nonce } = this;
    this.nonce = NONE;
    if (!who) return;
    const { hello, authority } = who;
    this.id = base64url(who.id);
    // Copied, since the result of a hash may be a view of a larger memory.
    this.idBytes = who.id.slice();
    this.keys = hello.publicKeys;
    this.generation = hello.generation;
    if (role === "host") this.signedHello = { nonce, authority, hello };
  }

  /** The signed hello of a host. Only after `introduced`. */
  get signed(): SignedHello {
    return this.signedHello as SignedHello;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  get isFull(): boolean {
    return this.socket.unsent > this.maxUnsent;
  }

  send(type: FrameType, route: bigint, payload: Bytes = NONE): void {
    this.forward(encodeFrame(type, route, payload));
  }

  /** Sends an encoded frame unchanged. Frames of closed routes, answers to pings and the like also wait: too many end the connection. */
  forward(frame: Bytes): void {
    if (this.closed) return;
    if (this.socket.unsent > 2 * this.maxUnsent) this.end("limit", "It does not read what is sent to it.");
    else this.socket.send(frame);
  }

  /** Tells the peer what is wrong with a route. */
  refuse(route: bigint, name: ErrorName, text: string): void {
    this.send("error", route, errorPayload(name, text));
  }

  /** Tells the peer why its connection ends, and closes it. */
  end(name: ErrorName, text: string): void {
    if (this.closed) return;
    this.closed = true;
    this.socket.send(encodeFrame("error", 0n, errorPayload(name, text)));
    this.waiting = [];
    this.socket.close(CLOSE_BASE + errorCodes[name], name);
    this.handler.closed(this);
  }

  /** Called when the connection has ended. */
  gone(): void {
    if (this.closed) return;
    this.closed = true;
    this.waiting = [];
    this.handler.closed(this);
  }

  /** Handles a message. One that breaks the protocol ends the connection. */
  receive(message: Bytes, now: number): void {
    if (this.closed) return;
    this.heardAt = now;
    const frames = this.decoded(message);
    if (!frames) return;
    const wait = Math.max(this.frames.take(frames.length, now), this.bytes.take(message.length, now));
    if (wait > 0) this.rest(wait);
    for (const frame of frames) {
      if (this.isBusy) this.waiting.push(frame);
      else this.take(frame);
    }
    this.setReading();
  }

  private decoded(message: Bytes): Frame[] | undefined {
    try {
      // Before the hello, the peer is treated as a guest: that role may send the fewest types, and a hello has the same form for all roles.
      return decodeFrames(message, this.role ?? "guest", "relay");
    } catch (thrown) {
      this.end("malformed", messageOf(thrown));
      return undefined;
    }
  }

  private take(frame: Frame): void {
    if (this.closed) return;
    try {
      const working = this.handler.frame(this, frame);
      if (working) void this.untilDone(working, frame);
    } catch (thrown) {
      this.failed(frame, thrown);
    }
  }

  private async untilDone(working: Promise<void>, frame: Frame): Promise<void> {
    this.isBusy = true;
    try {
      await working;
    } catch (thrown) {
      this.failed(frame, thrown);
    }
    this.isBusy = false;
    while (!this.isBusy && this.waiting.length > 0) this.take(this.waiting.shift() as Frame);
    this.setReading();
  }

  private failed({ route }: Frame, thrown: unknown): void {
    if (!(thrown instanceof Refusal)) this.end("malformed", messageOf(thrown));
    else if (thrown.ends) this.end(thrown.reason, thrown.message);
    else this.refuse(route, thrown.reason, thrown.message);
  }

  private rest(ms: number): void {
    if (this.isResting) return;
    this.isResting = true;
    setTimeout(() => {
      this.isResting = false;
      this.setReading();
    }, ms).unref();
  }

  /** Stops reading while the peer has sent too much, or while one of its frames is being checked. */
  private setReading(): void {
    if (this.closed) return;
    if (this.isResting || this.isBusy) this.socket.pause();
    else this.socket.resume();
  }
}
