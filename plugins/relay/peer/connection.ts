/** A connection of a host, client or guest with a relay. Runs in browsers, too. */

import { lineOf } from "@scorel/kit/text/one-line";
import { messageOf, type ScorelError } from "@scorel/kit/values/coded-error";
import { errors } from "../errors.ts";
import { decodeFrames, encodeFrame, type Frame, type FrameType, fail } from "../protocol/frames.ts";
import { InTurn } from "../protocol/in-turn.ts";
import * as payloads from "../protocol/payloads.ts";
import type { Bytes, Soon } from "../protocol/primitives.ts";
import type { BinarySocket, ConnectOptions } from "./connect-options.ts";
import { helloFor } from "./hello.ts";
import type { PeerRoute } from "./route.ts";
import { RouteTable } from "./route-table.ts";

export type { BinarySocket, ConnectOptions, PeerEvents } from "./connect-options.ts";
export type { Who } from "./hello.ts";

const CONNECT_MS = 10_000;
/** Number of ping periods without any message after which the relay counts as gone. */
const SILENT_PERIODS = 2.5;
/** Milliseconds from a refusal to the end of the connection that it explains. */
const FAREWELL_MS = 5_000;
const MAX_PING_MS = 60_000;
const NONE: Bytes = new Uint8Array(0);

/** Connects, and sends the hello. Throws RELAY_UNREACHABLE, RELAY_REFUSED. */
export function connectRelay(options: ConnectOptions): Promise<RelayConnection> {
  return new Promise((resolve, reject) => {
    const connection = new RelayConnection(options, {
      ready: () => {
        clearTimeout(limit);
        resolve(connection);
      },
      failed: (error) => {
        clearTimeout(limit);
        reject(error);
      },
    });
    const limit = setTimeout(() => connection.close("it did not answer in time"), options.limitMs ?? CONNECT_MS);
    const { signal } = options;
    signal?.addEventListener("abort", () => connection.close(String(signal.reason)), { once: true });
  });
}

export class RelayConnection {
  readonly address: string;
  private readonly options: ConnectOptions;
  private readonly socket: BinarySocket;
  private readonly beginning: { ready(): void; failed(error: ScorelError): void };
  private readonly routeTable: RouteTable;
  /** Processes messages one after the other, since signing is asynchronous in browsers. */
  private readonly taking = new InTurn();
  private hasSaidHello = false;
  private isReady = false;
  private end: ScorelError | undefined;
  /** The latest refusal that was about the connection itself, and when it came. */
  private farewell: { error: ScorelError; at: number } | undefined;
  private pendingOffer:
    | { resolve(offered: { place: string; seconds: number }): void; reject(error: Error): void }
    | undefined;
  private heardAt = performance.now();
  /** Bytes that were given to the WebSocket. */
  private given = 0;
  private pings: ReturnType<typeof setInterval> | undefined;
  private readonly closeListeners = new Set<() => void>();

  constructor(options: ConnectOptions, beginning: { ready(): void; failed(error: ScorelError): void }) {
    this.options = options;
    this.beginning = beginning;
    this.address = options.address;
    this.socket = options.make(options.address, payloads.SUBPROTOCOL);
    this.socket.binaryType = "arraybuffer";
    const given = () => this.given;
    const { socket } = this;
    this.routeTable = new RouteTable({
      get given() {
        return given();
      },
      get sent() {
        return given() - socket.bufferedAmount;
      },
      data: (route, bytes) => this.send("data", route, bytes),
      close: (route, reason) => this.send("close", route, payloads.closePayload(reason)),
    });
    let problem = "";
    this.socket.addEventListener("message", ({ data }) => {
      this.heardAt = performance.now();
      this.taking.run(() => this.receive(data));
    });
    this.socket.addEventListener("error", ({ message }) => {
      problem ||= message ?? "";
    });
    this.socket.addEventListener("close", ({ reason }) => {
      // Messages that have arrived are processed first: one of them may say why.
      this.taking.run(() => this.finish(reason || problem || "the connection was lost"));
    });
  }

  get isOpen(): boolean {
    return this.isReady && !this.end;
  }

  /** Number of open routes. */
  get routes(): number {
    return this.routeTable.size;
  }

  /** Opens a route to the host that has signed this grant. */
  open(grant: Bytes): PeerRoute {
    return this.begin("open", grant);
  }

  /** Opens a route to the host that pairs at this place. */
  join(place: string): PeerRoute {
    return this.begin("join", payloads.placePayload(place));
  }

  /** Subscribes to whether the host of a grant is connected; see the event `presence`. */
  watch(grant: Bytes): void {
    this.send("watch", 0n, grant);
  }

  revoke(revocation: Bytes): void {
    this.send("revoke", 0n, revocation);
  }

  /** Requests a pairing place, valid for `seconds`. A request that is still pending is rejected. */
  offer(): Promise<{ place: string; seconds: number }> {
    return new Promise((resolve, reject) => {
      if (this.end) return reject(this.end);
      this.pendingOffer?.reject(errors.RELAY_CODE_ENDED({ reason: "another one was asked for" }));
      this.pendingOffer = { resolve, reject };
      this.send("offer", 0n, NONE);
    });
  }

