import type { SessionView } from "./follow.ts";

/** Whether the host of a session can be reached now. */
export function isConnected({ status }: SessionView): boolean {
  return status.connection !== "reconnecting" && status.connection !== "closed";
}

/**
 * Resolves with the result of `work`, or with undefined as soon as the connection to the host is lost, since nobody knows how long that
 * lasts. Without a connection, `work` is not begun.
 */
export async function whileConnected<T>(view: SessionView, work: () => Promise<T>): Promise<T | undefined> {
  if (!isConnected(view)) return undefined;
  let stopListening = () => {};
  const lost = new Promise<undefined>((resolve) => {
    stopListening = view.subscribe(() => !isConnected(view) && resolve(undefined));
  });
  const done = work();
  // It may fail later, when nobody waits for it any more.
  done.catch(() => {});
  try {
    return await Promise.race([done, lost]);
  } finally {
    stopListening();
  }
}
