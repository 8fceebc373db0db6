/** A connection of a host, client or guest with a relay. Runs in browsers, too. */

import { plainText } from "@scorel/kit/text/plain";
import { messageOf, type ScorelError } from "@scorel/kit/values/coded-error";
import { errors } from "../errors.ts";
import { type CloseReason, decodeFrames, encodeFrame, type Frame, type FrameType } from "../protocol/frames.ts";
import { authorityOf, type Identity, type PublicKeys, signHello } from "../protocol/identity.ts";
import * as payloads from "../protocol/payloads.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { PeerRoute, type RouteWire } from "./route.ts";

/** The part of the browser's WebSocket that a connection needs; that of the package `ws` has it, too. */
export interface BinarySocket {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(bytes: Bytes): void;
  close(code?: number): void;
  addEventListener(
    type: string,
    listener: (event: { data?: unknown; reason?: string; message?: string }) => void,
  ): void;
}

/** As whom a peer connects. */
export type Who = { role: "host" | "client"; identity: Identity } | { role: "guest" };

export interface ConnectOptions {
  /** Such as `wss://relay.example/relay`. */
  address: string;
  who: Who;
  primitives: Primitives;
  make(address: string, protocol: string): BinarySocket;
  /** Milliseconds that connecting may take. */
  limitMs?: number;
  /** Called with what a relay sends unasked. */
  events?: Partial<PeerEvents>;
}

export interface PeerEvents {
  /** A client has opened a route to this host. */
  incoming(route: PeerRoute, client: PublicKeys): void;
  /** A guest has come to the place of this host. */
  joined(route: PeerRoute, place: string): void;
  presence(hostId: Bytes, isThere: boolean): void;
  /** The relay has refused something that is about no route. */
  refused(error: ScorelError): void;
  /** The connection has ended. */
  closed(error: ScorelError): void;
}

const CONNECT_MS = 10_000;
/** Periods of pings without any message after which the relay counts as gone. */
const SILENT_PERIODS = 2.5;
const ROUTE_BYTES = 8;
const NONE: Bytes = new Uint8Array(0);

/** Connects and says hello. Throws RELAY_UNREACHABLE, RELAY_REFUSED. */
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
  });
}

