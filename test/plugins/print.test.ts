import { Writable } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import type { Delivered } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { createFormat, outcomeOf } from "../../plugins/print/formats.ts";

/** A reader that takes data only when the test allows it. */
function slowReader() {
  const taken: string[] = [];
  let free = () => {};
  const stdout = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      free = done;
    },
  });
  return { taken, stdout, next: () => free() };
}

const heard = (n: number, delta = `w${n}`) =>
  ({ event: { type: "text_delta", seq: n, delta } }) as unknown as Delivered;
const line = (n: number, delta?: string) => `${JSON.stringify(heard(n, delta).event)}\n`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

it("writes concurrent events on separate lines, in order", async () => {
  const { taken, stdout, next } = slowReader();
  const format = createFormat("events", { stdout } as unknown as Invocation);
  for (let n = 0; n < 1_000; n++) expect(format.hear?.(heard(n))).toBeUndefined();
  await turn();
  format.hear?.(heard(1_000));
  await turn();
  expect(taken).toEqual([Array.from({ length: 1_000 }, (_, n) => line(n)).join("")]);
  next();
  await turn();
  expect(taken.slice(1)).toEqual([line(1_000)]);
  next();
  await format.written?.();
});

it("queues more than 64 KB of events for a slow reader", async () => {
  const { taken, stdout, next } = slowReader();
  const format = createFormat("events", { stdout } as unknown as Invocation);
  const large = "x".repeat(70_000);
  let isWritten = false;
  const waiting = format.hear?.(heard(0, large))?.then(() => {
    isWritten = true;
  });
  await turn();
  expect([taken, isWritten]).toEqual([[line(0, large)], false]);
  next();
  await waiting;
  expect(isWritten).toBe(true);
});

it("prints nothing but a value that fits the schema, also when the turn fails or is cancelled", async () => {
  const printed = async (reason: "completed" | "error" | "cancelled", data?: unknown) => {
    const { taken, stdout, next } = slowReader();
    const format = createFormat("text", { stdout, options: { outputSchema: "schema.json" } } as unknown as Invocation);
    const finished = format.finish(null, {
      outcome: { ...outcomeOf("half an ans"), reason },
      ...(data !== undefined && { data }),
    });
    next();
    await finished;
    return taken.join("");
  };
  expect([await printed("error"), await printed("cancelled"), await printed("completed", { a: 1 })]).toEqual([
    "",
    "",
    '{"a":1}\n',
  ]);
});
