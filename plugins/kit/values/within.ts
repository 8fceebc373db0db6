/** Settles like `work`, but rejects with the error of `late` after `ms` milliseconds. */
export async function within<T>(ms: number, work: T | Promise<T>, late: () => Error): Promise<T> {
  if (typeof (work as PromiseLike<T> | undefined)?.then !== "function") return work;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