export class RelayConnection {
  readonly address: string;
  readonly #options: ConnectOptions;
  readonly #socket: BinarySocket;
  readonly #beginning: { ready(): void; failed(error: ScorelError): void };
  readonly #routes = new Map<bigint, PeerRoute>();
  readonly #wire: RouteWire = wireOf(this, {
    data: (route, bytes) => this.#send("data", route, bytes),
    close: (route, reason) => {
      this.#routes.delete(route);
      this.#send("close", route, payloads.closePayload(reason));
    },
  });
  /** Messages are taken one after the other: signing takes time in browsers. */
  #taking: Promise<void> = Promise.resolve();
  #isReady = false;
  #end: ScorelError | undefined;
  /** Why the relay has said that it ends the connection. */
  #farewell: ScorelError | undefined;
  #offer: { resolve(offered: { place: string; seconds: number }): void; reject(error: Error): void } | undefined;
  #heardAt = performance.now();
  #pings: ReturnType<typeof setInterval> | undefined;

  constructor(options: ConnectOptions, beginning: { ready(): void; failed(error: ScorelError): void }) {
    this.#options = options;
    this.#beginning = beginning;
    this.address = options.address;
    this.#socket = options.make(options.address, payloads.SUBPROTOCOL);
    this.#socket.binaryType = "arraybuffer";
    let problem = "";
    this.#socket.addEventListener("message", ({ data }) => {
      this.#heardAt = performance.now();
      this.#taking = this.#taking.then(() => this.#receive(data));
    });
    this.#socket.addEventListener("error", ({ message }) => {
      problem ||= message ?? "";
    });
    this.#socket.addEventListener("close", ({ reason }) => {
      // What has arrived is taken first: it may say why.
      void this.#taking.then(() => this.#finish(reason || problem || "the connection was lost"));
    });
  }

  get isOpen(): boolean {
    return this.#isReady && !this.#end;
  }

  /** Bytes that wait to be sent. */
  get unsent(): number {
    return this.#socket.bufferedAmount;
  }

  /** Opens a route to the host that has signed a grant for this client. */
  open(grant: Bytes): PeerRoute {
    return this.#begin("open", grant);
  }

  /** Opens a route to the host that pairs at a place. */
  join(place: string): PeerRoute {
    return this.#begin("join", payloads.placePayload(place));
  }

  /** Asks to be told whether the host of a grant is there. */
  watch(grant: Bytes): void {
    this.#send("watch", 0n, grant);
  }

  revoke(revocation: Bytes): void {
    this.#send("revoke", 0n, revocation);
  }

  /** Asks for a place to pair. An offer before this one has ended. */
  offer(): Promise<{ place: string; seconds: number }> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      this.#offer?.reject(errors.RELAY_CODE_ENDED({ reason: "another one was asked for" }));
      this.#offer = { resolve, reject };
      this.#send("offer", 0n, NONE);
    });
  }

  withdraw(place: string): void {
    this.#send("withdraw", 0n, payloads.placePayload(place));
  }

  close(reason = "it was closed here"): void {
    this.#finish(reason);
    this.#socket.close();
  }

  #begin(type: "open" | "join", payload: Bytes): PeerRoute {
    const bytes = this.#options.primitives.random(ROUTE_BYTES);
    // No route has the number 0.
    bytes[0] = (bytes[0] as number) | 1;
    const route = this.#route(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
    this.#send(type, route.id, payload);
    if (this.#end) route.ended("lost", this.#end);
    return route;
  }

  #route(id: bigint): PeerRoute {
    const route = new PeerRoute(id, this.#wire);
    this.#routes.set(id, route);
    return route;
  }

  #send(type: FrameType, route: bigint, payload: Bytes): void {
    if (!this.#end && this.#socket.readyState === 1) this.#socket.send(encodeFrame(type, route, payload));
  }

  async #receive(data: unknown): Promise<void> {
    if (this.#end) return;
    try {
      if (!(data instanceof ArrayBuffer)) throw errors.RELAY_FRAME({ problem: "a message is not binary" });
      for (const frame of decodeFrames(new Uint8Array(data), "relay", this.#options.who.role)) {
        const working = this.#take(frame);
        if (working) await working;
      }
    } catch (thrown) {
      this.#farewell ??= thrown as ScorelError;
      this.#finish(messageOf(thrown));
      this.#socket.close();
    }
  }

  #take({ type, route: id, payload }: Frame): void | Promise<void> {
    const route = this.#routes.get(id);
    if (type === "data") route?.receive(payload);
    else if (type === "close") this.#ended(id, payloads.readClose(payload));
    else if (type === "ping") this.#send("pong", 0n, payload);
    else if (type === "challenge") return this.#hello(payload);
    else if (type === "welcome") this.#begun(payloads.readWelcome(payload));
    else if (type === "error") this.#refused(id, payload);
    else this.#told(type, id, payload);
  }

  #told(type: FrameType, id: bigint, payload: Bytes): void {
    const { incoming, joined, presence } = this.#options.events ?? {};
    if (type === "incoming") incoming?.(this.#route(id), payloads.readIncoming(payload));
    else if (type === "joined") joined?.(this.#route(id), payloads.readPlace(payload));
    else if (type === "presence") {
      const { hostId, isThere } = payloads.readPresence(payload);
      presence?.(hostId, isThere);
    } else if (type === "offered") {
      this.#offer?.resolve(payloads.readOffered(payload));
      this.#offer = undefined;
    }
  }

  async #hello(nonce: Bytes): Promise<void> {
    const { who, address } = this.#options;
    if (who.role === "guest") return this.#send("hello", 0n, payloads.helloPayload({ role: "guest" }));
    const { role, identity } = who;
    const generation = BigInt(Date.now());
    const signature = await signHello(identity, {
      ...{ role, nonce: nonce.slice(), generation },
      authority: authorityOf(address),
    });
    const { publicKeys } = identity;
    this.#send("hello", 0n, payloads.helloPayload({ role, generation, publicKeys, signature }));
  }

  #begun({ ping }: payloads.Welcome): void {
    this.#isReady = true;
    this.#beginning.ready();
    this.#pings = setInterval(() => {
      const silent = performance.now() - this.#heardAt;
      if (silent > SILENT_PERIODS * ping * 1_000) this.close("it does not answer");
      else this.#send("ping", 0n, NONE);
    }, ping * 1_000);
    (this.#pings as { unref?(): void }).unref?.();
  }

  #refused(id: bigint, payload: Bytes): void {
    const { name, text } = payloads.readError(payload);
    const error = errors.RELAY_REFUSED({ relay: this.address, reason: name, text: plainText(text) });
    if (id !== 0n) this.#ended(id, "gone", error);
    else if (this.#offer) {
      this.#offer.reject(error);
      this.#offer = undefined;
    } else {
      this.#farewell = error;
      this.#options.events?.refused?.(error);
    }
  }

  #ended(id: bigint, reason: CloseReason, error?: ScorelError): void {
    const route = this.#routes.get(id);
    this.#routes.delete(id);
    route?.ended(reason, error);
  }

  #finish(reason: string): void {
    if (this.#end) return;
    clearInterval(this.#pings);
    const error = this.#farewell ?? errors.RELAY_UNREACHABLE({ relay: this.address, reason: plainText(reason) });
    this.#end = error;
    this.#offer?.reject(error);
    for (const route of [...this.#routes.values()]) route.ended("lost", error);
    this.#routes.clear();
    if (this.#isReady) this.#options.events?.closed?.(error);
    else this.#beginning.failed(error);
  }
}

function wireOf(connection: RelayConnection, ways: Pick<RouteWire, "data" | "close">): RouteWire {
  return {
    ...ways,
    get unsent() {
      return connection.unsent;
    },
  };
}
