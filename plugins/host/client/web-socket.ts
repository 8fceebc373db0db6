import { ASKS_FOR_PARTS, PartJoiner, TOO_LONG } from "@scorel/kit/net/parts";
import { errors } from "./errors.ts";
import type { Channel, ChannelHandlers } from "./wire.ts";

/** Maximum number of unsent bytes. Beyond that, the host is not reading, and the connection is closed. */
const MAX_UNSENT = 32 * 1024 * 1024;

/** The part of the browser's WebSocket that a channel needs. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: string, listener: (event: { data?: unknown; reason?: string }) => void): void;
}

/**
 * Connects to a host over WebSocket, with the platform's `WebSocket` or a compatible one. `address` is the one that `scorel host status`
 * shows, with http: or ws:. Pass the token as `token` of `connectHost`: browsers cannot send it in a header, so it is sent in a message,
 * and only after the host has proved that it knows the token.
 */
export function dialWebSocket(
  address: string | URL,
  make: (url: string) => WebSocketLike = (url) => new WebSocket(url),
): Promise<Channel> {
  const url = new URL(address);
  url.protocol = url.protocol.replace(/^http/, "ws");
  if (url.pathname === "/") url.pathname = "/ws";
  if (!/^wss?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return Promise.reject(errors.LINK_ADDRESS({ address: `${url.protocol}//${url.host}` }));
  return new Promise((resolve, reject) => {
    // Browsers hear only of whole messages. Over a slow line, a host that sends a long one would seem dead.
    const socket = make(url.href + ASKS_FOR_PARTS);
    let isOpen = false;
    // Browsers do not report why a connection failed.
    socket.addEventListener("close", ({ reason }) => {
      if (!isOpen) reject(errors.LINK_DIAL({ address: url.origin, reason: reason || undefined }));
    });
    socket.addEventListener("error", () => {});
    const channel = socketChannel(socket, url.host);
    socket.addEventListener("open", () => {
      isOpen = true;
      resolve(channel);
    });
  });
}

/** Sends and receives messages as text frames. Messages that arrive before `open` are kept until then. */
function socketChannel(socket: WebSocketLike, authority: string): Channel {
  let handlers: ChannelHandlers | undefined;
  let waiting: string[] = [];
  let end: { reason: string | undefined } | undefined;
  let isClosing = false;
  let received = 0;
  const joiner = new PartJoiner();
  const finish = (reason?: string) => {
    if (end) return;
    end = { reason };
    socket.close();
    handlers?.closed(reason);
  };
  socket.addEventListener("close", ({ reason }) => finish(reason || undefined));
  socket.addEventListener("message", ({ data }) => {
    if (end || isClosing) return;
    if (typeof data !== "string") return finish("it sent a message that is not text");
    received += data.length;
    const message = joiner.take(data);
    if (message === undefined) return;
    if (message === TOO_LONG) finish("it sent a message in parts that is too long");
    else if (handlers) handlers.message(message);
    else waiting.push(message);
  });
  return {
    authority,
    get unsent() {
      return socket.bufferedAmount;
    },
    get received() {
      return received;
    },
    send: (message) => {
      // 1 is `WebSocket.OPEN`.
      if (end || isClosing || socket.readyState !== 1) return;
      if (socket.bufferedAmount > MAX_UNSENT) finish("it does not read");
      else socket.send(message);
    },
    close: () => {
      isClosing = true;
      socket.close(1000);
    },
    open: (given) => {
      handlers = given;
      for (const message of waiting) if (!end) given.message(message);
      waiting = [];
      if (end) given.closed(end.reason);
    },
  };
}
