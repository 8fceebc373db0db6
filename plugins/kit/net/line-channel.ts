import type { Readable, Writable } from "node:stream";

/** A connection that carries text messages in both directions, one a line. */
export interface LineChannel {
  /** Number of sent bytes that still wait in this process. */
  readonly unsent: number;
  /** Number of received bytes, also of a line that is not complete yet. */
  readonly received: number;
  /** Size in bytes of the longest message that this end accepts. */
  readonly maxMessage: number;
  send(message: string): void;
  close(): void;
  open(handlers: LineHandlers): void;
}

/** The callbacks of a channel's user. `closed` is called once, with the reason of an error. */
export interface LineHandlers {
  message(text: string): void;
  closed(reason?: string): void;
}

/** Limits of a channel, in bytes. */
export interface LineOptions {
  /** A longer line closes the channel. Default: 64 MB. */
  maxBytes?: number | undefined;
  /** Limit for the first line, whose sender is not known yet. Default: `maxBytes`. */
  maxFirstBytes?: number | undefined;
  /**
   * Stops reading when more than this number of sent bytes wait in this process, until all of them are passed on, so that a client that
   * sends requests without reading the answers costs little memory. Only one of both ends may set it, or they could wait for each other.
   * Default: never stops.
   */
  maxUnsent?: number | undefined;
}

/** Time in milliseconds that the other end has to receive all sent bytes before the channel closes. */
const CLOSE_MS = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
const LINE_BREAK = 10;

/**
 * Sends and receives messages as lines of UTF-8 over two streams, such as both directions of a socket. JSON contains no line breaks, so
 * it can be sent as it is. Nothing is read before the channel is opened, and no message is received after it was closed.
 */
export function lineChannel(input: Readable, output: Writable, options: LineOptions = {}): LineChannel {
  const { maxUnsent = Number.POSITIVE_INFINITY } = options;
  let handlers: LineHandlers | undefined;
  let isClosing = false;
  let received = 0;
  let end: { reason?: string | undefined } | undefined;
  const finish = (reason?: string) => {
    if (end) return;
    end = { reason };
    isClosing = true;
    input.destroy();
    output.destroy();
    handlers?.closed(reason);
  };
  const failed = (error: Error) => finish(error.message);
  // Registered before `open`, since an error without a listener would end the process.
  input.on("error", failed);
  output.on("error", failed);
  input.on("close", () => finish());
  output.on("close", () => finish());
  output.on("drain", () => handlers && input.resume());
  const lines = splitLines(options, (text) => {
    if (!isClosing && text !== "") handlers?.message(text);
  });

  return {
    get unsent() {
      return output.writableLength;
    },
    get received() {
      return received;
    },
    maxMessage: options.maxBytes ?? MAX_BYTES,
    send: (message) => {
      if (isClosing || output.writableEnded) return;
      output.write(`${message}\n`);
      if (output.writableLength > maxUnsent) input.pause();
    },
    close: () => {
      if (isClosing) return;
      isClosing = true;
      output.end(() => finish());
      setTimeout(() => finish(), CLOSE_MS).unref();
      // Later input is read and dropped: closing a socket with unread bytes could discard the messages that were just sent.
      input.resume();
    },
    open: (given) => {
      handlers = given;
      if (end) return given.closed(end.reason);
      input.on("end", () => finish());
      input.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (isClosing) return;
        const limit = lines(chunk);
        if (limit !== undefined) finish(`it sent a message of more than ${limit} bytes`);
      });
    },
  };
}

/** Returns a function that receives bytes and calls `found` with each line. If a line exceeds the limit, it returns the limit. */
function splitLines(
  { maxBytes = MAX_BYTES, maxFirstBytes = maxBytes }: LineOptions,
  found: (line: string) => void,
): (chunk: Buffer) => number | undefined {
  let limit = maxFirstBytes;
  // The beginning of an incomplete line, in one buffer, so that a line that arrives byte by byte needs no more memory than any other.
  let held = Buffer.alloc(0);
  let length = 0;
  const hold = (bytes: Buffer) => {
    if (length + bytes.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * held.length, length + bytes.length, 1024));
      held.copy(larger, 0, 0, length);
      held = larger;
    }
    bytes.copy(held, length);
    length += bytes.length;
  };
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
      const rest = chunk.subarray(from, at);
      if (length + rest.length > limit) return limit;
      if (length > 0) hold(rest);
      const line = (length > 0 ? held.subarray(0, length) : rest).toString("utf8");
      if (held.length > 64 * 1024) held = Buffer.alloc(0);
      length = 0;
      limit = maxBytes;
      from = at + 1;
      found(line);
    }
    if (length + chunk.length - from > limit) return limit;
    if (from < chunk.length) hold(chunk.subarray(from));
    return undefined;
  };
}
