/** Runs `work`, and passes what it throws or rejects with to `failed`. Returns a promise only if `work` does. */
export function caught(work: () => unknown, failed: (thrown: unknown) => void): void | Promise<void> {
  try {
    const result = work() as PromiseLike<unknown> | undefined;
    if (typeof result?.then === "function") return Promise.resolve(result).then(() => {}, failed);
  } catch (thrown) {
    failed(thrown);
  }
}
