import type { Awaitable } from "./types.ts";

/** Settles like `work`, but rejects after `ms`. */
export async function within(ms: number, work: Awaitable<void>, late: () => Error): Promise<void> {
  if (typeof (work as PromiseLike<void> | undefined)?.then !== "function") return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
