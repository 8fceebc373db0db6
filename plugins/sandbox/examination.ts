import { rmSync } from "node:fs";
import type { ExecutorState } from "./contract.ts";
import { makeFolder, problemOf } from "./executor.ts";
import { CONFINING, createExecutor } from "./service.ts";

/** Tries all confining executors in parallel; the result is in the order in which `auto` prefers them. */
export async function examineExecutors(image: string | undefined): Promise<ExecutorState[]> {
  let made: string | undefined;
  const folder = () => (made ??= makeFolder());
  try {
    return await Promise.all(
      CONFINING.map(async (executor) => {
        const problem = await problemOf(createExecutor(executor, { image, folder }));
        return { executor, ...(problem !== undefined && { problem }) };
      }),
    );
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}
