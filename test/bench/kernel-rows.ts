import { mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createJsonlStore, createKernel, definePlugin, type Kernel, newId } from "@scorel/kernel";
import { z } from "zod";

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

/** What an append cannot do without: check, number, write down. */
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

/** Each writer appends again as soon as its last event is on disk; the 99th percentile of what they waited. */
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
  return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] as number;
}

async function context(events: number): Promise<number> {
  const kernel = await open(false);
  for (let n = 0; n < events; n++) void kernel.session.append("line", payload());
  kernel.session.buildContext();
  const start = performance.now();
  for (let n = 0; n < 10; n++) kernel.session.buildContext();
  const took = (performance.now() - start) / 10;
  await kernel.stop();
  return took;
}

async function median(measure: () => number | Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < 5; run++) values.push(await measure());
  return values.sort((a, b) => a - b)[2] as number;
}

try {
  const count = 20_000;
  const base = await median(() => raw(count));
  const ours = await median(() => buffered(count));
  const rows = [
    { work: "append, buffered, per event", value: ours / count, baseline: base / count, unit: "ms", aim: 1.5 },
    {
      work: "append, on disk, 256 writers, p99",
      value: await median(() => acknowledged(256, 20)),
      unit: "ms",
      limit: 5,
    },
    { work: "context of 10,000 events", value: await median(() => context(10_000)), unit: "ms" },
  ];
  console.log(JSON.stringify(rows));
} finally {
  rmSync(folder, { recursive: true });
}
