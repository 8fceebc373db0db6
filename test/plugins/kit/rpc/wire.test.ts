import { PassThrough, Writable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createWire } from "../../../../plugins/kit/rpc/wire.ts";

/** A wire, and the lines that it writes. */
function wired() {
  const stdin = new PassThrough();
  const lines: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const interrupt = new AbortController();
  const left = { count: 0 };
  const wire = createWire<object>({ stdin, stdout, interrupt: interrupt.signal }, async () => {
    left.count++;
  });
  const send = (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return { ...wire, reader: wire.readable.getReader(), send, stdin, lines, interrupt, left };
}

it("the end waits for the answers to requests, but not for those to cancelled ones", async () => {
  const { reader, writable, send, stdin, lines } = wired();
  send({ id: 1, method: "tools/call" });
  send({ id: 2, method: "tools/call" });
  send({ method: "notifications/cancelled", params: { requestId: 1 } });
  stdin.end();
  for (let message = 0; message < 3; message++) await reader.read();
  const end = reader.read();
  const isOver = () => Promise.race([end.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
  expect(await isOver()).toBe(false);
  await writable.getWriter().write({ jsonrpc: "2.0", id: 2, result: {} });
  // At once, and not after the time limit for answers.
  expect(await isOver()).toBe(true);
  expect(lines).toEqual(['{"jsonrpc":"2.0","id":2,"result":{}}\n']);
});

it("half of a pair of UTF-16 is replaced, since strict readers refuse the whole message", async () => {
  const { writable, lines } = wired();
  const params = { "\ud83d": 1, text: "cut \ud83d", whole: "😀", written: "\\ud83d", list: ["\ude00", null, 3] };
  await writable.getWriter().write({ jsonrpc: "2.0", method: "note", params });
  const { params: sent } = JSON.parse(lines[0] as string) as { params: unknown };
  expect(sent).toEqual({ "\ufffd": 1, text: "cut \ufffd", whole: "😀", written: "\\ud83d", list: ["\ufffd", null, 3] });
});

it("an interrupt ends the messages while none arrives", async () => {
  const { reader, interrupt } = wired();
  const end = reader.read();
  interrupt.abort();
  expect(await end).toEqual({ value: undefined, done: true });
});

it("a failure to read stdin ends the work like the end of stdin, and is passed on", async () => {
  const { reader, writable, send, stdin, left } = wired();
  send({ id: 1, method: "tools/call" });
  await reader.read();
  const end = expect(reader.read()).rejects.toThrow("EIO");
  stdin.destroy(new Error("EIO"));
  await expect.poll(() => left.count).toBe(1);
  await writable.getWriter().write({ jsonrpc: "2.0", id: 1, result: {} });
  await end;
});

it("messages that were handled are not kept in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { reader, send } = wired();
  const seen: WeakRef<object>[] = [];
  for (let message = 0; message < 20; message++) {
    send({ method: "note", params: { message } });
    const { value } = await reader.read();
    seen.push(new WeakRef(value as object));
  }
  const kept = async () => {
    await new Promise(setImmediate);
    collect();
    return seen.filter((each) => each.deref() !== undefined).length;
  };
  await expect.poll(kept).toBeLessThan(3);
});
