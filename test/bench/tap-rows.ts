/**
 * The cost of the protections around extensions' layers: twenty layers on one hook, compared with loops written by
 * hand. One loop has the same guarantees (an error skips the layer, a time limit ends it, and a signal reports both the
 * limit and the caller's abort); the other isolates with the minimum: try, catch, and a race against a timer.
 */
import { createKernel, definePlugin } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { contain } from "../../plugins/extensions/containment/contain.ts";

type Layer = (value: number, signal?: AbortSignal) => number | Promise<number>;
type Call = (value: number, signal: AbortSignal) => Promise<number>;

declare module "@scorel/kernel" {
  interface Hooks {
    bench(value: number, signal?: AbortSignal): number | Promise<number>;
    benchMessages(messages: object[]): object[];
  }
  interface Services {
    bench: { numbers: Call; messages(messages: object[]): Promise<object[]> };
  }
}

const LAYERS = 20;
const LIMIT_MS = 30_000;
const failures: unknown[] = [];
const header = { version: 1, sessionId: "bench00000000001", deviceId: "bench", createdAt: 0, epoch: "bench", meta: {} };
const base = { name: "Bench", version: "1.0.0" };
const owner = definePlugin({
  ...base,
  id: "owner",
  provides: ["bench"],
  activate(ctx) {
    const numbers = ctx.defineHook("bench", "waterfall") as Call;
    ctx.provide("bench", { numbers, messages: ctx.defineHook("benchMessages", "waterfall") });
  },
});

/** A kernel with twenty extensions, each with one layer. */
async function kernelWith(layer: Layer) {
  const taps = Array.from({ length: LAYERS }, (_, index) =>
    definePlugin({ ...base, id: `layer${index}`, needs: ["bench"], hooks: () => ({ bench: layer }) }),
  );
  const whole = definePlugin({
    ...base,
    id: "whole",
    needs: ["bench"],
    hooks: () => ({ benchMessages: (all) => all }),
  });
  return createKernel({
    entries: [
      { plugin: owner, origin: "bench" },
      ...[...taps, whole].map((plugin) => contain(plugin, { path: "bench", file: "/bench.ts" })),
    ],
    store: createMemoryStore(header),
  });
}

function isPromise(value: unknown): value is Promise<number> {
  return typeof (value as { then?: unknown } | undefined)?.then === "function";
}

/** Resolves with the answer, or rejects after the time limit. */
async function inTime(answer: Promise<number>, late: () => void): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      late();
      reject(new Error("late"));
    }, LIMIT_MS);
  });
  try {
    return await Promise.race([answer, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** A loop with the same guarantees as extensions' layers. */
function guardedLoop(layers: readonly Layer[]): Call {
  return async (value, caller) => {
    let control = new AbortController();
    const abort = () => control.abort(caller.reason);
    const late = () => {
      control.abort();
      control = new AbortController();
    };
    caller.addEventListener("abort", abort, { once: true });
    let now = value;
    try {
      for (const layer of layers)
        try {
          caller.throwIfAborted();
          const answer = layer(now, control.signal);
          now = (isPromise(answer) ? await inTime(answer, late) : answer) ?? now;
        } catch (thrown) {
          caller.throwIfAborted();
          failures.push(thrown);
        }
    } finally {
      caller.removeEventListener("abort", abort);
    }
    return now;
  };
}

/** A loop that only isolates. */
function plainLoop(layers: readonly Layer[]): Call {
  return async (value, signal) => {
    let now = value;
    for (const layer of layers)
      try {
        const answer = layer(now, signal);
        now = (isPromise(answer) ? await inTime(answer, () => {}) : answer) ?? now;
      } catch (thrown) {
        failures.push(thrown);
      }
    return now;
  };
}

/** The median microseconds of a call in each way. The ways alternate, so that other load affects all alike. */
async function measured(ways: readonly Call[], calls: number): Promise<number[]> {
  const { signal } = new AbortController();
  const times = ways.map(() => [] as number[]);
  for (let run = 0; run < 15; run++)
    for (const [at, call] of ways.entries()) {
      const start = performance.now();
      for (let n = 0; n < calls; n++)
        if ((await call(n, signal)) !== n + LAYERS) throw new Error("a layer was left out");
      times[at]?.push(((performance.now() - start) / calls) * 1_000);
    }
  return times.map((all) => all.sort((a, b) => a - b)[7] as number);
}

async function rowsOf(kind: string, layer: Layer, calls: number, aim: number): Promise<object[]> {
  const kernel = await kernelWith(layer);
  const layers = Array.from({ length: LAYERS }, () => layer);
  const ways = [kernel.find("bench")?.numbers as Call, guardedLoop(layers), plainLoop(layers)];
  const [value, guarded, plain] = await measured(ways, calls);
  await kernel.stop();
  const work = `${LAYERS} ${kind} layers of users, a call`;
  return [
    { work, value, baseline: guarded, unit: "us", aim },
    { work: `${work}: against the least that isolates`, value, baseline: plain, unit: "us" },
  ];
}

/**
 * Passes a long conversation through one extension's layer, which gets a copy that it may change; the baseline copies
 * by hand.
 */
async function messageRow(count: number): Promise<object> {
  const kernel = await kernelWith((value) => value);
  const through = kernel.find("bench")?.messages as (messages: object[]) => Promise<object[]>;
  const messages = Array.from({ length: count }, (_, index) => ({
    role: index % 2 ? "user" : "assistant",
    content: [{ type: "text", text: `A line of a conversation, number ${index}.` }],
    timestamp: index,
  }));
  const copy = () => messages.map((one) => ({ ...one, content: one.content.map((block) => ({ ...block })) }));
  const times: [number[], number[]] = [[], []];
  for (let run = 0; run < 15; run++) {
    const start = performance.now();
    await through(messages);
    const middle = performance.now();
    copy();
    times[0].push(middle - start);
    times[1].push(performance.now() - middle);
  }
  await kernel.stop();
  const [value, baseline] = times.map((all) => all.sort((a, b) => a - b)[7] as number);
  return { work: `${count.toLocaleString("en")} messages through one user's layer`, value, baseline, unit: "ms" };
}

const rows = [
  ...(await rowsOf("async", async (value) => value + 1, 2_000, 3)),
  ...(await rowsOf("sync", (value) => value + 1, 20_000, 1.2)),
  await messageRow(100_000),
];
if (failures.length > 0) throw new Error("a loop skipped a layer");
console.log(JSON.stringify(rows));
