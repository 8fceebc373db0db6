import { Worker } from "node:worker_threads";
import { codeOf, messageOf } from "@scorel/kernel";
import { clause } from "@scorel/kit/text/one-line";

/** Seconds that a conversion may take at most. */
const LIMIT = 10;
const limits = { maxOldGenerationSizeMb: 512 };

/** Beside this file in the sources. In the bundle, code is in folders of its own. */
const WORKER = new URL("../fetch/worker.js", import.meta.url);

export interface Page {
  title: string;
  markdown: string;
  /** Whether the Markdown was longer than the limit. */
  isCut: boolean;
}

/**
 * Converts HTML to Markdown on another thread, since a hostile page may take seconds and much memory. `url` is the address of the page,
 * for its links, `timeout` a limit in seconds, and `most` a limit of characters. Resolves with a reason if it cannot be converted. Rejects
 * on abort.
 */
export async function convert(
  html: string,
  url: URL,
  { timeout, most }: { timeout: number; most: number },
  signal: AbortSignal,
): Promise<Page | string> {
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    workerData: { html, address: url.href, most },
    env: {},
    resourceLimits: limits,
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<Page | string>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (error) => resolve(reasonOf(error)));
      timer = setTimeout(() => resolve("it takes too long"), Math.min(timeout, LIMIT) * 1000);
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

function reasonOf(error: Error): string {
  if (error instanceof RangeError) return "it is nested too deeply";
  if (codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY") return "it needs too much memory";
  return clause(messageOf(error));
}
