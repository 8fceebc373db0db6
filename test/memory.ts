import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Bytes that this process still uses after garbage collections. What a collection frees of buffers and sockets is known only after the
 * next ones. The size of the process says less: it grows with garbage that nobody has collected yet.
 */
export async function usedBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round++) {
    await sleep(10);
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
  }
  return least;
}
