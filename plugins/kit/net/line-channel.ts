import type { Readable, Writable } from "node:stream";

/** A connection that carries text messages in both directions, one a line. */
export interface LineChannel {
  send(message: string): void;
  close(): void;
  open(handlers: LineHandlers): void;
}

export interface LineHandlers {
  message(text: string): void;
  closed(reason?: string): void;
}

/** Time for the other end to take what was sent before the channel is closed. */
const CLOSE_MS = 1_000;
const LINE_BREAK = 10;

/**
 * Sends and receives messages as lines of UTF-8 over two streams, such as both directions of a socket. A line that is longer than
 * `maxBytes` closes the channel. JSON contains no line breaks, so it can be sent as it is. Nothing is read before the channel is
 * opened.
 */
export function lineChannel(input: Readable, output: Writable, maxBytes = 64 * 1024 * 1024): LineChannel {
  let handlers: LineHandlers | undefined;
  let end: { reason?: string | undefined } | undefined;
  const finish = (reason?: string) => {
    if (end) return;
    end = { reason };
    input.destroy();
    output.destroy();
    handlers?.closed(reason);
  };
  const failed = (error: Error) => finish(error.message);
  // From the beginning, since an error without a listener would end the process.
  input.on("error", failed);
  output.on("error", failed);
  output.on("close", () => finish());
  const lines = splitLines(maxBytes, (text) => {
    if (!end && text !== "") handlers?.message(text);
  });

  return {
    send: (message) => {
      if (!end && !output.writableEnded) output.write(`${message}\n`);
    },
    close: () => {
      if (end || output.writableEnded) return;
      output.end(() => finish());
      setTimeout(finish, CLOSE_MS).unref();
    },
    open: (given) => {
      handlers = given;
      if (end) return given.closed(end.reason);
      input.on("end", () => finish());
      input.on("data", (chunk: Buffer) => {
        if (!lines(chunk)) finish(`it sent a message of more than ${maxBytes} bytes`);
      });
    },
  };
}

/** Returns a function that takes bytes and calls `found` with each line; it returns false when a line becomes too long. */
function splitLines(maxBytes: number, found: (line: string) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString("utf8");
      parts = [];
      length = 0;
      from = at + 1;
      found(line);
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    length += chunk.length - from;
    return length <= maxBytes;
  };
}
