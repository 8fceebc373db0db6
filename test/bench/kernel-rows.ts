import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createKernel, definePlugin, type Kernel, newId } from "@scorel/kernel";
import { z } from "zod";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";

declare module "@scorel/kernel" {
  interface Events {
    line: { message: { role: string; content: string } };
  }
}

const schema = z.strictObject({ message: z.looseObject({ role: z.string(), content: z.string() }) });
const content = "A line of a conversation, about as long as such lines are. ".repeat(3);
const plugin = (durable: boolean) =>
  definePlugin({
    id: "bench",
    name: "Bench",
    version: "1.0.0",
    events: {
      line: { schema, durable, convertToLlm: ({ message }) => ({ action: "include", message }) },
    },
  });
const payload = () => ({ message: { role: "user", content } });
const folder = mkdtempSync(join(tmpdir(), "scorel-bench-"));
const header = { version: 1, sessionId: "bench00000000001", deviceId: "bench", createdAt: 0, epoch: "bench", meta: {} };
const open = (durable: boolean): Promise<Kernel> =>
  createKernel({
    entries: [{ plugin: plugin(durable), origin: "bench" }],
    store: createJsonlStore(join(folder, `${newId()}.jsonl`), { create: header }),
  });

/** The minimum that an append has to do: validate, number and write. Milliseconds for `count` events. */
function raw(count: number): number {
  const fd = openSync(join(folder, newId()), "a");
  const start = performance.now();
  for (let seq = 0; seq < count; seq++) {
    const { data } = schema.safeParse(payload());
    const event = {
      type: "line",
      id: newId(),
      parentId: null,
      seq,
      sessionId: "bench",
      clientId: "bench",
      ts: Date.now(),
      ...data,
    };
    const json = JSON.stringify(event);
    writeSync(fd, Buffer.from(`${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`));
  }
  return performance.now() - start;
}

async function buffered(count: number): Promise<number> {
  const kernel = await open(false);
  const start = performance.now();
  for (let n = 0; n < count; n++) void kernel.session.append("line", payload());
  const took = performance.now() - start;
  await kernel.stop();
  return took;
}

/**
 * Each writer appends again as soon as its last event is on disk. Returns the 99th percentile of their waits, in
 * milliseconds.
 */
async function acknowledged(writers: number, each: number): Promise<number> {
  const kernel = await open(true);
  const waits: number[] = [];
  const write = async () => {
    for (let n = 0; n < each; n++) {
      const start = performance.now();
      await kernel.session.append("line", payload());
      waits.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await kernel.stop();
  return percentile(waits);
}

/** The same with only writes and syncs, one sync at a time for all that was written before it. */
async function rawAcknowledged(writers: number, each: number): Promise<number> {
  const fd = openSync(join(folder, newId()), "a");
  const record = Buffer.from(`${JSON.stringify({ ...payload(), ...header })}\n`);
  const waits: number[] = [];
  const disk = () => new Promise<void>((resolve, reject) => fdatasync(fd, (e) => (e ? reject(e) : resolve())));
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  const begin = () => {
    running = disk().finally(() => {
      running = undefined;
    });
    return running;
  };
  const next = () => {
    following = undefined;
    return begin();
  };
  const synced = () => {
    if (!running) return begin();
    following ??= running.then(next);
    return following;
  };
  const write = async () => {
    for (let n = 0; n < each; n++) {
      const start = performance.now();
      writeSync(fd, record);
      await synced();
      waits.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  closeSync(fd);
  return percentile(waits);
}

function percentile(waits: number[]): number {
  return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] as number;
}

/** The medians of both measurements, which alternate, so that other load on the machine affects both alike. */
async function medians(
  one: () => number | Promise<number>,
  other: () => number | Promise<number>,
): Promise<[number, number]> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let run = 0; run < 9; run++) {
    ones.push(await one());
    others.push(await other());
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[4] as number;
  return [middle(ones), middle(others)];
}

try {
  const count = 20_000;
  const [base, ours] = await medians(
    () => raw(count),
    () => buffered(count),
  );
  const [disk, acknowledgedIn] = await medians(
    () => rawAcknowledged(256, 20),
    () => acknowledged(256, 20),
  );
  const rows = [
    { work: "append, buffered, per event", value: ours / count, baseline: base / count, unit: "ms", aim: 1.5 },
    { work: "append, on disk, 256 writers, p99", value: acknowledgedIn, baseline: disk, unit: "ms", limit: 5 },
  ];
  console.log(JSON.stringify(rows));
} finally {
  rmSync(folder, { recursive: true });
}
