/** Writing to streams whose reader may be slow or may go away. Runs in browsers too. */

/** The part of a stream that an output needs; every writable stream of Node has it. */
export interface OutputStream {
  write(text: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}
/** A stream that can go away: after that, writing does nothing. */
export interface Output {
  /** Resolves when the stream has taken the text, so that whoever waits for it never runs ahead of a slow reader. */
  write(text: string | Uint8Array): Promise<void>;
  /** Why nothing is written any more. */
  readonly failure: Error | undefined;
  /** The same as a sentence, when it is to be told: a reader that went away (`| head -1`) is no news. */
  readonly complaint: string | undefined;
}

/** Wraps a stream so that neither a slow nor a vanished reader breaks the writer. */
export function createOutput(stream: OutputStream): Output {
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  stream.on("error", fail);
  return {
    write: (text) =>
      new Promise((done) => {
        if (failure || text.length === 0) return done();
        stream.write(text, (error) => {
          if (error) fail(error);
          done();
        });
      }),
    get failure() {
      return failure;
    },
    get complaint() {
      const gone = (failure as { code?: unknown } | undefined)?.code === "EPIPE";
      return failure && !gone ? `The output could not be written: ${failure.message}` : undefined;
    },
  };
}