  withdraw(place: string): void {
    this.send("withdraw", 0n, payloads.placePayload(place));
  }

  /** Calls a listener when the connection has ended; at once if it has. Returns a function that removes the listener. */
  whenClosed(listener: () => void): () => void {
    if (this.end) listener();
    else this.closeListeners.add(listener);
    return () => void this.closeListeners.delete(listener);
  }

  close(reason = "it was closed here"): void {
    this.finish(reason);
    this.socket.close();
  }

  private begin(type: "open" | "join", payload: Bytes): PeerRoute {
    const route = this.routeTable.begin(this.options.primitives);
    this.send(type, route.id, payload);
    if (this.end) route.ended("lost", this.end);
    return route;
  }

  private send(type: FrameType, route: bigint, payload: Bytes): void {
    if (this.end || this.socket.readyState !== 1) return;
    const frame = encodeFrame(type, route, payload);
    this.given += frame.length;
    this.socket.send(frame);
  }

  private receive(data: unknown): Soon<void> {
    if (this.end) return;
    try {
      if (!(data instanceof ArrayBuffer)) throw errors.RELAY_FRAME({ problem: "a message is not binary" });
      const frames = decodeFrames(new Uint8Array(data), "relay", this.options.who.role);
      return this.takeAll(frames)?.catch((thrown) => this.failed(thrown));
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  private takeAll(frames: Frame[]): Soon<void> {
    for (let frame = frames.shift(); frame; frame = frames.shift()) {
      const working = this.take(frame);
      if (working) return working.then(() => this.takeAll(frames));
    }
  }

  private failed(thrown: unknown): void {
    this.farewell = { error: thrown as ScorelError, at: performance.now() };
    this.finish(messageOf(thrown));
    this.socket.close();
  }

  private take({ type, route: id, payload }: Frame): Soon<void> {
    if (type === "data") this.routeTable.receive(id, payload);
    else if (type === "close") this.routeTable.ended(id, payloads.readClose(payload));
    else if (type === "ping") this.send("pong", 0n, payload);
    else if (type === "challenge") return this.hello(payload);
    else if (type === "welcome") this.welcomed(payloads.readWelcome(payload));
    else if (type === "error") this.refused(id, payload);
    else this.told(type, id, payload);
  }

  private told(type: FrameType, id: bigint, payload: Bytes): void {
    const { incoming, joined, presence } = this.options.events ?? {};
    if (type === "incoming") {
      const route = this.routeTable.led(id);
      if (route) incoming?.(route, payloads.readIncoming(payload));
    } else if (type === "joined") {
      const route = this.routeTable.led(id);
      if (route) joined?.(route, payloads.readPlace(payload));
    } else if (type === "presence") {
      const { hostId, isThere } = payloads.readPresence(payload);
      presence?.(hostId, isThere);
    } else if (type === "offered") {
      this.pendingOffer?.resolve(payloads.readOffered(payload));
      this.pendingOffer = undefined;
    }
  }

  /** Answers the challenge. Only once: otherwise a relay could have more signed than a connection needs. */
  private async hello(nonce: Bytes): Promise<void> {
    if (this.hasSaidHello) fail("a second challenge came");
    this.hasSaidHello = true;
    const { who, address } = this.options;
    this.send("hello", 0n, await helloFor(who, address, nonce.slice()));
  }

  private welcomed({ ping }: payloads.Welcome): void {
    if (this.isReady || !this.hasSaidHello) fail("a welcome was not expected");
    this.isReady = true;
    this.beginning.ready();
    // Whatever the relay says: with a very long period, a dead connection would never be detected, or the timer would run all the time.
    const period = Math.min(ping * 1_000, MAX_PING_MS);
    this.pings = setInterval(() => {
      const silent = performance.now() - this.heardAt;
      if (silent > SILENT_PERIODS * period) this.close("it does not answer");
      else this.send("ping", 0n, NONE);
    }, period);
    (this.pings as { unref?(): void }).unref?.();
  }

  private refused(id: bigint, payload: Bytes): void {
    const { name, text } = payloads.readError(payload);
    const error = errors.RELAY_REFUSED({ relay: this.address, reason: name, text: lineOf(text) });
    if (id !== 0n) this.routeTable.ended(id, "gone", error);
    else if (this.pendingOffer) {
      this.pendingOffer.reject(error);
      this.pendingOffer = undefined;
    } else {
      this.farewell = { error, at: performance.now() };
      this.options.events?.refused?.(error);
    }
  }

  private finish(reason: string): void {
    if (this.end) return;
    clearInterval(this.pings);
    // A refusal that ends the connection is followed by its end. An earlier one was about something else.
    const { farewell } = this;
    const isRefused = farewell !== undefined && performance.now() - farewell.at < FAREWELL_MS;
    const error = isRefused
      ? farewell.error
      : errors.RELAY_UNREACHABLE({ relay: this.address, reason: lineOf(reason) });
    this.end = error;
    this.pendingOffer?.reject(error);
    this.routeTable.allEnded(error);
    for (const listener of [...this.closeListeners]) listener();
    this.closeListeners.clear();
    if (this.isReady) this.options.events?.closed?.(error);
    else this.beginning.failed(error);
  }
}
