import type { Duplex } from "node:stream";
import type { Channel, ChannelHandlers, HostMessage } from "@scorel/host/client";
import { codeOf } from "@scorel/kernel";
import type { RawData, WebSocket } from "ws";
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

export interface ChannelOptions {
  limits?: ChannelLimits;
  /** A server's end of the connection: servers send the same frames to all clients, so these are written directly. */
  connection?: Duplex;
  maxMessage?: number;
}

/** Creates a channel that sends and receives messages as text frames. Nothing is read before it is opened. */
export function socketChannel(socket: WebSocket, options: ChannelOptions = {}): Channel {
  return new SocketChannel(socket, options);
}

class SocketChannel implements Channel {
  readonly maxMessage?: number;
  private readonly socket: WebSocket;
  private readonly connection: Duplex | undefined;
  /** Called for each message and ping. */
  private readonly admit: () => void;
  private readonly pings: NodeJS.Timeout;
  private handlers: ChannelHandlers | undefined;
  private ended: { reason?: string | undefined } | undefined;
  private isAlive = true;
  private isClosing = false;

  constructor(socket: WebSocket, { limits, connection, maxMessage }: ChannelOptions) {
    this.socket = socket;
    this.connection = connection;
    this.admit = limits ? throttle(socket, limits) : () => {};
    if (maxMessage !== undefined) {
      this.maxMessage = maxMessage;
      sayLimit(socket, maxMessage, connection);
    }
    this.pings = setInterval(() => this.ping(), PING_MS).unref();
    socket.pause();
    socket.on("error", (error) => this.failed(error));
    socket.on("close", (_code, reason) => this.finish(reason.toString() || undefined));
    socket.on("pong", () => {
      this.isAlive = true;
    });
    socket.on("ping", (data) => this.pinged(data));
    socket.on("message", (data, isBinary) => this.received(data, isBinary));
    connection?.on("drain", () => this.handlers && socket.resume());
  }

  get unsent(): number {
    return this.socket.bufferedAmount;
  }

  open(handlers: ChannelHandlers): void {
    this.handlers = handlers;
    if (this.ended) handlers.closed(this.ended.reason);
    else this.socket.resume();
  }

  send(message: string): void {
    const { socket, connection } = this;
    if (this.ended || socket.readyState !== socket.OPEN) return;
    const { bufferedAmount } = socket;
    if (bufferedAmount > TOO_MUCH_UNSENT) this.finish(`it does not read, and ${bufferedAmount} bytes wait for it`);
    else if (!connection) socket.send(message);
    else if (!connection.write(frameOf(message)) && bufferedAmount > MAX_UNSENT) socket.pause();
  }

  close(): void {
    if (this.ended || this.isClosing) return;
    this.isClosing = true;
    this.socket.resume();
    this.socket.close(1000);
    setTimeout(() => this.finish(), CLOSE_MS).unref();
  }

  private ping(): void {
    if (this.isAlive) {
      this.isAlive = false;
      this.socket.ping();
    } else this.finish("it does not answer");
  }

  /** Answers a ping. A client that sends pings without end and reads nothing would fill the memory with answers. */
  private pinged(data: Buffer): void {
    this.admit();
    if (!this.ended && this.socket.bufferedAmount <= MAX_PONGS) this.socket.pong(data);
  }

  private received(data: RawData, isBinary: boolean): void {
    if (this.ended || this.isClosing) return;
    if (isBinary) {
      this.finish("it sent a message that is not text");
      return;
    }
    this.admit();
    this.handlers?.message(data.toString());
  }

  private failed(error: Error): void {
    if (codeOf(error) !== "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
      this.finish(error.message);
      return;
    }
    this.leave(error.message);
    // Wait a moment: if the other end is still sending, it would not get the reason otherwise.
    setTimeout(() => this.socket.terminate(), CLOSE_MS).unref();
  }

  private finish(reason?: string): void {
    this.leave(reason);
    this.socket.terminate();
  }

  private leave(reason?: string): void {
    if (this.ended) return;
    this.ended = { reason };
    clearInterval(this.pings);
    this.handlers?.closed(reason);
  }
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
