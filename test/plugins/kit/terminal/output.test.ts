import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { createOutput } from "../../../../plugins/kit/terminal/output.ts";

/** A stream that takes each text only when the test allows it. */
class Slow extends EventEmitter {
  readonly taken: string[] = [];
  private readonly waiting: ((error?: Error) => void)[] = [];

  write(text: string | Uint8Array, done: (error?: Error) => void): void {
    this.taken.push(String(text));
    this.waiting.push(done);
  }

  next(error?: Error): void {
    this.waiting.shift()?.(error);
  }
}

describe("an output", () => {
  it("settles a write when the stream has accepted it, and does not write empty text", async () => {
    const stream = new Slow();
    const output = createOutput(stream);
    let settled = false;
    const writing = output.write("one").then(() => {
      settled = true;
    });
    await output.write("");
    expect(settled).toBe(false);
    stream.next();
    await writing;
    expect([stream.taken, output.failure, output.complaint]).toEqual([["one"], undefined, undefined]);
  });

  it("writes nothing after the stream has failed, and tells why", async () => {
    const stream = new Slow();
    const output = createOutput(stream);
    const writing = output.write("one");
    stream.next(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
    await writing;
    await output.write("two");
    expect([stream.taken, output.complaint]).toEqual([["one"], "The output could not be written: no space left"]);
  });

  it("does not complain about a reader that closed the stream", () => {
    const stream = new Slow();
    const output = createOutput(stream);
    stream.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    expect([output.failure?.message, output.complaint]).toEqual(["write EPIPE", undefined]);
  });
});
