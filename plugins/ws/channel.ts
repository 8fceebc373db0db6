import type { Duplex } from "node:stream";
import type { Channel, ChannelHandlers, HostMessage } from "@scorel/host/client";
import { codeOf } from "@scorel/kernel";
import type { WebSocket } from "ws";
import { errors } from "./errors.ts";
import { frameOf } from "./frame.ts";

/** Milliseconds between two pings. A connection that has not answered the previous one counts as dead. */
const PING_MS = 12_500;
/** Milliseconds for the other end to receive sent data before the connection is closed. */
const CLOSE_MS = 1_000;
/**
 * Bytes of unsent data for an other end that does not read. Above the first number, a server stops reading, so that a client that sends
 * requests without reading the answers costs little memory. Above the second number, the connection ends.
 */
const MAX_UNSENT = 4 * 1024 * 1024;
const TOO_MUCH_UNSENT = 32 * 1024 * 1024;

/** The code of a connection that is closed because of a message that is too large (RFC 6455, section 7.4.1). */
const TOO_LARGE = 1009;

/** The most bytes of unsent data with which a ping is answered. */
const MAX_PONGS = 64 * 1024;

export interface ChannelLimits {
  /** The most messages at once (`burst`) and per second. Reading pauses when there are more. */
  burst: number;
  perSecond: number;
}

/**
 * A channel that sends and receives messages as text frames. Nothing is read before it is opened. A server also passes its end of the
 * connection: servers send the same frames to all clients, so these are written directly.
 */
export function socketChannel(
  socket: WebSocket,
  { limits, connection, maxMessage }: { limits?: ChannelLimits; connection?: Duplex; maxMessage?: number } = {},
): Channel {
  let handlers: ChannelHandlers | undefined;
  let end: { reason?: string | undefined } | undefined;
  let isAlive = true;
  let isClosing = false;
  const admit = limits ? throttle(socket, limits) : () => {};
  const leave = (reason?: string) => {
    if (end) return;
    end = { reason };
    clearInterval(pings);
    handlers?.closed(reason);
  };
  const finish = (reason?: string) => {
    leave(reason);
    socket.terminate();
  };
  if (maxMessage !== undefined) sayLimit(socket, maxMessage, connection);
  const pings = setInterval(() => {
    if (!isAlive) return finish("it does not answer");
    isAlive = false;
    socket.ping();
  }, PING_MS);
  pings.unref();
  socket.pause();
  socket.on("error", (error) => {
    if (codeOf(error) !== "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return finish(error.message);
    leave(error.message);
    // Wait a moment: if the other end is still sending, it would not get the reason otherwise.
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  });
  socket.on("close", (_code, reason) => finish(reason.toString() || undefined));
  socket.on("pong", () => {
    isAlive = true;
  });
  // A client that sends pings without end and reads nothing would fill the memory with answers.
  socket.on("ping", (data) => {
    admit();
    if (!end && socket.bufferedAmount <= MAX_PONGS) socket.pong(data);
  });
  socket.on("message", (data, isBinary) => {
    if (end || isClosing) return;
    if (isBinary) return finish("it sent a message that is not text");
    admit();
    handlers?.message(data.toString());
  });

  connection?.on("drain", () => handlers && socket.resume());

  return {
    get unsent() {
      return socket.bufferedAmount;
    },
    ...(maxMessage !== undefined && { maxMessage }),
    send: (message) => {
      if (end || socket.readyState !== socket.OPEN) return;
      const { bufferedAmount } = socket;
      if (bufferedAmount > TOO_MUCH_UNSENT) finish(`it does not read, and ${bufferedAmount} bytes wait for it`);
      else if (!connection) socket.send(message);
      else if (!connection.write(frameOf(message)) && bufferedAmount > MAX_UNSENT) socket.pause();
    },
    close: () => {
      if (end || isClosing) return;
      isClosing = true;
      socket.resume();
      socket.close(1000);
      setTimeout(finish, CLOSE_MS).unref();
    },
    open: (given) => {
      handlers = given;
      if (end) return given.closed(end.reason);
      socket.resume();
    },
  };
}

/**
 * Adds the limit to the reason when a message is too large: the library closes the connection without a reason. A server first sends the
 * message with which hosts end all connections.
 */
function sayLimit(socket: WebSocket, maxMessage: number, connection: Duplex | undefined): void {
  const close = socket.close.bind(socket);
  const reason = `a message may have at most ${maxMessage} bytes`;
  socket.close = (code, given) => {
    if (code !== TOO_LARGE) return close(code, given);
    const { code: name, message, data } = errors.WS_TOO_LARGE({ max: maxMessage });
    const last = { type: "closing", retry: false, error: { code: name, message, data } } satisfies HostMessage;
    connection?.write(frameOf(JSON.stringify(last)));
    close(code, reason);
  };
}

/** Returns a function to call for each message. It pauses the socket while there are too many messages. */
function throttle(socket: WebSocket, { burst, perSecond }: ChannelLimits): () => void {
  let left = burst;
  let at = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - at) / 1_000) * perSecond) - 1;
    at = now;
    if (left >= 0 || socket.isPaused) return;
    socket.pause();
    setTimeout(() => socket.resume(), (-left / perSecond) * 1_000).unref();
  };
}
