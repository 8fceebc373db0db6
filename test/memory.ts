import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Bytes that this process uses after garbage collections. Several collections are needed, since memory of buffers and
 * sockets that one collection frees is counted only by the next. The size of the process would be less meaningful,
 * since it includes garbage.
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
