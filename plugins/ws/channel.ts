import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Channel, ChannelHandlers, HostMessage } from "@scorel/host/client";
import { codeOf } from "@scorel/kernel";
import type { RawData, WebSocket } from "ws";
import { errors } from "./errors.ts";
import { frameOf, framesOf } from "./frame.ts";

/** Milliseconds between two pings. A connection that has not answered the previous one counts as dead. */
const PING_MS = 12_500;
/** Milliseconds for the other end to receive sent data before the connection is closed. */
const CLOSE_MS = 1_000;
/**
 * Bytes of unsent data for an other end that does not read. Above the first number, a server stops reading, so that a client that sends
 * requests without reading the answers costs little memory. Above the second number, not counting the longest message, the connection ends:
 * that message alone may be longer, and take its time over a slow line.
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
  /** The socket below the connection of a client. */
  carrier?: Socket | undefined;
  maxMessage?: number;
  /** Whether a server sends long messages in parts, because the client hears only of whole messages. */
  inParts?: boolean;
}

/** A channel whose limit for messages can be raised, once it is known who is at the other end. */
export interface RaisableChannel extends Channel {
  raiseLimit(maxMessage: number): void;
}

/** Creates a channel that sends and receives messages as text frames. Nothing is read before it is opened. */
export function socketChannel(socket: WebSocket, options: ChannelOptions = {}): RaisableChannel {
  return new SocketChannel(socket, options);
}

class SocketChannel implements RaisableChannel {
  maxMessage?: number;
  private readonly socket: WebSocket;
  private readonly connection: Duplex | undefined;
  private readonly frames: (message: string) => Buffer;
  /** Counts a message or a ping. Returns the milliseconds for which reading has to pause, because there are too many. */
  private readonly count: () => number;
  private readonly pings: NodeJS.Timeout;
  private handlers: ChannelHandlers | undefined;
  private ended: { reason?: string | undefined } | undefined;
  private isAlive = true;
  private readonly carrier: Pick<Socket, "bytesRead"> | undefined;
  private receivedBefore = 0;
  private isClosing = false;
  /** Why reading pauses: too many messages have come, or too much waits to be sent. */
  private isResting = false;
  private isFull = false;
  /** Bytes of the longest message since nothing was waiting. */
  private longest = 0;

  constructor(socket: WebSocket, { limits, connection, carrier, maxMessage, inParts }: ChannelOptions) {
    this.socket = socket;
    this.connection = connection;
    this.frames = inParts ? framesOf : frameOf;
    // All connections of servers are sockets, although Node.js declares them as streams.
    this.carrier = carrier ?? (connection as Socket | undefined);
    this.count = limits ? throttle(limits) : () => 0;
    if (maxMessage !== undefined) {
      this.maxMessage = maxMessage;
      sayLimit(socket, () => this.maxMessage ?? maxMessage, connection);
    }
    this.pings = setInterval(() => this.ping(), PING_MS).unref();
    socket.pause();
    socket.on("error", (error) => this.failed(error));
    socket.on("close", (_code, reason) => this.finish(reason.toString() || undefined));
    socket.on("pong", () => {
      this.isAlive = true;
    });
    socket.on("ping", (data) => this.pinged(data));
    socket.on("message", (data, isBinary) => this.took(data, isBinary));
    connection?.on("drain", () => {
      this.isFull = false;
      this.setReading();
    });
  }

  get received(): number {
    return this.carrier?.bytesRead ?? 0;
  }

  get unsent(): number {
    return this.socket.bufferedAmount;
  }

  raiseLimit(maxMessage: number): void {
    // The library can only be told the limit of all connections of a server.
    const { _receiver: receiver } = this.socket as unknown as { _receiver?: { _maxPayload: number } };
    if (!receiver) return;
    receiver._maxPayload = maxMessage;
    this.maxMessage = maxMessage;
  }

  open(handlers: ChannelHandlers): void {
    this.handlers = handlers;
    if (this.ended) handlers.closed(this.ended.reason);
    else this.setReading();
  }

  send(message: string): void {
    const { socket, connection } = this;
    if (this.ended || socket.readyState !== socket.OPEN) return;
    const { bufferedAmount } = socket;
    if (bufferedAmount - this.longest > TOO_MUCH_UNSENT)
      this.finish(`it does not read, and ${bufferedAmount} bytes wait for it`);
    else if (!connection) socket.send(message);
    else {
      const frame = this.frames(message);
      this.longest = Math.max(bufferedAmount === 0 ? 0 : this.longest, frame.length);
      if (connection.write(frame) || bufferedAmount <= MAX_UNSENT) return;
      this.isFull = true;
      this.setReading();
    }
  }

  close(): void {
    if (this.ended || this.isClosing) return;
    this.isClosing = true;
    this.socket.resume();
    this.socket.close(1000);
    setTimeout(() => this.finish(), CLOSE_MS).unref();
  }

  private admit(): void {
    const ms = this.count();
    if (ms === 0 || this.isResting) return;
    this.isResting = true;
    this.setReading();
    setTimeout(() => {
      this.isResting = false;
      this.setReading();
    }, ms).unref();
  }

  /** Reads only while nothing speaks against it. A closing connection reads the close frame of the other end. */
  private setReading(): void {
    if (!this.handlers || this.isClosing) return;
    if (this.isResting || this.isFull) this.socket.pause();
    else this.socket.resume();
  }

  /**
   * The answer to a ping waits behind what is sent already, so anything that has been received since counts as well. While too much waits
   * to be sent, nothing is read, and silence proves nothing.
   */
  private ping(): void {
    const { received } = this;
    if (this.isAlive || this.isFull || received > this.receivedBefore) {
      this.receivedBefore = received;
      this.isAlive = false;
      this.socket.ping();
    } else this.finish("it does not answer");
  }

  /** Answers a ping. A client that sends pings without end and reads nothing would fill the memory with answers. */
  private pinged(data: Buffer): void {
    this.admit();
    if (!this.ended && this.socket.bufferedAmount <= MAX_PONGS) this.socket.pong(data);
  }

  private took(data: RawData, isBinary: boolean): void {
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
function sayLimit(socket: WebSocket, limit: () => number, connection: Duplex | undefined): void {
  const close = socket.close.bind(socket);
  socket.close = (code, given) => {
    if (code !== TOO_LARGE) return close(code, given);
    const max = limit();
    const { code: name, message, data } = errors.WS_TOO_LARGE({ max });
    const last = { type: "closing", retry: false, error: { code: name, message, data } } satisfies HostMessage;
    connection?.write(frameOf(JSON.stringify(last)));
    close(code, `a message may have at most ${max} bytes`);
  };
}

/** Returns a function to call for each message. It returns the milliseconds until another one is allowed. */
function throttle({ burst, perSecond }: ChannelLimits): () => number {
  let left = burst;
  let at = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - at) / 1_000) * perSecond) - 1;
    at = now;
    return left >= 0 ? 0 : (-left / perSecond) * 1_000;
  };
}
