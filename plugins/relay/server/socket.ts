import type { WebSocket } from "ws";
import { MAX_MESSAGE } from "../protocol/frames.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { Peer, Socket } from "./peer.ts";

/** Milliseconds that a peer has to receive what was sent before its connection is destroyed. */
const CLOSE_MS = 1_000;

/** Bytes of memory that a message which waits to be sent takes besides its own. */
const MESSAGE_COST = 256;

/** Options of `ws` for both ends of a connection to a relay. */
export const SOCKET_OPTIONS = { perMessageDeflate: false, maxPayload: MAX_MESSAGE, skipUTF8Validation: true } as const;

/** The `Socket` of a WebSocket. A class, because closures for each of many connections would take more memory. */
class RelaySocket implements Socket {
  private readonly socket: WebSocket;
  private waiting = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
  }

  get unsent(): number {
    return this.socket.bufferedAmount + this.waiting * MESSAGE_COST;
  }

  send(message: Bytes): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.waiting++;
    this.socket.send(message, this.sent);
  }

  close(code: number, reason: string): void {
    const socket = this.socket;
    // Otherwise, messages that still wait would be handled, and the close frame of the peer would not be read.
    socket.removeAllListeners("message");
    socket.resume();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  }

  private readonly sent = (): void => {
    this.waiting--;
  };

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }
}

export function socketOf(socket: WebSocket): Socket {
  return new RelaySocket(socket);
}

/** Passes incoming messages to a peer. */
export function feed(socket: WebSocket, peer: Peer, now: () => number): void {
  socket.on("message", (data: Buffer, isBinary) => {
    // Not a Buffer: `slice` of a Buffer makes no copy, so a part that is kept would keep the whole chunk that was read.
    if (isBinary) peer.receive(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.length), now());
    else peer.end("malformed", "A message is not binary.");
  });
  socket.on("close", () => peer.gone());
  // The event `close` follows.
  socket.on("error", () => socket.terminate());
}
