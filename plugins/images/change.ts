import { Worker } from "node:worker_threads";
import { codeOf } from "@scorel/kernel";

/** What is to be done to an image. */
export interface Change {
  bytes: Uint8Array;
  /** 1 to 8, as EXIF has it. */
  orientation: number;
  lossless: boolean;
  maxSide: number;
  /** Of the encoded file. */
  maxBytes: number;
}
export interface Changed {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
}

/** Why there is no changed image. */
export type Unchangeable = "damaged" | "late";

/** Beside this file in the sources, and in the bundle, whose code lies in folders of its own. */
const WORKER = new URL("../images/worker.js", import.meta.url);

let last: Promise<unknown> = Promise.resolve();

/** Changes an image on another thread, one at a time as each takes memory; rejects on abort, and when there is no library. */
export function change(task: Change, seconds: number, signal?: AbortSignal): Promise<Changed | Unchangeable> {
  const turn = last.then(() => run(task, seconds, signal));
  last = turn.catch(() => {});
  return turn;
}

async function run(task: Change, seconds: number, signal?: AbortSignal): Promise<Changed | Unchangeable> {
  signal?.throwIfAborted();
  const worker = new Worker(WORKER, { workerData: task, env: {} });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<Changed | Unchangeable>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (error) => (isOfFile(error) ? resolve("damaged") : reject(error)));
      timer = setTimeout(() => resolve("late"), seconds * 1000);
      onAbort = () => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

/** The library gives up on a file by stopping its WebAssembly code, or runs out of memory; a missing library has a code. */
function isOfFile(error: Error): boolean {
  return codeOf(error, "") === "" || codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
}
