import { Worker } from "node:worker_threads";
import { codeOf } from "@scorel/kernel";
import { untilAborted } from "@scorel/kit/values/abort";

/** A change to make to an image. */
export interface Change {
  bytes: Uint8Array;
  /** 1 to 8, as in EXIF. */
  orientation: number;
  lossless: boolean;
  maxSide: number;
  /** The limit of the encoded file. */
  maxBytes: number;
}
export interface Changed {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
}

/** Why an image could not be changed. */
export type Unchangeable = "damaged" | "late";

/** Beside this file in the sources. In the bundle, code is in folders of its own. */
const WORKER = new URL("../images/worker.js", import.meta.url);

let last: Promise<unknown> = Promise.resolve();

/**
 * Changes an image on another thread, one at a time because each needs much memory. Rejects on abort and when the library is
 * missing.
 */
export function change(task: Change, seconds: number, signal?: AbortSignal): Promise<Changed | Unchangeable> {
  const turn = last.then(() => run(task, seconds, signal));
  last = turn.catch(() => {});
  return signal ? untilAborted(turn, signal) : turn;
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

/**
 * Whether the error is due to the image: the library aborts its WebAssembly code or runs out of memory. A missing library has
 * an error code.
 */
function isOfFile(error: Error): boolean {
  return codeOf(error, "") === "" || codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
}
