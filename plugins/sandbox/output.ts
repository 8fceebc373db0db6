import type { Readable } from "node:stream";
import type { SandboxOptions } from "./contract.ts";

/** How many characters of stderr are kept, to explain a failed start. */
const REASON_CHARS = 2_000;
/** Milliseconds that output may stay open after the program has ended and its processes were killed. */
const PIPE_GRACE_MS = 200;

/** The output of a program, passed to its receivers. */
export class Output {
  /** The beginning of stderr. */
  stderr = "";
  private readonly closed: readonly Promise<void>[];
  /** Chunks that the receiver of bytes has not processed yet. */
  private readonly waiting = new Set<Promise<void>>();
  private tookAt = 0;

  constructor(streams: Readonly<Record<"stdout" | "stderr", Readable>>, options: SandboxOptions) {
    this.closed = [this.read(streams, "stdout", options), this.read(streams, "stderr", options)];
  }

  /**
   * Waits for the end of the output, but only for PIPE_GRACE_MS: background processes may hold it open, and they end
   * with the program.
   */
  async waitBriefly(): Promise<void> {
    await Promise.race([Promise.all(this.closed), after(PIPE_GRACE_MS)]);
  }

  /** Waits until all remaining output was read, even by a slow receiver. */
  async waitForRest(): Promise<void> {
    const all = Promise.all(this.closed).then(() => true);
    for (;;) {
      const waited = performance.now();
      if (await Promise.race([all, after(PIPE_GRACE_MS)])) return;
      if (this.waiting.size === 0 && this.tookAt < waited) return;
      await Promise.race([all, ...this.waiting]);
    }
  }

  /** Passes chunks of a stream to a receiver one at a time. */
  private taker(stream: Readable, take: (chunk: Buffer) => Promise<void> | void): (chunk: Buffer) => void {
    let before: Promise<void> = Promise.resolve();
    return (chunk) => {
      // Node resumes a paused stream when the program ends; then the rest waits in this queue.
      stream.pause();
      const taken = before
        .then(() => take(chunk))
        .catch(() => {}) // The receiver handles its own errors.
        .then(() => {
          this.waiting.delete(taken);
          this.tookAt = performance.now();
          if (taken === before) stream.resume();
        });
      before = taken;
      this.waiting.add(taken);
    };
  }

  /** Decodes output across chunks, so that a split character stays intact. */
  private read(
    streams: Readonly<Record<"stdout" | "stderr", Readable>>,
    from: "stdout" | "stderr",
    { onOutput, onBytes }: SandboxOptions,
  ): Promise<void> {
    const stream = streams[from];
    const decoder = new TextDecoder();
    const take = onBytes && this.taker(stream, (chunk) => onBytes(chunk, from));
    const hear = (text: string) => {
      if (text === "") return;
      if (from === "stderr" && this.stderr.length < REASON_CHARS) this.stderr += text;
      onOutput?.(text, from);
    };
    stream.on("data", (chunk: Buffer) => {
      hear(decoder.decode(chunk, { stream: true }));
      take?.(chunk);
    });
    return new Promise((resolve) =>
      stream.once("close", () => {
        hear(decoder.decode());
        resolve();
      }),
    );
  }
}

function after(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
