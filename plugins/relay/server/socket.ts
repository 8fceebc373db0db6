import type { WebSocket } from "ws";
import { MAX_MESSAGE } from "../protocol/frames.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { Peer, Socket } from "./peer.ts";

/** Time for a peer to take what was sent before its connection is cut. */
const CLOSE_MS = 1_000;

/** Options of `ws` for either end of a connection with a relay. */
export const SOCKET_OPTIONS = { perMessageDeflate: false, maxPayload: MAX_MESSAGE, skipUTF8Validation: true } as const;

/** What a relay needs of a WebSocket. */
export function socketOf(socket: WebSocket): Socket {
  return {
    get unsent() {
      return socket.bufferedAmount;
    },
    send: (message) => {
      if (socket.readyState === socket.OPEN) socket.send(message);
    },
    close: (code, reason) => {
      // Else what waits in it would be handled, and the answer to closing not be read.
      socket.removeAllListeners("message");
      socket.resume();
      socket.close(code, reason);
      setTimeout(() => socket.terminate(), CLOSE_MS).unref();
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}

/** Gives a peer what arrives. */
export function feed(socket: WebSocket, peer: Peer, now: () => number): void {
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) peer.receive(data as unknown as Bytes, now());
    else peer.end("malformed", "A message is not binary.");
  });
  socket.on("close", () => peer.gone());
  // It is closed then, too.
  socket.on("error", () => socket.terminate());
}
