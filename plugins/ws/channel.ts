import type { Duplex } from "node:stream";
import type { Channel, ChannelHandlers, HostMessage } from "@scorel/host/client";
import { codeOf } from "@scorel/kernel";
import type { WebSocket } from "ws";
import { errors } from "./errors.ts";
import { frameOf } from "./frame.ts";

/** Time between two pings; a connection that has not answered the one before is dead. */
const PING_MS = 12_500;
/** Time for the other end to take what was sent before the connection is closed. */
const CLOSE_MS = 1_000;
/**
 * Bytes that wait for an other end that does not read. A server reads nothing while there are more than the first number, so that
 * someone who asks without reading the answers costs little memory. With more than the second one, the connection ends.
 */
const MAX_UNSENT = 4 * 1024 * 1024;
const TOO_MUCH_UNSENT = 32 * 1024 * 1024;

/** The code of a connection that is closed because of a message that is too large (RFC 6455, section 7.4.1). */
const TOO_LARGE = 1009;

/** Bytes that may wait when a ping is answered. */
const MAX_PONGS = 64 * 1024;

export interface ChannelLimits {
  /** Messages at once, and each second. Reading pauses when there are more. */
  burst: number;
  perSecond: number;
}

/**
 * Sends and receives messages as text frames. Nothing is read before the channel is opened. A server gives its end of the
 * connection as well: there, frames are the same for all clients.
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
    // The other end may still be sending, and would not see why the connection was closed.
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  });
  socket.on("close", (_code, reason) => finish(reason.toString() || undefined));
  socket.on("pong", () => {
    isAlive = true;
  });
  // Somebody who pings without end and reads nothing would fill the memory with the answers.
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
 * Says the limit when a message that is too large ends the connection: the library closes it without a reason. A server sends the
 * message first with which hosts end all connections.
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

/** Returns a function to call with each message. It pauses the socket for as long as there are too many. */
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
