import type { WebSocket } from "ws";
import { MAX_MESSAGE } from "../protocol/frames.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { Peer, Socket } from "./peer.ts";

/** Time for a peer to take what was sent before its connection is cut. */
const CLOSE_MS = 1_000;

/** Options of `ws` for either end of a connection with a relay. */
export const SOCKET_OPTIONS = { perMessageDeflate: false, maxPayload: MAX_MESSAGE, skipUTF8Validation: true } as const;

/** What a relay needs of a WebSocket. A class, as closures for each of many connections take more memory. */
class RelaySocket implements Socket {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get unsent(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: Bytes): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(message);
  }

  close(code: number, reason: string): void {
    const socket = this.#socket;
    // Else what waits in it would be handled, and the answer to closing not be read.
    socket.removeAllListeners("message");
    socket.resume();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

export function socketOf(socket: WebSocket): Socket {
  return new RelaySocket(socket);
}

/** Gives a peer what arrives. */
export function feed(socket: WebSocket, peer: Peer, now: () => number): void {
  socket.on("message", (data: Buffer, isBinary) => {
    // Not a Buffer, whose slices are no copies: what is kept of a message would keep all of what was read with it.
    if (isBinary) peer.receive(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.length), now());
    else peer.end("malformed", "A message is not binary.");
  });
  socket.on("close", () => peer.gone());
  // It is closed then, too.
  socket.on("error", () => socket.terminate());
}
