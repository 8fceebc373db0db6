/** Writing to streams whose reader may be slow or may close. Runs in browsers, too. */

/** The part of Node's writable streams that is used here. */
export interface OutputStream {
  write(text: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}
/** A stream that may be closed by its reader; then writing does nothing. */
export interface Output {
  /** Resolves when the stream has accepted the text. A caller that awaits it is slowed down by a slow reader. */
  write(text: string | Uint8Array): Promise<void>;
  /** The error that ended the output. Nothing is written after it. */
  readonly failure: Error | undefined;
  /** The error as a sentence for the user. Undefined when the reader closed the stream (`| head -1`), which is normal. */
  readonly complaint: string | undefined;
}

/** Wraps a stream so that the writer does not fail when the reader is slow or closes. */
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
