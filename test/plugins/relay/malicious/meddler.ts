import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { decodeFrames, encodeFrame, type Frame, type FrameType } from "../../../../plugins/relay/protocol/frames.ts";
import type { Role } from "../../../../plugins/relay/protocol/identity.ts";
import { readHello, SUBPROTOCOL } from "../../../../plugins/relay/protocol/payloads.ts";
import type { Bytes } from "../../../../plugins/relay/protocol/primitives.ts";

/** A frame on its way, and the peer whose connection it is on. */
export interface Passing extends Frame {
  peer: Meddled;
  to: "relay" | "peer";
}

/** Changes a frame on its way: returns the encoded frames to pass on instead. */
export type Meddle = (frame: Passing) => readonly Bytes[];

export const honest: Meddle = ({ bytes }) => [bytes];

/** The connection of one peer. */
export class Meddled {
  role: Role | undefined;
  /** All frames from and to the peer. */
  readonly seen: Bytes[] = [];
  /** How many data frames the relay has sent to the peer. */
  given = 0;
  readonly #near: WebSocket;
  readonly #far: WebSocket;

  constructor(near: WebSocket, target: string, meddle: Meddle) {
    this.#near = near;
    this.#far = new WebSocket(target, SUBPROTOCOL, { perMessageDeflate: false });
    const early: Bytes[] = [];
    this.#far.on("open", () => {
      for (const message of early.splice(0)) this.#far.send(message);
    });
    near.on("message", (data: Buffer) => {
      for (const frame of this.#frames(data, "relay"))
        for (const bytes of meddle(frame)) {
          if (this.#far.readyState === WebSocket.CONNECTING) early.push(bytes);
          else this.toRelay(bytes);
        }
    });
    this.#far.on("message", (data: Buffer) => {
      for (const frame of this.#frames(data, "peer")) for (const bytes of meddle(frame)) this.toPeer(bytes);
    });
    for (const [one, other] of [
      [near, this.#far],
      [this.#far, near],
    ] as const)
      one.on("error", () => one.terminate()).on("close", () => other.terminate());
  }

  toPeer(frame: Bytes): void {
    if (this.#near.readyState === WebSocket.OPEN) this.#near.send(frame);
  }

  toRelay(frame: Bytes): void {
    if (this.#far.readyState === WebSocket.OPEN) this.#far.send(frame);
  }

  /** Sends a forged frame to the relay in the name of the peer. */
  pass(type: FrameType, route: bigint, payload: Bytes): void {
    this.toRelay(encodeFrame(type, route, payload));
  }

  /** Sends a forged frame to the peer in the name of the relay. */
  give(type: FrameType, route: bigint, payload: Bytes): void {
    this.toPeer(encodeFrame(type, route, payload));
  }

  end(): void {
    this.#near.terminate();
  }

  #frames(data: Buffer, to: "relay" | "peer"): Passing[] {
    const message = new Uint8Array(data);
    const own = this.role ?? "guest";
    const frames = to === "relay" ? decodeFrames(message, own, "relay") : decodeFrames(message, "relay", own);
    return frames.map((frame) => {
      if (frame.type === "hello") this.role = readHello(frame.payload).role;
      this.seen.push(frame.bytes);
      if (to === "peer" && frame.type === "data") this.given++;
      return { ...frame, to, peer: this };
    });
  }
}

/**
 * A relay that sees everything a relay sees, and changes frames as a test says. It forwards the rest to a real relay.
 */
export class Meddler {
  meddle: Meddle = honest;
  readonly peers: Meddled[] = [];
  /** The address of the real relay. */
  target = "";
  readonly authority: string;

  private constructor(port: number) {
    this.authority = `127.0.0.1:${port}`;
  }

  get address(): string {
    return `ws://${this.authority}/relay`;
  }

  /** The last connection of a peer with this role. */
  last(role: Role): Meddled {
    return this.peers.findLast((peer) => peer.role === role) as Meddled;
  }

  /** Every byte that passed through it. */
  get seen(): Buffer {
    return Buffer.concat(this.peers.flatMap(({ seen }) => seen));
  }

  static async start(): Promise<Meddler> {
    const server = createServer();
    const sockets = new WebSocketServer({ server, perMessageDeflate: false, handleProtocols: () => SUBPROTOCOL });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const meddler = new Meddler((server.address() as AddressInfo).port);
    sockets.on("connection", (socket) => {
      meddler.peers.push(new Meddled(socket, meddler.target, (frame) => meddler.meddle(frame)));
    });
    onTestFinished(async () => {
      for (const peer of meddler.peers) peer.end();
      await new Promise((resolve) => server.close(resolve));
    });
    return meddler;
  }
}

/** Changes the DATA frames of one role's connections in one direction; `index` counts the frames of each route. */
export function withData(
  role: Role,
  to: "relay" | "peer",
  meddle: (payload: Bytes, index: number, frame: Passing) => readonly Bytes[],
): Meddle {
  const counts = new Map<bigint, number>();
  return (frame) => {
    if (frame.type !== "data" || frame.peer.role !== role || frame.to !== to) return [frame.bytes];
    const index = counts.get(frame.route) ?? 0;
    counts.set(frame.route, index + 1);
    return meddle(frame.payload, index, frame).map((payload) => encodeFrame("data", frame.route, payload));
  };
}
